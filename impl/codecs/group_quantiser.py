"""Vectors as codes of a few bits, in groups: the quantiser of Flash Communication [FC]_.

Each group of ``g`` entries is told by its least entry, ``low``, by a step, ``(greatest - low) / (2**bits - 1)``,
and for each entry by how many steps it lies above ``low``, rounded, ties to the even number.  With spikes
[FC2]_ its least and greatest entries, the first of equal ones, are told as they are, with their places, and
the rest by what is least and greatest there.  A group with NaN, with infinities or with a range that is no
number is NaN.

| bytes                | what                                                                        |
|----------------------|-----------------------------------------------------------------------------|
| ``w m``              | ``low`` of each of the ``m`` groups, ``w`` bytes, in the vector's type      |
| ``w m``              | their steps                                                                 |
| spikes:              |                                                                             |
| ``w m``, ``w m``     | their least entries, their greatest                                         |
| ``i m``, ``i m``     | the places of these in their groups, of 1, 2 or 4 bytes as ``g`` needs      |
| ``ceil(c bits / 8)`` | the ``c`` codes in planes (:mod:`sparring.impl.codecs.bit_planes`), each of whole |
|                      | bytes: a few more where ``bits`` is no power of two                         |

The public accounts give steps and zeros 16 bits; here they have the vector's type, without which no
error is bounded by a group's range.  No length is told: both sides know it.

Blocks of some 100,000 entries are gone through one after the other, so that what is between a vector and
its codes stays in the processor's cache.

.. [FC] Q. Li, B. Zhang, L. Ye, Y. Zhang, W. Wu, Y. Sun, L. Ma and Y. Xie, "Flash Communication",
   arXiv:2412.04964, 2024.
.. [FC2] Q. Li, B. Zhang, S. Kang, L. Xu, X. Qian, Y. Xie and L. Ma, "Flash Communication V2",
   arXiv:2508.03760, 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, pairwise
from math import gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.impl.codecs import bit_planes
from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

Places = NDArray[np.intp]

BLOCK = 1 << 18
"""So many entries are looked at together, or the groups that eight codes begin a byte with, if these are more."""


class Groups(NamedTuple):
    """What a message tells of groups, as views: ``low``, ``step``; with spikes their values and places."""

    low: Vector
    step: Vector
    spikes: tuple[Vector, ...]
    places: tuple[Vector, ...]

    def some(self, i: int, j: int) -> Groups:
        """Those from the ``i``-th on and before the ``j``-th."""
        spikes, places = (tuple(x[i:j] for x in kind) for kind in (self.spikes, self.places))
        return Groups(self.low[i:j], self.step[i:j], spikes, places)


class Quantiser:
    """Codes of ``bits`` bits for vectors of a dtype, float32 or float64, in groups of ``g`` entries.

    ``spikes``: whether a group's extremes are told as they are.  It has memory for a block, so one may
    not be used in two threads.
    """

    def __init__(self, dtype: np.dtype[Any], *, bits: int, g: int, spikes: bool) -> None:
        self._dtype, self._bits, self._g, self._spikes = dtype, bits, g, spikes
        self._most = dtype.type((1 << bits) - 1)
        together = bit_planes.EIGHT // gcd(bit_planes.EIGHT, g)
        self._groups = max(1, BLOCK // (g * together)) * together
        self._place = np.dtype(next(f"<u{w}" for w in (1, 2, 4) if g <= 1 << 8 * w))

    @cached_property
    def _room(self) -> tuple[Vector, Vector, Bytes]:
        """Memory for a block: in steps, as a vector without its spikes, and in codes."""
        block = self._groups * self._g
        return np.empty(block, self._dtype), np.empty(block, self._dtype), np.empty(block, np.uint8)

    def size(self, c: int) -> int:
        """How many bytes the message of ``c`` entries has."""
        return self._begins(c)[-1] + bit_planes.size(c, self._bits)

    def _begins(self, c: int) -> list[int]:
        """Where in a message each kind of what is told of groups begins, and where the codes do."""
        m, w = -(-c // self._g), self._dtype.itemsize
        each = [w] * 4 + [self._place.itemsize] * 2 if self._spikes else [w] * 2
        return [*accumulate((m * width for width in each), initial=0)]

    def _parts(self, message: Bytes, c: int) -> tuple[Groups, Bytes]:
        """What a message of ``c`` entries tells of its groups, and its codes: views."""
        begins = self._begins(c)
        kinds = [message[i:j] for i, j in pairwise(begins)]
        low, step, *spikes = (kind.view(self._dtype) for kind in kinds[:4])
        return Groups(low, step, tuple(spikes), tuple(x.view(self._place) for x in kinds[4:])), message[begins[-1] :]

    def blocks(self, c: int) -> Iterator[slice]:
        """The blocks of ``c`` entries, of which each but the last begins and ends with whole groups and bytes."""
        step = self._groups * self._g
        return (slice(i, min(i + step, c)) for i in range(0, c, step))

    def encode(self, x: Vector, out: Bytes) -> None:
        """Writes the message of ``x`` into ``out``, which has :meth:`size` bytes."""
        for block in self.blocks(x.size):
            self.encode_block(x[block], out, x.size, block.start)

    def decode(self, message: Bytes, out: Vector) -> None:
        """Fills ``out`` with what is read from a message."""
        for block in self.blocks(out.size):
            self.decode_block(message, out[block], out.size, block.start)

    def encode_block(self, x: Vector, out: Bytes, c: int, first: int) -> None:
        """Writes the block ``x`` of ``c`` entries, which begins with the ``first``-th, into their message."""
        told, coded = self._parts(out, c)
        codes = bit_planes.room(coded, self._room[2][: x.size], first, self._bits)
        with np.errstate(all="ignore"):  # NaN, infinities and ranges that overflow are looked for
            for i, j in self._rows(x.size):
                group = (first + i) // self._g
                self._encoded(x[i:j], told.some(group, group + max(1, (j - i) // self._g)), codes[i:j])
        bit_planes.pack(codes, coded, c, first, self._bits)

    def decode_block(self, message: Bytes, out: Vector, c: int, first: int) -> None:
        """Fills the block ``out`` of ``c`` entries, which begins with the ``first``-th, from their message."""
        told, coded = self._parts(message, c)
        codes = bit_planes.room(coded, self._room[2][: out.size], first, self._bits)
        bit_planes.unpack(coded, codes, c, first, self._bits)
        with np.errstate(all="ignore"):
            for i, j in self._rows(out.size):
                group = (first + i) // self._g
                self._decoded(codes[i:j], told.some(group, group + max(1, (j - i) // self._g)), out[i:j])

    def _rows(self, c: int) -> Iterator[tuple[int, int]]:
        """From where to where there are whole groups in a block, and where the group that is not."""
        whole = c - c % self._g
        return ((i, j) for i, j in ((0, whole), (whole, c)) if i < j)

    def _encoded(self, x: Vector, told: Groups, codes: Bytes) -> None:
        """Tells of groups of one length, and gives their codes."""
        m = told.low.size
        high = self._extremes(x, told)
        wrong = ~np.isfinite(np.subtract(high, told.spikes[0] if self._spikes else told.low))
        high = self._without_spikes(x, told) if self._spikes else high
        np.divide(np.subtract(high, told.low, out=told.step), self._most, out=told.step)
        steps = self._room[0][: x.size].reshape(m, -1)
        np.subtract(x.reshape(m, -1), told.low[:, None], out=steps)
        np.divide(steps, np.where(told.step > 0, told.step, 1)[:, None], out=steps)
        self._rounded(steps)
        if (told.step < np.finfo(self._dtype).tiny).any():  # others are rounded so finely that none is above
            np.minimum(steps, self._most, out=steps)
        for at in told.places:
            self._room[0][begins(x, told) + at] = 0
        if wrong.any():
            self._poison(told, wrong)
            steps[wrong] = 0
        np.copyto(codes.reshape(m, -1), steps, casting="unsafe")

    def _rounded(self, steps: Vector) -> None:
        """Rounds to whole numbers, ties to the even one."""
        np.rint(steps, out=steps)

    def _extremes(self, x: Vector, told: Groups) -> Vector:
        """Tells each group's least entry, with spikes both extremes and where they are; the greatest."""
        starts = begins(x, told)
        found = extremes(x, starts)
        low, high = (unsigned(x[at]) for at in found)
        if not self._spikes:
            told.low[...] = low
            return high
        for at, place, spikes, extreme in zip(found, told.places, told.spikes, (low, high)):
            spikes[...] = extreme
            place[...] = at - starts
        return high

    def _without_spikes(self, x: Vector, told: Groups) -> Vector:
        """Tells the least of each group's other entries, or its least where there are none; the greatest of them.

        In a copy one of the others takes the place of both spikes.
        """
        starts, others, (a, b) = begins(x, told), self._room[1][: x.size], told.places
        others[...] = x
        other = np.where((a != 0) & (b != 0), 0, np.where((a != 1) & (b != 1), 1, 2))
        alone = other >= x.size // starts.size
        other[alone] = 0
        others[starts + a] = others[starts + b] = others[starts + other]
        low, high = (unsigned(others[at]) for at in extremes(others, starts))
        low[alone] = high[alone] = told.spikes[0][alone]
        told.low[...] = low
        return high

    def _poison(self, told: Groups, wrong: NDArray[np.bool_]) -> None:
        """Tells of some groups that all their entries are NaN."""
        for kind in (told.low, told.step, *told.spikes):
            kind[wrong] = np.nan
        for at in told.places:
            at[wrong] = 0

    def _decoded(self, codes: Bytes, told: Groups, out: Vector) -> None:
        """Entries of groups of one length."""
        rows = out.reshape(told.low.size, -1)
        rows[...] = codes.reshape(rows.shape)
        np.multiply(rows, told.step[:, None], out=rows)
        np.add(rows, told.low[:, None], out=rows)
        for at, spikes in zip(told.places, told.spikes):
            out[begins(out, told) + at] = spikes


def begins(x: Vector, told: Groups) -> Places:
    """Where groups of one length begin in ``x``."""
    return np.arange(0, x.size, x.size // told.low.size)


def extremes(x: Vector, starts: Places) -> tuple[Places, Places]:
    """Where the least and the greatest of each stretch of ``x`` are, the first of equal ones; both at NaN if any is.

    Stretches are of one length.
    """
    rows = x.reshape(starts.size, -1)
    return rows.argmin(axis=1) + starts, rows.argmax(axis=1) + starts


def unsigned(x: Vector) -> Vector:
    """The same entries, each zero as +0.0."""
    same: Vector = np.add(x, x.dtype.type(0))
    return same
