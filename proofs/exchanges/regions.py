"""Regions cut the vector: bounds that cut a rank's entries evenly ascend, and so do their means.

``a`` and ``b`` are sums of all ranks' proposals for one bound and for the next; ``n`` is the vector's length.  Of
``m = x`` entries a rank proposes the indices of some, whose places ascend.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.proofs.logic.obligations import Obligation, c, n, p, q, r, within
from sparring.spec.core import regions
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Sym, both

a, b, x = (Sym.var(name) for name in ("a", "b", "x"))


def proposals() -> Iterator[Obligation]:
    """State where a rank's regions begin: at 0, at entries whose places ascend, at the end."""
    places = (p >= 1, x >= 1, within(c))
    yield Obligation("places are a rank's", places, within(bound(c, x, p), x))
    yield Obligation("places ascend", places, bound(c, x, p) <= bound(c + 1, x, p))


def partition(m: Any = regions) -> Iterator[Obligation]:
    """State that means of bounds that ascend do so, too; of zeros it is 0, and of ``n`` it is ``n``."""
    sums = (p >= 1, n >= 0, a >= 0, a <= b, b <= p * n)
    nothing: Any = 0
    yield from proposals()
    yield Obligation("sums ascend", (p >= 1, a <= b, q <= r), a + q <= b + r)
    yield Obligation("means ascend", sums, m.mean(a, p) <= m.mean(b, p))
    yield Obligation("means are in [0, n]", sums, both(m.mean(a, p) >= 0, m.mean(b, p) <= n))
    yield Obligation("begins at 0", sums, m.mean(nothing * p, p) == 0)
    yield Obligation("ends at n", sums, m.mean(p * n, p) == n)
