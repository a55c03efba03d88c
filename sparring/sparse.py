"""Sparse vectors: sorted indices, their values, and the length.

A floor below ``spec`` and ``impl``, so that both may be given one; needs numpy alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring.errors import InputError

INDICES = ("int32", "int64")
LONGEST = np.iinfo(np.int64).max
VALUES = ("float32", "float64", "int32", "int64")


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """A vector of ``n`` entries, of which those at ``indices`` have ``values``; all others are absent.

    ``indices``: strictly ascending, int32 or int64, in [0, n).  ``values``: float32, float64, int32
    or int64, as many.  Both are copied and read-only.  A value may be zero: it is present all the same.

    Raises InputError for anything else.

    >>> Sparse([1, 4], [2.5, 0.5], 6)
    Sparse([1 4], [2.5 0.5], n=6)
    >>> Sparse([1, 4], [2.5, 0.5], 6).dense()
    array([0. , 2.5, 0. , 0. , 0.5, 0. ])
    """

    indices: NDArray[Any]
    values: NDArray[Any]
    n: int

    def __init__(self, indices: ArrayLike, values: ArrayLike, n: int) -> None:
        at, entries = vector("indices", indices, INDICES), vector("values", values, VALUES)
        check(at, entries, n)
        self._set(at.copy(), entries.copy(), int(n))

    def _set(self, indices: NDArray[Any], values: NDArray[Any], n: int) -> None:
        indices.flags.writeable = values.flags.writeable = False
        for name, value in (("indices", indices), ("values", values), ("n", n)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, indices: ArrayLike, values: ArrayLike, n: int) -> Self:
        """Make a vector from indices in any order; values of equal indices are added, in the order in which they come.

        >>> Sparse.of([4, 1, 4], [1, 2, 3], 6)
        Sparse([1 4], [2 4], n=6)
        """
        at, entries = vector("indices", indices, INDICES), vector("values", values, VALUES)
        same_size(at, entries)
        support, place = np.unique(at, return_inverse=True)
        sums = np.full(support.size, -0.0).astype(entries.dtype)  # -0.0 + v is v, of either sign
        np.add.at(sums, place, entries)
        return cls(support, sums, n)

    @classmethod
    def made(cls, indices: NDArray[Any], values: NDArray[Any], n: int) -> Self:
        """Make a vector without checks and copies, from arrays just made as they must be; they become read-only."""
        made = object.__new__(cls)
        made._set(indices, values, n)
        return made

    def having(self, indices: Iterable[int], values: Iterable[Any]) -> Self:
        """Return a vector of other entries, of the same dtypes and length."""
        at, given = np.array([*indices], self.indices.dtype), [*values]
        entries = np.empty_like(self.values, shape=len(given))
        for i, v in enumerate(given):
            entries[i] = v
        return type(self)(at, entries, self.n)

    def dense(self) -> NDArray[Any]:
        """Return all ``n`` entries as an array; absent ones are +0.0."""
        y = np.zeros_like(self.values, shape=self.n)
        y[self.indices] = self.values
        return y

    def copy(self) -> Self:
        """Return the same entries in memory of their own."""
        return type(self).made(self.indices.copy(), self.values.copy(), self.n)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """The length ``n``, by the name that arrays have for it."""
        return self.n

    def __len__(self) -> int:
        return int(self.indices.size)

    def __repr__(self) -> str:
        at, entries = (np.array2string(x, threshold=8) for x in (self.indices, self.values))
        return f"Sparse({at}, {entries}, n={self.n})"


def vector(name: str, x: ArrayLike, dtypes: tuple[str, ...]) -> NDArray[Any]:
    """Return ``x`` as an array; raises InputError unless it is 1-D and of one of ``dtypes``."""
    try:
        a = np.asanyarray(x)
    except ValueError as error:
        raise InputError(f"{name} make no array: {error}") from None
    if not a.size and not isinstance(x, np.ndarray):
        a = a.astype(dtypes[-1])  # an empty list is of no dtype
    if isinstance(a, np.ma.MaskedArray):
        raise InputError(f"{name} are a masked array: they must be a plain one; {name}.compressed() is")
    if a.ndim != 1:
        raise InputError(f"{name} have {a.ndim} dimensions: they must have 1")
    if a.dtype not in dtypes:
        raise InputError(f"{name} have dtype {a.dtype}: it must be {', '.join(dtypes[:-1])} or {dtypes[-1]}")
    return a


def same_size(indices: NDArray[Any], values: NDArray[Any]) -> None:
    """Raise InputError unless there are as many indices as values."""
    if indices.size != values.size:
        raise InputError(f"{indices.size} indices and {values.size} values: there must be one value for each index")


def check(indices: NDArray[Any], values: NDArray[Any], n: int) -> None:
    """Raise InputError unless the indices and values make a sparse vector of ``n`` entries."""
    if not isinstance(n, (int, np.integer)) or not 0 <= n <= LONGEST:
        raise InputError(f"n = {n!r}: it must be a whole number, 0 or more, below 2**63")
    same_size(indices, values)
    wrong = np.flatnonzero((indices < 0) | (indices >= n))
    if wrong.size:
        i = int(wrong[0])
        raise InputError(f"index out of range: indices[{i}]={indices[i]}, but n={n}; indices count from 0 to n - 1")
    wrong = np.flatnonzero(indices[1:] <= indices[:-1])
    if wrong.size:
        i = int(wrong[0]) + 1
        raise InputError(
            f"indices not strictly ascending: indices[{i}]={indices[i]} follows {indices[i - 1]}. "
            "Sort and merge with sparring.Sparse.of(i, v, n)."
        )
