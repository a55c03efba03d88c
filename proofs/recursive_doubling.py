"""What the theorems of recursive doubling need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import recursive_doubling
from sparring.proofs.logic.obligations import Obligation, always, every, implies, p, r, t, within
from sparring.spec import recursive_doubling as formulas
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:  # noqa: ARG001  # there is one chunk
    """Return whether two ranks hold the identical term once rounds covered the bits in which their numbers differ."""
    near = formulas.number(r, p) ^ formulas.number(s, p) < formulas.mask(t, p)
    awake = both(negate(formulas.idle(r, p)), negate(formulas.idle(s, p)))
    return either(r == s, either(formulas.steps(p) <= t, every(awake, formulas.folds(p) <= t, near)))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that ranks that are not idle and numbers below ``2**log(p)`` are one to one, and a round flips one bit."""
    number, mask, idle = formulas.number(r, p), formulas.mask(t, p), formulas.idle(r, p)
    top, partner = 1 << formulas.log(p), formulas.dst(r, t, p)
    exchange = every(formulas.folds(p) <= t, formulas.adds(t, p), negate(idle))
    flipped = every(formulas.number(partner, p) == number ^ mask, negate(formulas.idle(partner, p)), within(partner))
    return [
        within(number, top),
        implies(negate(idle), formulas.rank(number, p) == r),
        implies(both(formulas.folds(p) <= t, formulas.adds(t, p)), both(2 * mask <= top, within(number ^ mask, top))),
        implies(exchange, flipped),
        implies(formulas.folds(p) <= t, formulas.mask(t + 1, p) == 2 * mask),
    ]


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts its rounds without the fold; the page counts its steps through."""
    impl: Any = recursive_doubling  # its functions are typed for int and run here on symbols
    beyond, rounds = impl.beyond(p), impl.rounds(p)
    folds = where(beyond > 0, 1, 0)
    number = where(r < 2 * beyond, impl.halved(r), impl.lowered(r, p))
    other = impl.flipped(number, t)
    partner = where(other < beyond, impl.doubled(other), impl.raised(other, p))
    idle = both(r < 2 * beyond, impl.neighbour(r) == r + 1)
    yield Obligation("steps", always(page), page.steps(p) == rounds + 2 * folds)
    for name, step in (("fold", 0), ("unfold", folds + rounds)):
        paired = page.dst(r, step, p) == impl.neighbour(r)
        yield Obligation(f"partner in the {name}", always(page), implies(both(beyond > 0, r < 2 * beyond), paired))
    box = (*always(page), within(t, rounds), negate(idle))
    yield Obligation("partner in a round", box, page.dst(r, t + folds, p) == partner)
    yield Obligation("who exchanges", box, page.active(r, t + folds, p))
