"""Union growth: measures how many entries the sum of ``s`` ranks' sparse vectors has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import check_vector
from sparring.impl.core.selection import top
from sparring.sparse import Sparse
from sparring.spec.library import support_models

COLUMNS = ("s", "identical", "low", "mean", "high", "independent", "disjoint")


@dataclass(frozen=True)
class Growth:
    """The sizes of the unions of 1, 2, ..., ``p`` neighbouring ranks' supports, in entries of ``n``.

    ``k``: the size of each rank's support.  ``low``, ``mean`` and ``high`` have one entry for each ``s = 1..p``: the
    least, mean and largest over the ``p`` ranks that may be the first of the ``s``, around the ring.  Means are exact.
    The three models take the ranks' mean ``k``.
    """

    n: int
    k: tuple[int, ...]
    low: tuple[int, ...]
    mean: tuple[Fraction, ...]
    high: tuple[int, ...]

    @property
    def ranks(self) -> int:
        """The number of ranks, ``p``."""
        return len(self.k)

    @property
    def typical(self) -> Fraction:
        """The mean size of a rank's support."""
        return Fraction(sum(self.k), self.ranks)

    def identical(self) -> tuple[Fraction, ...]:
        """Return the unions if all supports were the same: the least that they can be."""
        return self._model("identical")

    def independent(self) -> tuple[Fraction, ...]:
        """Return the expected unions if supports were drawn independently and evenly."""
        return self._model("independent")

    def disjoint(self) -> tuple[Fraction, ...]:
        """Return the unions if no two supports met before all is full: the most that they can be."""
        return self._model("disjoint")

    def _model(self, name: str) -> tuple[Fraction, ...]:
        u = support_models.MODELS[name]
        return tuple(u(s, self.n, self.typical) for s in range(1, self.ranks + 1))

    def table(self) -> str:
        """Measure and models as text, a line for each ``s``, in columns."""
        sizes = (self.identical(), self.low, self.mean, self.high, self.independent(), self.disjoint())
        columns = [shown(column) for column in (range(1, self.ranks + 1), *sizes)]
        widths = [max(map(len, (name, *cells))) for name, cells in zip(COLUMNS, columns)]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths)) for line in (COLUMNS, *zip(*columns))
        )


def shown(sizes: Sequence[int | Fraction]) -> list[str]:
    """Return a column as text: one digit behind the point, unless all are whole.

    >>> shown([Fraction(1, 3), Fraction(4)]), shown([3, Fraction(4)])
    (['0.3', '4.0'], ['3', '4'])
    """
    digits = 0 if all(size.denominator == 1 for size in sizes) else 1
    return [f"{float(size):.{digits}f}" for size in sizes]


def union_growth(
    vectors: Sequence[Any] | NDArray[Any], *, k: int | None = None, density: float | Fraction | None = None
) -> Growth:
    """Return how the union of the ranks' supports grows; ``vectors`` has one vector a rank, in the ring's order.

    ``vectors``: :class:`Sparse`, whose supports are taken as they are, explicit zeros included; or
    contiguous 1-D arrays, of which each rank keeps its ``k`` largest entries by magnitude, exactly,
    or the share ``density`` of them, 0 to 1, rounded to a whole number.  All have one length.

    Raises InputError for anything else.

    >>> print(union_growth(np.array([[5, 4, 0, 0, 1], [5, 0, 4, 0, 1], [0, 0, 4, 5, 1]]), k=2).table())
    s  identical  low  mean  high  independent  disjoint
    1          2    2   2.0     2          2.0         2
    2          2    3   3.3     4          3.2         4
    3          2    4   4.0     4          3.9         5
    """
    lists = selected(ranked(vectors), k, density)
    n = lists[0].n
    for r, x in enumerate(lists):
        if x.n != n:
            raise InputError(f"vectors[{r}] has {x.n} entries, vectors[0] has {n}: all ranks need one length")
    by_start = counted([x.indices for x in lists]).tolist()
    spreads = [support_models.over(sizes) for sizes in zip(*by_start)]
    low, mean, high = zip(*spreads)
    return Growth(n, tuple(map(len, lists)), low, mean, high)


