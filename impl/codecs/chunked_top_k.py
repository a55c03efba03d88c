"""Vectors as the largest entries of each chunk, with their places: the codes of DeMo [PQK24]_ and SparseLoCo [S25]_.

Of each chunk of ``chunk`` entries, the last filled up with zeros, the ``top`` largest are told, ``m`` in all: of equal
magnitudes the lower places, NaN first.

A message has the ``m`` places in their chunks, ascending, of 1, 2 or 4 bytes as ``chunk`` needs.  Then, without
``bits``, the ``m`` entries in the vector's type; else the message of these entries, of which those of a chunk are a
group, its last one told again until codes fill bytes (:mod:`sparring.impl.codecs.group_quantiser`).

No length is told: both sides know it.

.. [PQK24] B. Peng, J. Quesnelle and D. P. Kingma, "DeMo: decoupled momentum optimization", arXiv:2411.19870, 2024.
.. [S25] A. Sarfi, B. Thérien, J. Lidin and E. Belilovsky, "Communication efficient LLM pre-training with SparseLoCo",
   arXiv:2508.15706, 2025.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.codecs.group_quantiser import Quantiser
from sparring.impl.core.selection import magnitudes
from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes


class ChunkedTopK:
    """Codes of vectors of ``n`` entries, float32 or float64; ``bits``: of a code, 0 for entries as they are."""

    def __init__(self, n: int, dtype: np.dtype[Any], *, chunk: int, top: int, bits: int) -> None:
        self._n, self._dtype, self._chunk, self._group = n, dtype, chunk, min(top, chunk)
        self._filled = -(-self._group // 8) * 8 if bits else self._group
        many: int = chunks(n, chunk)
        self._m, self._codes = many * self._group, many * self._filled
        self._place = np.dtype(next(f"<u{w}" for w in (1, 2, 4) if chunk <= 1 << 8 * w))
        self._quantiser = Quantiser(dtype, bits=bits, g=self._filled, spikes=False) if bits else None

    @property
    def size(self) -> int:
        """How many bytes a message has."""
        entries = self._quantiser.size(self._codes) if self._quantiser else self._m * self._dtype.itemsize
        return self._m * self._place.itemsize + entries

    def _full(self, x: Vector) -> Vector:
        """A matrix of all chunks, with one kind of NaN and zeros at its end."""
        full = np.zeros((chunks(self._n, self._chunk), self._chunk), self._dtype)
        full.ravel()[: self._n] = x
        full[np.isnan(full)] = np.nan
        return full

    def encode(self, x: Vector) -> Bytes:
        """The message of ``x``."""
        full, out, cut = self._full(x), np.empty(self.size, np.uint8), self._m * self._place.itemsize
        places = largest(magnitudes(full), self._group)
        filled = np.concatenate([places, places[:, -1:].repeat(self._filled - self._group, axis=1)], axis=1)
        entries = np.take_along_axis(full, filled, axis=1).ravel()
        out[:cut] = places.astype(self._place).ravel().view(np.uint8)
        if self._quantiser:
            self._quantiser.encode(entries, out[cut:])
        else:
            out[cut:] = entries.view(np.uint8)
        return out

    def decode(self, message: Bytes) -> Vector:
        """What is read from a message."""
        cut, entries = self._m * self._place.itemsize, np.empty(self._codes, self._dtype)
        places = message[:cut].copy().view(self._place).astype(np.intp)
        if self._quantiser:
            self._quantiser.decode(message[cut:], entries)
        else:
            entries.view(np.uint8)[:] = message[cut:]
        full = np.zeros((chunks(self._n, self._chunk), self._chunk), self._dtype)
        rows = entries.reshape(-1, self._filled)[:, : self._group]
        np.put_along_axis(full, places.reshape(-1, self._group), rows, axis=1)
        return full.ravel()[: self._n]


def chunks(n: Any, chunk: int) -> Any:
    """How many there are, the last filled up."""
    return -(-n // chunk)


def largest(size: NDArray[Any], top: int) -> NDArray[np.intp]:
    """By row the places of the ``top`` largest, ascending; of equal ones the lower."""
    order = np.argsort(np.iinfo(size.dtype).max - size, axis=1, kind="stable")
    return np.sort(order[:, :top], axis=1)
