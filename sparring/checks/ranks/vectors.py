"""Answers what is asked of a vector, be it an array or sparse."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring import sparse_lists
from sparring.refinement.comparison import difference
from sparring.sparse import INDICES, Sparse

Vector: TypeAlias = NDArray[Any] | Sparse
ODD = 1e6
"""The magnitude that NaN and infinity count as where examples are compared by size."""
SHOWN = 12
"""Entries of a vector that a sentence shows, at most."""


def shown(x: Any) -> str:
    """Format a vector briefly: its entries, and for a sparse vector the index before each entry.

    >>> shown(np.array([0, 2])), shown(Sparse([1, 4], [2.5, 0.0], 6))
    ('[0 2]', '[1:2.5 4:0.0]')
    """
    if not isinstance(x, Sparse):
        return np.array2string(x, threshold=SHOWN, edgeitems=4, max_line_width=10_000, precision=17, floatmode="unique")
    pairs = [f"{i}:{v}" for i, v in zip(x.indices.tolist(), x.values.tolist())]
    return f"[{' '.join(pairs if len(pairs) <= SHOWN else [*pairs[:4], '...', *pairs[-4:]])}]"


def kind(x: Vector) -> str:
    """Describe a vector's class, dtypes and length in words."""
    if isinstance(x, Sparse):
        return f"a Sparse of {x.dtype} with n={x.n} and indices of {x.indices.dtype}"
    return f"{x.size} entries of {x.dtype}"


def size(x: Vector) -> tuple[int, int, float]:
    """Return the key that orders vectors of one length and dtype: indices' dtype, entries, magnitudes."""
    weight = float(np.nan_to_num(np.abs(sparse_lists.values(x).astype(np.float64)), nan=ODD, posinf=ODD).sum())
    return (-INDICES.index(str(x.indices.dtype)), len(x), weight) if isinstance(x, Sparse) else (0, 0, weight)


def as_json(x: Vector) -> Any:
    """Convert a vector to values that JSON can hold."""
    if isinstance(x, Sparse):
        return {"indices": x.indices.tolist(), "values": as_json(x.values), "n": x.n}
    if x.ndim > 1:
        return [as_json(row) for row in x]
    return [v if np.isfinite(v) else str(v) for v in x.tolist()]


def source(x: Vector) -> str:
    """Return the Python expression that makes the vector."""
    if isinstance(x, Sparse):
        return f"sparring.Sparse({source(x.indices)}, {source(x.values)}, {x.n})"
    entries = re.sub("nan|inf", r"np.\g<0>", repr(x.tolist()))
    return f"np.array({entries}, np.{x.dtype})"


def comparable(a: Any, b: Any) -> bool:
    """Return whether these are vectors of one kind; if they are not, another property reports it."""
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        return kind(a) == kind(b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (a.shape, a.dtype) == (b.shape, b.dtype)
    return False


def unequal(a: Any, b: Any) -> tuple[str, str, str] | None:
    """Return the first place where two vectors of one kind differ in bits, and what each has there, or None."""
    if not isinstance(a, Sparse):
        i = difference(a, b)
        return None if i is None else (f"entry {i}", bits(a, i), bits(b, i))
    if not np.array_equal(a.indices, b.indices) or a.values.shape != b.values.shape:
        return "the support", str(a.indices), str(b.indices)
    i = difference(a.values, b.values)
    return None if i is None else (f"index {a.indices[i]}", bits(a.values, i), bits(b.values, i))


def bits(y: NDArray[Any], i: int) -> str:
    """Format an entry so that two entries that differ in the last bit look different."""
    value = y[i].item()
    return value.hex() if isinstance(value, float) else str(value)
