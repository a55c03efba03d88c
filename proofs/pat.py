"""What the theorems of the allreduce by parallel aggregated trees need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import pat
from sparring.proofs.logic.obligations import Obligation, always, c, every, iff, implies, n, p, q, r, t, within
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.gtopk import zeros
from sparring.spec.pat import adds, before, bit, carries, child, leap, rounds, src, told

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}
survivors = {
    "def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:":
        "Zero may be added to the own block before the others' come: a sum that has +0.0 in it is never -0.0.",
}  # fmt: skip


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have the finished chunk."""
    return either(r == s, both(told(r, c, t, p), told(s, c, t, p)))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what is one leap from a multiple of the leap, how odd ones are counted, and what the sender's tree has."""
    e, d, sender = bit(t, p), leap(t, p), src(r, t, p)
    x, y, w = ((rank - c) % p for rank in (r, sender, q))
    comes, multiple, k = carries(sender, c, t, p), zeros(x, e), x >> e
    goes_up, goes_down = both(k % 2 == 0, x + d < p), k % 2 == 1
    return [
        both(within(e, rounds(p)), 1 << (e + 1) == 2 * d),
        implies(multiple, every((k + 1) << e == x + d, (x + d) >> e == k + 1, iff(zeros(x, e + 1), k % 2 == 0))),
        implies(both(multiple, k >= 1), both((k - 1) << e == x - d, (x - d) >> e == k - 1)),
        iff(comes, both(multiple, where(adds(t, p), goes_up, goes_down))),
        implies(comes, both(y == where(adds(t, p), x + d, x - d), zeros(y, e))),
        *counting(r, t, p),
        (x ^ w).bit_length() <= rounds(p),
        implies(comes, iff((x ^ w).bit_length() <= e + 1, (y ^ w).bit_length() <= e + 1)),
    ]


def counting(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that ``before`` counts the odd multiples one by one: with a leap more they are those of two leaps."""
    e, x = bit(t, p), (child(r, t, p) - c) % p
    further = x + leap(t, p)
    k = further >> (e + 1)
    return [
        (k - 1) << (e + 1) == (k << (e + 1)) - 2 * leap(t, p),
        iff(carries(r, c, t, p), zeros(further, e + 1)),
        before(x + 1, t, p) == before(x, t, p) + where(carries(r, c, t, p), 1, 0),
    ]


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl/pat.py``, which counts rounds and lists distances; the page asks which chunks are carried."""
    impl: Any = pat  # its functions are typed for int and run here on symbols
    rounds, d = impl.rounds(p), 1 << t
    box, back = (*always(page), within(t, rounds)), page.steps(p) - 1 - t
    yield Obligation("rounds", always(page), page.steps(p) == 2 * rounds)
    yield Obligation("to whom", box, page.dst(r, t, p) == impl.behind(r, d, p))
    yield Obligation("from whom", box, page.src(r, t, p) == impl.ahead(r, d, p))
    yield Obligation("to whom, back", box, page.dst(r, back, p) == impl.ahead(r, d, p))
    yield Obligation("from whom, back", box, page.src(r, back, p) == impl.behind(r, d, p))
    yield Obligation("cuts", (*always(page), n >= 0), impl.cut(r, n, p) == bound(r, n, p))
