"""Vectors as one sign an entry and one scale for all: the codes of 1-bit Adam [TG21]_.

| bytes           | what                                                                                    |
|-----------------|-----------------------------------------------------------------------------------------|
| ``w``           | the scale, in the vector's type                                                         |
| ``ceil(c / 8)`` | bit ``i % 8``, from the lowest, of byte ``i // 8`` is set if entry ``i`` is 0 or more    |

The scale is the root of the mean square, or the mean magnitude, found in float64 and rounded once.  Sums are
folded: the later half is added to the earlier, the middle one of an odd number staying where it is, until
one number is left.  A scale that is no finite number is NaN.  No length is told: both sides know it.

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes


def size(c: Any, width: int) -> Any:
    """How many bytes the message of ``c`` entries of ``width`` bytes has."""
    return width + (c + 7) // 8


def folded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of these, of at least one, as an array of one; they are overwritten."""
    while values.size > 1:
        half = (values.size + 1) // 2
        values[: values.size - half] += values[half:]
        values = values[:half]
    return values


def scale(x: Vector, norm: int) -> Any:
    """The scale of ``x``: with ``norm`` 2 the root of its mean square, with 1 its mean magnitude."""
    if not x.size:
        return x.dtype.type(0)
    with np.errstate(all="ignore"):
        sizes = np.abs(x, out=np.empty(x.size), dtype=np.float64)
        total = folded(sizes if norm == 1 else np.multiply(sizes, sizes, out=sizes)) / x.size
        found = total if norm == 1 else np.sqrt(total)
    return x.dtype.type(found[0] if np.isfinite(found[0]) else np.nan)


def encode(x: Vector, scale: Any, out: Bytes) -> None:
    """Writes the message of ``x`` into ``out``, which has :func:`size` bytes."""
    out[: scale.itemsize] = np.frombuffer(scale.tobytes(), np.uint8)
    out[scale.itemsize :] = np.packbits(x >= 0, bitorder="little")


def decode(message: Bytes, like: Vector) -> Vector:
    """What is read from the message of as many entries as ``like`` has, of its type."""
    width = like.itemsize
    scale = message[:width].copy().view(like.dtype)
    signs = np.unpackbits(message[width:], count=like.size, bitorder="little")
    return np.concatenate([-scale, scale])[signs]
