"""What the theorems of the two-shot allreduce need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import two_shot
from sparring.proofs.logic.obligations import Obligation, during, j, n, p, r, t, within
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, both, either

contention = dict.fromkeys(("ring", "tree", "crossbar", "fat_tree", "torus"), "contended")
"""Of several messages that a rank receives in a step, two meet on its port."""


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:  # noqa: ARG001  # two steps, for every p
    """Return whether two ranks hold the identical term once both have the finished sum."""

    def full(x: Int) -> Bool:
        return either(t >= 2, both(t >= 1, x == c))

    return either(r == s, both(full(r), full(s)))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl/two_shot.py``."""
    yield from neighbours(page)
    impl: Any = two_shot  # its functions are typed for int and run here on symbols
    yield Obligation("blocks", (*during(page), within(j, p - 1), n >= 0), impl.cut(r, n, p) == bound(r, n, p))


def neighbours(page: Page) -> Iterator[Obligation]:
    """Compare with its distances, which are counted from 1; the page counts messages from 0."""
    impl: Any = two_shot  # its functions are typed for int and run here on symbols
    box = (*during(page), within(j, p - 1))
    yield Obligation("to whom", box, impl.above(r, j + 1, p) == page.dst(r, t, p, j))
    yield Obligation("from whom", box, impl.below(r, j + 1, p) == page.src(r, t, p, j))
    yield Obligation("block sent first", box, impl.above(r, j + 1, p) == page.chunk(r, 0, p, j))
    yield Obligation("block sent then", box, page.chunk(r, 1, p, j) == r)
