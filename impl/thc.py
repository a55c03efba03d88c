"""Tensor homomorphic compression on mpi4py: codes on one common grid are added up as whole numbers [THC]_.

All ranks tell each other the least and the greatest of their entries and make one grid of all.  A rank
rounds each entry to one of the two points beside it, by chance, so that it is right in expectation.  Codes
of ``bits`` bits of all blocks go to the blocks' ranks, which add them up and send the sums to all, in
``bits + ceil(log2(p))`` bits.  Sums of whole numbers have no order, so all ranks hold the same bits.

Chances are hashes (:mod:`sparring.impl.core.counter_rng`) of the seed, the call, the rank and the index, to 53
bits: a call can be run again.  What messages of numbers hold is told in :mod:`sparring.impl.codecs.integer_bytes`.

.. [THC] M. Li, R. Ben Basat, S. Vargaftik, C. Lao, K. Xu, M. Mitzenmacher and M. Yu, "THC: Accelerating distributed
   deep learning using tensor homomorphic compression", NSDI 2024, arXiv:2302.08545.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs import integer_bytes
from sparring.impl.codecs.integer_bytes import Wholes
from sparring.impl.core.alltoall import begin, exchanged
from sparring.impl.core.counter_rng import BLOCK, drawn, rounded
from sparring.impl.core.residual_state import Keeping
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

BITS = 8
"""A code has at most so many."""


class Allreduce(Keeping):
    """About the sum of vectors of ``n`` entries, float32 or float64, right in expectation.

    ``bits``: of a code, 1 to 8; ``seed``: of the chances, 0 or more.  Both are the same on every rank, as is
    ``n``.  It counts its calls, so that each draws other chances.

    Made collectively.  With ``validate``, one exchange of a few integers a rank makes sure of that,
    here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(self, comm: Intracomm, n: int, *, bits: int = 4, seed: int = 0, validate: bool = True) -> None:
        super().__init__(comm, n, {"bits": (bits, 1), "seed": (seed, 0)}, allow_nan=True, validate=validate)
        if bits > BITS:
            raise InputError(f"bits = {bits}: a code must have 1 to {BITS} bits")
        self._bits, self._seed, self._calls = int(bits), int(seed), 0

    def __call__(self, x: Vector, /) -> Vector:
        """About the sum of all ranks' ``x``, the same bits on every rank.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in each call; it stays as
        it is.  Where a rank has NaN or infinities, or the range overflows, all of the result is NaN.
        Raises InputError for other vectors.
        """
        self._admitted(x)  # nothing waits: all calls need one dtype
        with np.errstate(all="ignore"):
            low, step = self._grid(x)
            total = self._added(self._coded(x, low, step))
            p = x.dtype.type(self._comm.Get_size())
            y: Vector = np.multiply(total, step, dtype=x.dtype, casting="unsafe")
            np.add(low * p, y, out=y)
        self._calls += 1
        return y

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which lie between whole numbers")

    def _grid(self, x: Vector) -> tuple[Any, Any]:
        """What code 0 is read as, and the step, which is no finite number where there is no range."""
        p, r = self._comm.Get_size(), self._comm.Get_rank()
        every = np.zeros((p, 2), x.dtype)
        if x.size:
            ends = np.array([x.min(), x.max()], x.dtype)
            every[r] = ends + 0 if np.isfinite(ends).all() else np.nan
        rows = [row.view(np.uint8) for row in every]
        for _ in exchanged(self._comm, [rows[r]] * p, rows):
            pass
        low, high = every[:, 0].min(), every[:, 1].max()
        return low, (high - low) / most(self._bits)

    def _coded(self, x: Vector, low: Any, step: Any) -> Wholes:
        """The codes of this rank's vector."""
        codes = np.zeros(x.size, np.int64)
        for i in range(0, x.size, BLOCK):
            some = slice(i, min(i + BLOCK, x.size))
            chance = drawn(self._seed, self._calls, self._comm.Get_rank(), np.arange(some.start, some.stop))
            codes[some] = rounded((x[some] - low) / step, chance, most(self._bits))
        return codes

    def _added(self, codes: Wholes) -> Wholes:
        """The sums of all ranks' codes."""
        p, r, bits = self._comm.Get_size(), self._comm.Get_rank(), self._bits
        blocks = [slice(begin(c, codes.size, p), begin(c + 1, codes.size, p)) for c in range(p)]
        lengths = [block.stop - block.start for block in blocks]
        going = [integer_bytes.packed(codes[block], bits) for block in blocks]
        coming = [going[r] if q == r else np.empty_like(going[r]) for q in range(p)]
        total = np.zeros(lengths[r], np.int64)
        for q in exchanged(self._comm, going, coming):
            total += integer_bytes.unpacked(coming[q], lengths[r], bits)
        width = wide(bits, p)
        mine = integer_bytes.packed(total, width)
        sums = [mine if q == r else np.empty(integer_bytes.size(c, width), np.uint8) for q, c in enumerate(lengths)]
        for q in exchanged(self._comm, [mine] * p, sums):
            codes[blocks[q]] = integer_bytes.unpacked(sums[q], lengths[q], width)
        return codes


def allreduce(comm: Intracomm, x: Vector, /, *, bits: int = 4, seed: int = 0, validate: bool = True) -> Vector:
    """One call of a new :class:`Allreduce`.  Collective."""
    return Allreduce(comm, np.size(x), bits=bits, seed=seed, validate=validate)(x)


def most(bits: int) -> int:
    """The greatest code."""
    return (1 << bits) - 1


def wide(bits: int, p: int) -> int:
    """The bits of a sum of ``p`` codes."""
    return bits + (p - 1).bit_length()
