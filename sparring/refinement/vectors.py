"""Describes and compares vectors, arrays and sparse ones: in kind, in support, in bits."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring import sparse_lists
from sparring.errors import InputError
from sparring.proofs.logic.terms import raw
from sparring.sparse import INDICES, Sparse

Vector: TypeAlias = NDArray[Any] | Sparse
ODD = 1e6
"""The magnitude that NaN and infinity count as where examples are compared by size."""
SHOWN = 12
"""Entries of a vector that a sentence shows, at most."""


class NoArray(NamedTuple):
    """A result that is neither an array of numbers nor a sparse vector; ``what`` names it, e.g. ``NoneType``."""

    what: str


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
    with np.errstate(over="ignore"):
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


def difference(y: Any, wanted: Any) -> int | None:
    """Return the first entry that differs in its bits, -1 where shape or dtype do, or None; all NaNs are alike."""
    if isinstance(wanted, Sparse):
        return -1 if sparse_lists.describe_difference(y, wanted) else difference(y.values, wanted.values)
    if not isinstance(y, np.ndarray) or y.shape != wanted.shape or y.dtype != wanted.dtype:
        return -1
    a, b = raw(y), raw(wanted)
    same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    if a.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    return None if same.all() else int(np.argmin(same))


def unlike(y: Any, wanted: Vector) -> str:
    """Say what a result has that is not ``wanted``, in kind, support or bits; "" if nothing."""
    if why := elsewhere(y, wanted) if isinstance(wanted, Sparse) else misshapen(y, wanted):
        return why
    odd = unequal(y, wanted)
    if odd is None:
        return ""
    if len(sparse_lists.values(wanted)) <= SHOWN:
        return f"has {shown(y)}, reference {shown(wanted)}"
    return "has {1} at {0}, reference {2}".format(*odd)


def misshapen(y: Any, wanted: NDArray[Any]) -> str:
    """Say whether ``y`` is no array, or has another shape or dtype; "" if it fits."""
    if not isinstance(y, np.ndarray):
        return f"returned {called(y)}, not {kind(wanted)}"
    if y.shape != wanted.shape or y.dtype != wanted.dtype:
        return f"returned {y.dtype} of shape {y.shape}, not {kind(wanted)}"
    return ""


def called(y: Any) -> str:
    """Name the type of a result that is no vector."""
    return y.what if isinstance(y, NoArray) else type(y).__name__


def unsound(y: Any, wanted: Sparse) -> str:
    """Say whether ``y`` is no valid sparse vector, or has other dtypes or another length; "" if it fits."""
    if not isinstance(y, Sparse):
        return f"returned {called(y)}, not {kind(wanted)}"
    if kind(y) != kind(wanted):
        return f"returned {kind(y)}, not {kind(wanted)}"
    try:
        Sparse(y.indices, y.values, y.n)
    except InputError as error:
        return f"returned {shown(y)}: {str(error).rstrip('.')}"
    return ""


def elsewhere(y: Any, wanted: Sparse) -> str:
    """Say whether ``y`` is no valid sparse vector, or has another support; "" if it fits."""
    if why := unsound(y, wanted):
        return why
    odd = np.setxor1d(y.indices, wanted.indices)
    if not odd.size:
        return ""
    i = int(odd[0])
    more, less = ("an entry", "nothing") if i in y.indices else ("nothing", "an entry")
    return f"has {more} at index {i}, the reference {less}: {shown(y)}, reference {shown(wanted)}"
