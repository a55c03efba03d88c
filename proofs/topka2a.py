"""What the theorems of selection by alltoall need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import ring, ring_topk, topka2a
from sparring.proofs.logic.obligations import ROUND, Obligation, c, during, n, p, r, t, within
from sparring.spec import topka2a as formulas
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, negate

contention = {**dict.fromkeys(("ring", "tree", "fat_tree", "torus"), "contended"), "crossbar": "rendezvous"}
"""In each step every rank has one partner to send to, who on longer roads is not alone."""
k = Sym.var("k")


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once the ring has brought both the full sum."""

    def full(x: Int) -> Bool:
        return (x - c) % p <= t - (p - 1)

    return either(r == s, both(full(r), full(s)))


def spent(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether ``r`` gave its part of shard ``c`` away in step ``(c - r) % p - 1``; it comes back complete."""
    back = (r - c) % p <= t - (p - 1)
    return both(negate(r == c), both((c - r) % p <= t, negate(back)))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``: its arithmetic is its neighbours'; it counts distances, the page its steps through."""
    impl: Any = topka2a  # its functions are typed for int and run here on symbols
    cut: Any = ring.cut
    part: Any = ring_topk.part
    lap = (*during(page), within(t, p - 1))
    yield Obligation("to whom", lap, impl.above(r, t + 1, p) == page.dst(r, t, p))
    yield Obligation("from whom", lap, impl.below(r, t + 1, p) == page.src(r, t, p))
    yield Obligation("shard given", lap, impl.above(r, t + 1, p) == page.chunk(r, t, p))
    yield Obligation("next on the ring", lap, impl.above(r, 1, p) == page.dst(r, t + (p - 1), p))
    yield Obligation("the one before", lap, impl.below(r, 1, p) == page.src(r, t + (p - 1), p))
    yield Obligation("shard passed on", lap, impl.below(r, t, p) == page.chunk(r, t + (p - 1), p))
    yield Obligation("shards", (*ROUND, n >= 0), cut(c, n, p) == bound(c, n, p))
    yield Obligation("parts", (*ROUND, k >= 0), part(c, k, p) == formulas.part(c, p, k))
