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
from sparring.sparse import Sparse

Bytes: TypeAlias = NDArray[np.uint8]


def width(n: int) -> np.dtype[Any]:
    """The dtype of an index of a vector of ``n`` entries."""
    return np.dtype(np.int32 if n <= 1 << 31 else np.int64)


def room(count: int, like: Sparse) -> Bytes:
    """A buffer for ``count`` entries of a vector like that."""
    return np.empty(count * (like.dtype.itemsize + width(like.n).itemsize), np.uint8)


def pack(x: Sparse) -> Bytes:
    """``x``'s entries."""
    buffer = room(len(x), x)
    cut = len(x) * x.dtype.itemsize
    buffer[:cut].view(x.dtype)[:] = x.values
    buffer[cut:].view(width(x.n))[:] = x.indices
    return buffer


def unpack(buffer: Bytes, like: Sparse) -> tuple[NDArray[Any], NDArray[Any]]:
    """Indices and values that :func:`pack` put there, as views of ``buffer``; values are of ``like``'s class.

    Raises InputError for a buffer that holds no whole number of entries.
    """
    count, rest = divmod(buffer.size, like.dtype.itemsize + width(like.n).itemsize)
    if rest:
        raise InputError(f"a message of {buffer.size} bytes holds no whole number of entries of {like.dtype}")
    cut = count * like.dtype.itemsize
    return buffer[cut:].view(width(like.n)), buffer[:cut].view(like.dtype).view(type(like.values))
