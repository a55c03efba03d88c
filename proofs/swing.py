"""What the theorems of Swing need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import recursive_doubling, swing
from sparring.proofs.logic.obligations import Obligation, always, every, implies, p, r, t, within
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, negate, where
from sparring.spec.swing import behind, done, dst, folds, idle, log, number, partner, rank, reach, swings, top

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State how numbers in a row grow from round to round; and that a round takes numbers to numbers and back."""
    i, v, m = done(t, p), number(r, p), 1 << done(t, p)
    b, far, after = behind(i), reach(i), behind(done(t + 1, p))
    exchange = both(swings(t, p), negate(idle(r, p)))
    there = partner(v, i, p)
    return [
        within(v, top(p)),
        implies(negate(idle(r, p)), rank(v, p) == r),
        implies(swings(t, p), both(2 * m <= top(p), within(b, m))),
        implies(swings(t, p), where(i % 2 == 0, far + 2 * b + 1 == 2 * m, far == 2 * b + 1)),
        implies(swings(t, p), after == where(i % 2 == 0, b, b + m)),
        implies(swings(t, p), top(p) == 2 * (1 << (log(p) - 1))),
        implies(folds(p) <= t, 1 << done(t + 1, p) == 2 * m),
        implies(swings(t, p), every(within(there, top(p)), negate(there == v), partner(there, i, p) == v)),
        implies(exchange, every(number(dst(r, t, p), p) == there, negate(idle(dst(r, t, p), p)), within(dst(r, t, p)))),
    ]


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts its rounds without the fold; the page counts its steps through."""
    impl: Any = swing  # its functions are typed for int and run here on symbols
    shared: Any = recursive_doubling
    beyond, last = impl.beyond(p), impl.rounds(p)
    fold = where(beyond > 0, 1, 0)
    v = where(r < 2 * beyond, shared.halved(r), shared.lowered(r, p))
    other = where(v % 2 == t % 2, impl.ahead(v, t), impl.back(v, t))
    closed = where(other < 0, other + top(p), where(other < top(p), other, other - top(p)))
    partner = where(closed < beyond, impl.doubled(closed), impl.raised(closed, p))
    gives = both(r < 2 * beyond, impl.neighbour(r) == r + 1)
    yield Obligation("steps", always(page), page.steps(p) == last + 2 * fold)
    for name, step in (("fold", 0), ("unfold", fold + last)):
        paired = page.dst(r, step, p) == impl.neighbour(r)
        yield Obligation(f"partner in the {name}", always(page), implies(both(beyond > 0, r < 2 * beyond), paired))
    box = (*always(page), within(t, last), negate(gives))
    yield Obligation("how far", (*always(page), within(t, last)), impl.reach(t) == reach(t))
    yield Obligation("partner in a round", box, page.dst(r, t + fold, p) == partner)
    yield Obligation("who exchanges", box, page.active(r, t + fold, p))
