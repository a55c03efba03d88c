"""QSGD on mpi4py: norm, signs and levels drawn by chance, gathered from all ranks and added up by each [QSGD]_.

A rank rounds each entry, in units of its norm over ``levels``, to one of the two levels beside it by chance, so
that it is right in expectation.  It sends its unit and all codes to every other rank; each adds up what it
reads from all, its own codes included, in the order of ranks, so that all ranks hold the same bits.

A message is the unit, in the vector's type, then for each entry a number
(:mod:`sparring.impl.codecs.integer_bytes`): the level, and above it a bit that is set below 0.  Chances are hashes
(:mod:`sparring.impl.core.counter_rng`) of the seed, the call, the rank and the index, to 53 bits.

.. [QSGD] D. Alistarh, D. Grubic, J. Li, R. Tomioka and M. Vojnovic, "QSGD: Communication-efficient SGD via gradient
   quantization and encoding", NeurIPS 2017, arXiv:1610.02132.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs import integer_bytes
from sparring.impl.codecs.sign_codec import folded
from sparring.impl.core.alltoall import exchanged
from sparring.impl.core.counter_rng import BLOCK, drawn, rounded
from sparring.impl.core.residual_state import Keeping
from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = 1 << 16
"""There are at most so many levels."""


class Allreduce(Keeping):
    """About the sum of vectors of ``n`` entries, float32 or float64, right in expectation.

    ``levels``: what a vector's norm is in units, 1 to 65536; ``seed``: of the chances, 0 or more; ``by_max``: 1
    where the norm is the greatest magnitude, 0 for the root of the sum of squares.  All are the same on every
    rank, as is ``n``.  It counts its calls, so that each draws other chances.

    Made collectively.  With ``validate``, one exchange of a few integers a rank makes sure of that,
    here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, levels: int = 4, seed: int = 0, by_max: int = 0, validate: bool = True
    ) -> None:
        numbers = {"levels": (levels, 1), "seed": (seed, 0), "by_max": (by_max, 0)}
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate)
        if levels > MOST:
            raise InputError(f"levels = {levels}: there must be 1 to {MOST}")
        if by_max > 1:
            raise InputError(f"by_max = {by_max}: it must be 0 or 1")
        self._levels, self._seed, self._by_max, self._calls = int(levels), int(seed), bool(by_max), 0

    def __call__(self, x: Vector, /) -> Vector:
        """About the sum of all ranks' ``x``, the same bits on every rank.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in each call; it stays as
        it is.  Where a rank has NaN or infinities, or its norm overflows, all of the result is NaN.
        Raises InputError for other vectors.
        """
        self._admitted(x)  # nothing waits: all calls need one dtype
        p, r = self._comm.Get_size(), self._comm.Get_rank()
        y = np.zeros_like(x)  # so that no sum of zeros has a sign
        with np.errstate(all="ignore"):
            mine = self._coded(x)
            octets = size(x.size, self._levels, x.itemsize)
            coming = [mine if q == r else np.empty(octets, np.uint8) for q in range(p)]
            for q in exchanged(self._comm, [mine] * p, coming):
                y += read(coming[q], x, self._levels)
        self._calls += 1
        return y

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which has a norm")

    def _coded(self, x: Vector) -> Bytes:
        """The message of this rank's vector."""
        one, levels = unit(x, self._levels, self._by_max), np.zeros(x.size, np.int64)
        for i in range(0, x.size, BLOCK):
            some = slice(i, min(i + BLOCK, x.size))
            chance = drawn(self._seed, self._calls, self._comm.Get_rank(), np.arange(some.start, some.stop))
            levels[some] = rounded(np.abs(x[some]) / one, chance, self._levels)
        sign = self._levels.bit_length()
        levels |= (x < 0).astype(np.int64) << sign
        return np.concatenate([np.frombuffer(one.tobytes(), np.uint8), integer_bytes.packed(levels, sign + 1)])


def allreduce(
    comm: Intracomm, x: Vector, /, *, levels: int = 4, seed: int = 0, by_max: int = 0, validate: bool = True
) -> Vector:
    """One call of a new :class:`Allreduce`.  Collective."""
    return Allreduce(comm, np.size(x), levels=levels, seed=seed, by_max=by_max, validate=validate)(x)


def size(c: Any, levels: int, width: int) -> Any:
    """How many bytes the message of ``c`` entries of ``width`` bytes has."""
    return width + integer_bytes.size(c, levels.bit_length() + 1)


def unit(x: Vector, levels: int, by_max: bool) -> Any:
    """A level of ``x``; NaN where that is no finite number."""
    if not x.size:
        return x.dtype.type(0)
    sizes = np.abs(x, out=np.empty(x.size), dtype=np.float64)
    norm = sizes.max() if by_max else np.sqrt(folded(np.multiply(sizes, sizes, out=sizes))).item()
    found = x.dtype.type(norm / levels)
    return found if np.isfinite(found) else x.dtype.type(np.nan)


def read(message: Bytes, like: Vector, levels: int) -> Vector:
    """What is read from the message of as many entries as ``like`` has, of its type."""
    (one,), sign = message[: like.itemsize].copy().view(like.dtype), levels.bit_length()
    numbers = integer_bytes.unpacked(message[like.itemsize :], like.size, sign + 1)
    found: Vector = np.multiply(numbers & (1 << sign) - 1, one, dtype=like.dtype, casting="unsafe")
    return np.negative(found, where=numbers >> sign != 0, out=found)