def measured_sizes(vectors: Sequence[Any] | NDArray[Any]) -> Callable[[int, int, int], Callable[[int], Fraction]]:
    """Return ``sizes(p, n, k)(s)``: the mean union of ``s`` of the first ``p`` ranks' ``k`` largest entries.

    ``vectors``: whole ones, one a rank, of ``n`` entries.  Each union is measured once.  ``sizes`` raises InputError
    for more ranks or another length than there are.
    """
    given = ranked(vectors)
    if any(isinstance(x, Sparse) for x in given):
        raise InputError("vectors are sparse: several densities of each vector are tried; right: whole vectors")

    @cache
    def growth(p: int, k: int) -> Growth:
        return union_growth(given[:p], k=k)

    def sizes(p: int, n: int, k: int) -> Callable[[int], Fraction]:
        if p > len(given):
            raise InputError(f"p={p}: there are vectors of {len(given)} ranks")
        if n != len(given[0]):
            raise InputError(f"n={n}: the vectors have {len(given[0])} entries; leave n out")
        return lambda s: growth(p, k).mean[s - 1]

    return sizes


def ranked(vectors: Sequence[Any] | NDArray[Any]) -> list[Any]:
    """Return one vector a rank; raise InputError for no sequence of them, or an empty one."""
    if isinstance(vectors, np.ndarray) and vectors.ndim == 1:
        raise InputError("vectors are one 1-D array: right is a sequence of vectors, one a rank")
    if not isinstance(vectors, (Sequence, np.ndarray)):
        raise InputError(f"vectors are a {type(vectors).__name__}: right is a sequence of vectors, one a rank")
    if not len(vectors):
        raise InputError("there are no vectors: right is one a rank, and at least one")
    return [*vectors]


def selected(vectors: list[Any], k: int | None, density: float | Fraction | None) -> list[Sparse]:
    """Return what each rank keeps; raise InputError where it is not said, or said twice."""
    asked = [name for name, value in (("k", k), ("density", density)) if value is not None]
    sparse = [isinstance(x, Sparse) for x in vectors]
    if any(sparse) and not all(sparse):
        raise InputError(f"vectors[{sparse.index(False)}] is not Sparse, others are: all ranks need one kind")
    if all(sparse):
        if asked:
            raise InputError(f"{asked[0]} is given: sparse vectors have their supports already; leave it out")
        return vectors
    for r, x in enumerate(vectors):
        check_vector(f"vectors[{r}]", x)
    if len(asked) != 1:
        told = "both k and density are given" if asked else "neither k nor density is given"
        raise InputError(f"{told}: of a dense vector each rank keeps k entries, or the share density of them")
    return [top(x, count_kept(x.size, k, density)) for x in vectors]


def count_kept(n: int, k: int | None, density: float | Fraction | None) -> int:
    """Return how many of ``n`` entries are kept: ``k``, or the whole number nearest to ``density n``."""
    if density is None:
        if not isinstance(k, (int, np.integer)) or k < 0:
            raise InputError(f"k = {k!r}: it must be a whole number, 0 or more")
        return int(k)
    if not isinstance(density, Real) or not 0 <= density <= 1:
        raise InputError(f"density = {density!r}: it must be a number from 0 to 1, the share of entries that are kept")
    return round(density * n)


def counted(indices: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return sizes of unions: entry ``[r, s - 1]`` is that of the ``s`` ranks from ``r`` on.

    From rank ``r`` on, a rank's entry is new if the last rank before it with the same index comes before ``r``.  So the
    distance to that rank is found once for each entry, and serves all ``r`` and ``s``.
    """
    p = len(indices)
    at, rank = np.concatenate(indices), np.repeat(np.arange(p), [len(x) for x in indices])
    order = np.argsort(at, kind="stable")  # by index, then by rank
    at, rank = at[order], rank[order]
    first, last = np.diff(at, prepend=-1) != 0, np.diff(at, append=-1) != 0
    before = np.roll(rank, 1)
    before[first] = rank[last] - p  # around the ring: the same rank again where no other has it
    entries = np.bincount(rank * (p + 1) + rank - before, minlength=p * (p + 1)).reshape(p, p + 1)
    new = entries[:, ::-1].cumsum(axis=1)[:, -2::-1]  # [q, d]: rank q's entries that no rank up to d back has
    start, distance = np.ogrid[:p, :p]
    sizes: NDArray[np.int64] = new[(start + distance) % p, distance].cumsum(axis=1)
    return sizes
