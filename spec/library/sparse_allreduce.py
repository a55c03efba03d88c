"""The allreduce of sparse vectors: of each rank's vector the entries that it takes itself, by a sparse page.

A rank brings a whole vector and says where it takes entries of it; the page sends these, explicit zeros included, and
no others.  All ranks get the sum with all its entries: zeros where no rank took any.  The page's theorem says that it
is the sum of all lists.

>>> from sparring.spec.core.vectors import Vector
>>> given = [(Vector([3, 1]), [True, False]), (Vector([2, 4]), [True, True])]
>>> each = [sparse_allreduce(x, at, "ring_allgather") for x, at in given]
>>> found = each[0].carry(each)
>>> found.results[0], [message.entries for message in found.trace[0]]
([5, 4], [[0:3], [0:2 1:4]])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

from sparring.spec.core.exchange_runs import Carried, spread
from sparring.spec.core.exchanges import Exchange, served
from sparring.spec.core.numbers import Int
from sparring.spec.core.runs import ListRun, PieceRun
from sparring.spec.core.sparse import SparseVector, width


@dataclass(frozen=True)
class SparseAllreduce(Exchange):
    """See :func:`sparse_allreduce`."""

    brings: ClassVar[tuple[str, ...]] = ("x", "at")
    kinds: ClassVar[tuple[str, ...]] = ("allreduce", "allgather")
    data: ClassVar[tuple[str, ...]] = ("lists", "sparse")

    through: str = "ring_sparse"
    at: Any = None

    @property
    def terms(self) -> tuple[Any, ...]:
        return (*super().terms, len(self.x))

    @property
    def entries(self) -> SparseVector:
        """Those that the rank takes."""
        n, at = len(self.x), [*map(bool, self.at)]
        return SparseVector(tuple(compress(range(n), at)), tuple(compress(self.x, at)), n)

    def carry(self, each: Sequence[SparseAllreduce]) -> Carried:  # type: ignore[override]  # all ranks yield the same kind
        lists = [one.entries for one in each]
        page, wide = self.page, width(self.x.zero)
        ran = ListRun(page, lists) if page.data == "lists" else PieceRun(page, lists, wide)
        return Carried([spread(one.x, y.indices, y.values) for one, y in zip(each, ran.results)], ran.trace)


def octets(m: Int, size: Int, w: Int, allreduce: str) -> Int:
    """The bytes of a message, for a page whose parameter ``allreduce`` names the one that it sends through."""
    return served(allreduce).octets(m, size, w)


def encoded(m: Int, size: Int, w: Int, allreduce: str) -> str:
    """The name of its encoding."""
    return served(allreduce).encoded(m, size, w)


def sparse_allreduce(x: Any, at: Any, through: str = "ring_sparse") -> SparseAllreduce:
    """All ranks get the sum of what each rank has where its own ``at`` is true."""
    return SparseAllreduce(x, through=through, at=at)
