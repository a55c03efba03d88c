"""What the theorems of the ring allgather need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import ring_allgather
from sparring.proofs.logic.obligations import Obligation, during, p, r, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either

contention = dict.fromkeys(("ring", "tree", "crossbar", "fat_tree", "torus"), "exclusive")


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical list ``c`` once it has come by both."""
    return either(r == s, both((r - c) % p <= t, (s - c) % p <= t))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl/ring_allgather.py``, which counts its hops as the page its steps."""
    impl: Any = ring_allgather  # its functions are typed for int and run here on symbols
    step = during(page)
    yield Obligation("right is dst", step, impl.right(r, p) == page.dst(r, t, p))
    yield Obligation("left is src", step, impl.left(r, p) == page.src(r, t, p))
    yield Obligation("whose list", step, impl.whose(r, t, p) == page.chunk(r, t, p))
