"""Regions: where the parts of a vector begin that ranks add up, if these are to have about as many entries each.

Each rank proposes bounds that cut its own entries evenly; regions begin at the means of all proposals.  That these cut
``[0, n)`` without gap or overlap is proved in ``proofs/exchanges/regions.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.errors import ScheduleFault
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int
from sparring.spec.core.schedule import number
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.vectors import local


class Regions(tuple[int, ...]):
    """Where regions begin, and the last ends: a part of a state of this type is known to cut the vector."""

    __slots__ = ()


@local
def even(x: SparseVector, p: int) -> list[int]:
    """Where regions begin that cut a vector's entries evenly, and its end.

    >>> even(SparseVector((1, 2, 4, 7), "abcd", 9), 2), even(SparseVector((), (), 9), 2)
    ([0, 4, 9], [0, 4, 9])
    """
    m = len(x.indices)
    return [0, *(x.indices[number(bound(c, m, p))] if m else number(bound(c, x.n, p)) for c in range(1, p)), x.n]


@local
def means(proposals: Sequence[Sequence[int]]) -> Regions:
    """The means of all ranks' bounds.

    >>> means([[0, 4, 9], [0, 7, 9]])
    (0, 5, 9)
    """
    return Regions(number(mean(sum(cs), len(proposals))) for cs in zip(*proposals))


def mean(total: Int, p: Int) -> Int:
    """Where a region begins, if all ranks' proposals make so much together."""
    return total // p


def checked(bounds: Sequence[Any], n: int, p: int) -> Sequence[int]:
    """The same bounds; raises ScheduleFault unless they cut ``[0, n)`` into ``p`` regions."""
    if len(bounds) != p + 1 or list(bounds) != sorted(bounds) or (bounds[0], bounds[-1]) != (0, n):
        raise ScheduleFault(p, None, f"bounds {[*bounds]} do not cut [0, {n}) into {p} regions")
    return bounds
