"""The largest entries of a vector, exactly: ties are decided by index, NaN comes first.

Magnitudes are compared as unsigned integers: without its sign bit, a float's bits order as its
magnitude does, and every NaN lies above infinity.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import check_vector
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

STRIDE = 64
"""Every so many entries one is in the sample that says how large the largest may be."""


def top(x: Vector, k: int, *, allow_nan: bool = True) -> Sparse:
    """The ``k`` largest entries of ``x`` by magnitude; of equal ones the lower index; all where ``k > n``.

    ``x``: a contiguous vector of float32, float64, int32 or int64.  NaN counts as larger than
    everything, unless ``allow_nan`` is false.  Indices are int64.

    Raises InputError for a negative ``k``, another ``x``, or a NaN that is not allowed.
    """
    check_vector("x", x)
    if k < 0:
        raise InputError(f"k = {k}: it must be 0 or more")
    size = magnitudes(x)
    if not allow_nan and x.dtype.kind == "f" and (bad := np.isnan(x)).any():
        raise InputError(f"x[{int(bad.argmax())}] is NaN, which has no magnitude; with allow_nan NaN is taken first")
    return chosen(x, first(size, k))


def chosen(x: Vector, at: NDArray[np.int64]) -> Sparse:
    """The entries of ``x`` at these indices, ascending."""
    return Sparse.made(at, x[at], x.size)


def first(size: NDArray[Any], k: int) -> NDArray[np.int64]:
    """The indices of the ``k`` largest, ascending; all of them where ``k`` is larger."""
    return np.arange(size.size) if k >= size.size else largest(size, k)


def largest(size: NDArray[Any], k: int) -> NDArray[np.int64]:
    """The indices of the ``k < n`` largest, ascending; the lowest index first among equal ones."""
    if k == 0:
        return np.empty(0, np.int64)
    at = candidates(size, k)
    near = size[at]
    least = np.partition(near, near.size - k)[near.size - k]
    at, near = at[near >= least], near[near >= least]
    surplus = at.size - k
    return np.delete(at, np.flatnonzero(near == least)[-surplus:]) if surplus else at


def candidates(size: NDArray[Any], k: int) -> NDArray[np.int64]:
    """The indices, ascending, of entries among which the ``k`` largest are: few, unless the sample misleads."""
    sample = size[::STRIDE]
    wanted = k // STRIDE * 5 // 4 + 8  # somewhat more than the sample's part
    if wanted < sample.size:
        at = np.flatnonzero(size >= np.partition(sample, sample.size - wanted)[sample.size - wanted])
        if at.size >= k:
            return at
    return np.arange(size.size)


def reaching(size: NDArray[Any], least: Any) -> NDArray[np.int64]:
    """The indices, ascending, of what is ``least`` or more; of nothing where that is None."""
    return np.empty(0, np.int64) if least is None else np.flatnonzero(size >= least)


def magnitude(t: float, dtype: np.dtype[Any]) -> Any:
    """The least unsigned integer of a magnitude in ``dtype`` that is ``t`` or more; NaN has only its own.

    One above all magnitudes where none is.
    """
    unsigned: Any = np.dtype(f"u{dtype.itemsize}").type
    if dtype.kind == "i":
        most = 1 << (8 * dtype.itemsize - 1)
        return unsigned(math.ceil(max(t, 0.0)) if t <= most else most + 1)
    if t != t:  # noqa: PLR0124  # NaN alone is not equal to itself
        return magnitudes(np.full(1, np.nan, dtype))[0]
    with np.errstate(over="ignore"):  # infinity is the least magnitude from there on
        near = np.array([max(t, 0.0)]).astype(dtype)
    return magnitudes(near if float(near[0]) >= t else np.nextafter(near, dtype.type(np.inf)))[0]


def magnitudes(x: Vector) -> NDArray[Any]:
    """Unsigned integers that order as ``|x|`` does; all NaN are one, above infinity."""
    unsigned: Any = np.dtype(f"u{x.itemsize}")
    if x.dtype.kind == "i":
        return np.abs(x).view(unsigned)  # the most negative one is its own magnitude
    size: NDArray[Any] = x.view(unsigned) & unsigned.type(np.iinfo(unsigned).max >> 1)
    infinity = np.array(np.inf, x.dtype).view(unsigned)
    np.minimum(size, infinity + unsigned.type(1), out=size)
    return size
