"""Whole numbers as differences from one to the next, in blocks that are each as wide as their largest needs [HZ24]_.

| bytes                  | what                                                                               |
|------------------------|------------------------------------------------------------------------------------|
| ``m``                  | of ``m`` blocks of 32 numbers each: the bits of a code in it, one byte a block     |
| ``4 b`` for each block | its codes of ``b`` bits, in planes of 8, 8, ... bits, the lowest first, and of the |
|                       | rest in planes of 4, 2 and 1 bits                                                 |

A number's code is ``2 d`` where it is ``d >= 0`` more than the one before, or than 0, else ``-2 d - 1``.  Codes after
the last number are 0.  No length is told: both sides know how many numbers there are.

.. [HZ24] J. Huang, S. Di, X. Yu, Y. Zhai, J. Liu, Z. Jian, X. Liang, K. Zhao, X. Lu, Z. Chen, F. Cappello, Y. Guo and
   R. Thakur, "hZCCL: Accelerating collective communication with co-designed homomorphic compression", SC 2024,
   doi:10.1109/SC41406.2024.00110.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.codecs.bit_planes import EIGHT, spread, squeezed
from sparring.impl.codecs.bit_planes import widths as parts
from sparring.impl.codecs.integer_bytes import Wholes, widths
from sparring.impl.core.wire import Bytes

SIZE = 32
"""The numbers of a block: a multiple of eight, so that each plane fills its bytes."""


def room(c: Any, bits: Any) -> Any:
    """The most bytes of a message of ``c`` numbers whose codes have at most so many bits."""
    blocks = (c + SIZE - 1) // SIZE
    return blocks + SIZE // EIGHT * (bits * blocks)


def encode(q: Wholes) -> Bytes:
    """The message of ``q``."""
    rows = np.zeros((-(-q.size // SIZE), SIZE), np.int64)
    rows.reshape(-1)[: q.size] = np.diff(q, prepend=0)
    np.bitwise_xor(rows << 1, rows >> 63, out=rows)
    bits = np.frexp(rows.max(axis=1, initial=0).astype(np.float64))[1].astype(np.uint8)
    message = np.empty(bits.size + SIZE // EIGHT * int(bits.sum(dtype=np.int64)), np.uint8)
    message[: bits.size] = bits
    for alike, at in places(bits):
        done, begin = 0, 0
        for part in planes(int(bits[alike[0]])):
            some = (rows[alike] >> done & (1 << part) - 1).astype(np.uint8).reshape(-1)
            packed = (some if part == EIGHT else squeezed(some, part)).reshape(alike.size, -1)
            message[at + np.arange(begin, begin + packed.shape[1])] = packed
            done, begin = done + part, begin + packed.shape[1]
    return message


def decode(message: Bytes, c: int) -> Wholes:
    """The ``c`` numbers that are read from the front of ``message``."""
    bits = message[: -(-c // SIZE)]
    rows = np.zeros((bits.size, SIZE), np.int64)
    for alike, at in places(bits):
        done, begin = 0, 0
        for part in planes(int(bits[alike[0]])):
            packed = message[at + np.arange(begin, begin + SIZE * part // EIGHT)].reshape(-1)
            some = packed if part == EIGHT else spread(packed, part)
            rows[alike] |= some.reshape(alike.size, SIZE).astype(np.int64) << done
            done, begin = done + part, begin + SIZE * part // EIGHT
    np.bitwise_xor(rows >> 1, -(rows & 1), out=rows)
    return np.cumsum(rows.reshape(-1)[:c])


def planes(bits: int) -> Iterator[int]:
    """The bits of each plane of codes of so many bits."""
    return (part for width in widths(bits) for part in parts(width))


def places(bits: Bytes) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each number of bits, the blocks of that many, and, one a row, where each begins in the message."""
    begins = bits.size + np.cumsum(SIZE // EIGHT * bits.astype(np.int64)) - SIZE // EIGHT * bits.astype(np.int64)
    for width in np.unique(bits[bits > 0]):
        alike = np.flatnonzero(bits == width)
        yield alike, begins[alike, None]
