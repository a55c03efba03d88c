"""Sparse vectors as arrays, for lines that carry arrays alone.

A sparse vector travels as bytes: three integers (the dtypes' places and ``n``), values, indices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring.sparse import INDICES, LONGEST, VALUES, Sparse

HEAD = 24
"""Bytes of the three integers."""


def unfit(x: Sparse) -> str:
    """Say why ``x`` cannot be sent, in words that follow "a Sparse with"; "" if it can, sorted or not."""
    if {x.indices.ndim, x.values.ndim} != {1} or x.indices.size != x.values.size:
        return f"indices of shape {x.indices.shape} and values of shape {x.values.shape}"
    if x.indices.dtype.name not in INDICES or x.values.dtype.name not in VALUES:
        return f"indices of {x.indices.dtype} and values of {x.values.dtype}"
    return "" if isinstance(x.n, (int, np.integer)) and 0 <= x.n <= LONGEST else f"n={x.n!r}"


def octets(x: Sparse) -> NDArray[np.uint8]:
    """Convert the vector to bytes."""
    head = np.array([VALUES.index(x.dtype.name), INDICES.index(x.indices.dtype.name), x.n], np.int64)
    return np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in (head, x.values, x.indices)])


def sparse(octets: NDArray[np.uint8]) -> Sparse:
    """Make the vector from its bytes, as it was: its indices are not checked."""
    kind, width, n = octets[:HEAD].view(np.int64).tolist()
    values, indices = np.dtype(VALUES[kind]), np.dtype(INDICES[width])
    count = (octets.size - HEAD) // (values.itemsize + indices.itemsize)
    cut = HEAD + count * values.itemsize
    return Sparse.made(octets[cut:].view(indices).copy(), octets[HEAD:cut].view(values).copy(), n)
