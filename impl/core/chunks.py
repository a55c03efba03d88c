"""A chunk of a sparse vector: the entries that it holds, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

Positions = NDArray[np.int64]
"""As numpy's own indices: an int64 array indexes twice as fast as a uint32 one, which is converted at each use."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A piece of ``length`` entries, of which those at ``positions`` have ``values``; all others are absent.

    ``positions``: strictly ascending, int64, in [0, length), fewer than ``length``; None where every
    entry is held, in which case the chunk is *full*.  ``values``: as many, float32, float64, int32,
    int64 or terms.  Nothing is checked or copied.
    """

    positions: Positions | None
    values: Vector
    length: int

    @property
    def full(self) -> bool:
        """Whether every entry is held."""
        return self.positions is None

    def __len__(self) -> int:
        return self.values.size

    def dense(self, out: Vector | None = None) -> Vector:
        """All ``length`` values, absent ones -0.0 (integers: 0), in ``out`` if given, else in new memory.

        ``out`` is of ``values``' dtype and class; it may be a full chunk's own ``values``.
        """
        every = np.empty_like(self.values, shape=self.length) if out is None else out
        if self.positions is None:
            every[...] = self.values  # numpy leaves out a copy onto itself
        else:
            every[...] = -0.0
            every[self.positions] = self.values
        return every


def cut(x: Sparse, bounds: Sequence[int]) -> list[Chunk]:
    """``x``'s chunks ``[bounds[c], bounds[c + 1])``; ``bounds`` ascend, equal ones bound a chunk of length 0.

    Values are views of ``x``'s.
    """
    at = np.searchsorted(x.indices, np.array(bounds, np.int64)).tolist()
    return [_piece(x, *ends) for ends in zip(at, at[1:], bounds, bounds[1:])]


def _piece(x: Sparse, i: int, j: int, lo: int, hi: int) -> Chunk:
    """Entries ``i`` to ``j``, which lie in [lo, hi)."""
    positions = None if j - i == hi - lo else np.subtract(x.indices[i:j], lo, dtype=np.int64)
    return Chunk(positions, x.values[i:j], hi - lo)


def joined(chunks: Sequence[Chunk], dtype: DTypeLike) -> tuple[NDArray[Any], Vector]:
    """Indices, of this dtype, and values of the vector that one or more ``chunks`` make in their order.

    The inverse of :func:`cut`: values keep their bits, -0.0 too.  Both are new memory.
    """
    indices = np.empty(sum(map(len, chunks)), dtype)
    i = start = 0
    for chunk in chunks:
        held = np.arange(chunk.length) if chunk.positions is None else chunk.positions
        np.add(held, start, out=indices[i : i + len(chunk)], casting="unsafe")  # an index is below 2^31 if it was
        i, start = i + len(chunk), start + chunk.length
    return indices, np.concatenate([chunk.values for chunk in chunks])
