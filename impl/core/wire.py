"""Sparse vectors as messages: one packed buffer each, values first, then indices; no pickle.

How many entries a message has follows from its length.  An index takes 4 bytes where the
vector's length allows it, else 8, whatever the width in which the caller keeps them: all ranks
know the length, so they agree without a word.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

Bytes: TypeAlias = NDArray[np.uint8]


def width(n: int) -> np.dtype[Any]:
    """The dtype of an index of a vector of ``n`` entries."""
    return np.dtype(np.int32 if n <= 1 << 31 else np.int64)


def room(count: int, like: Vector, n: int) -> Bytes:
    """A buffer for ``count`` entries of a vector of ``n``, with values like these."""
    return np.empty(count * (like.itemsize + width(n).itemsize), np.uint8)


def pack(x: Sparse) -> Bytes:
    """``x``'s entries."""
    buffer = room(len(x), x.values, x.n)
    cut = len(x) * x.dtype.itemsize
    buffer[:cut].view(x.dtype)[:] = x.values
    buffer[cut:].view(width(x.n))[:] = x.indices
    return buffer


def unpack(buffer: Bytes, like: Vector, n: int) -> tuple[NDArray[Any], Vector]:
    """Indices, of a vector of ``n``, and values that :func:`pack` put there, as views of ``buffer``.

    Values are of the dtype and class of ``like``.  Raises InputError for a buffer that holds no whole
    number of entries.
    """
    count, rest = divmod(buffer.size, like.itemsize + width(n).itemsize)
    if rest:
        raise InputError(f"a message of {buffer.size} bytes holds no whole number of entries of {like.dtype}")
    cut = count * like.itemsize
    return buffer[cut:].view(width(n)), buffer[:cut].view(like.dtype).view(type(like))
