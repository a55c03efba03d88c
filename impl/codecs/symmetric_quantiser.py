"""Vectors as codes of a few bits with a sign, in blocks: the quantiser of qgZ [ZPP]_.

Each block of ``g`` entries is told by its step, its greatest magnitude over ``2**(bits - 1)``, and each entry by how
many steps it has, rounded, ties to the even number, from ``-2**(bits - 1)`` to ``2**(bits - 1) - 1``.  A block with NaN
or infinities is NaN.

| bytes                   | what                                                                      |
|-------------------------|---------------------------------------------------------------------------|
| ``w m``                 | the steps of the ``m`` blocks, ``w`` bytes each, in the vector's type     |
| ``m ceil(g bits / 8)``  | the codes of each block, in two's complement; the first of two is the low |
|                         | half of a byte.  The last block is filled up with zeros.                  |

.. [ZPP] G. Wang, H. Qin, S. A. Jacobs, C. Holmes, S. Rajbhandari, O. Ruwase, F. Yan, L. Yang and Y. He, "ZeRO++:
   Extremely efficient collective communication for giant model training", arXiv:2306.10209, 2023.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

BYTE, HALF, LOW = 8, 4, np.uint8(15)
"""Bits of a byte and of half of one; and its low half."""


class Quantiser:
    """Codes of ``bits`` bits, 4 or 8, for vectors of a dtype, float32 or float64, in blocks of ``g`` entries."""

    def __init__(self, dtype: np.dtype[Any], *, bits: int, g: int) -> None:
        self._dtype, self._bits, self._g, self._half = dtype, bits, g, 1 << (bits - 1)
        self._octets = -(-g * bits // BYTE)

    def size(self, c: Any) -> Any:
        """How many bytes the message of ``c`` entries has."""
        return -(-c // self._g) * (self._dtype.itemsize + self._octets)

    def encode(self, x: Vector, out: Bytes) -> None:
        """Writes the message of ``x`` into ``out``, which has :meth:`size` bytes."""
        step, codes = self._parts(out)
        rows = np.zeros((step.size, self._octets * BYTE // self._bits), self._dtype)
        rows[:, : self._g].flat[: x.size] = x
        with np.errstate(all="ignore"):  # NaN and infinities are looked for
            most = np.abs(rows).max(axis=1)
            step[...] = np.where(np.isfinite(most), most / self._dtype.type(self._half), np.nan)
            np.divide(rows, np.where(step > 0, step, np.inf)[:, None], out=rows)
        np.rint(rows, out=rows)
        rows[~np.isfinite(step)] = 0
        np.clip(rows, -self._half, self._half - 1, out=rows)
        numbers = rows.astype(np.int8).view(np.uint8)
        codes[...] = numbers if self._bits == BYTE else numbers[:, ::2] & LOW | numbers[:, 1::2] << HALF

    def decode(self, message: Bytes, out: Vector) -> None:
        """Fills ``out`` with what is read from a message."""
        step, codes = self._parts(message)
        numbers = codes
        if self._bits == HALF:
            numbers = np.stack([codes & LOW, codes >> HALF], axis=2).reshape(step.size, 2 * self._octets)
        signed = (numbers[:, : self._g] ^ np.uint8(self._half)).astype(np.int16) - self._half
        out[...] = (signed.astype(self._dtype) * step[:, None]).flat[: out.size]

    def _parts(self, message: Bytes) -> tuple[Vector, Bytes]:
        """A message's steps and the codes of each block: views."""
        m = message.size // (self._dtype.itemsize + self._octets)
        told = m * self._dtype.itemsize
        return message[:told].view(self._dtype), message[told:].reshape(m, self._octets)
