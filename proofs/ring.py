"""What the ring's theorems need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import ring
from sparring.proofs.logic.obligations import Obligation, during, n, p, r, t, within
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, both, either

contention = dict.fromkeys(("ring", "tree", "crossbar", "fat_tree", "torus"), "exclusive")


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once the second lap has brought both the full sum."""

    def full(x: Int) -> Bool:
        return (x - c + 1) % p <= t - (p - 1)

    return either(r == s, both(full(r), full(s)))


def peers(page: Page, impl: Any = ring) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts its hops lap by lap; the page counts its steps through.

    Its functions are typed for int and run here on symbols.
    """
    step, lap = during(page), (*during(page), within(t, p - 1))
    yield Obligation("right is dst", step, impl.right(r, p) == page.dst(r, t, p))
    yield Obligation("left is src", step, impl.left(r, p) == page.src(r, t, p))
    yield Obligation("first lap", lap, impl.given(r, t, p) == page.chunk(r, t, p))
    yield Obligation("second lap", lap, impl.passed(r, t, p) == page.chunk(r, t + (p - 1), p))
    yield Obligation("blocks", (*lap, n >= 0), impl.cut(r, n, p) == bound(r, n, p))
