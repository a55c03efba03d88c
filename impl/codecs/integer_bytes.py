"""Whole numbers of any width as bytes: planes of eight bits each, lowest first.

The last plane is of the rest, if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.codecs import bit_planes
from sparring.impl.core.wire import Bytes

Wholes = NDArray[np.int64]


def widths(bits: int) -> list[int]:
    """Of a number's parts, from its lowest bits up."""
    rest = bits % bit_planes.EIGHT
    return [bit_planes.EIGHT] * (bits // bit_planes.EIGHT) + ([rest] if rest else [])


def size(c: Any, bits: int) -> Any:
    """How many bytes ``c`` numbers take."""
    return sum((c * part + 7) // 8 for width in widths(bits) for part in bit_planes.widths(width))


def packed(numbers: Wholes, bits: int) -> Bytes:
    """Numbers below ``2**bits`` as bytes."""
    out, begin = np.empty(size(numbers.size, bits), np.uint8), 0
    for i, width in enumerate(widths(bits)):
        some = out[begin : begin + bit_planes.size(numbers.size, width)]
        part = (numbers >> bit_planes.EIGHT * i & (1 << width) - 1).astype(np.uint8)
        if width == bit_planes.EIGHT:
            some[...] = part
        else:
            bit_planes.pack(part, some, numbers.size, 0, width)
        begin += some.size
    return out


def unpacked(message: Bytes, c: int, bits: int) -> Wholes:
    """The ``c`` numbers that :func:`packed` put there."""
    found, begin = np.zeros(c, np.int64), 0
    for i, width in enumerate(widths(bits)):
        some = message[begin : begin + bit_planes.size(c, width)]
        part = some if width == bit_planes.EIGHT else np.empty(c, np.uint8)
        if width < bit_planes.EIGHT:
            bit_planes.unpack(some, part, c, 0, width)
        found |= part.astype(np.int64) << bit_planes.EIGHT * i
        begin += some.size
    return found
