"""SparseLoCo on mpi4py: ranks train apart; of their ways the largest entries of each chunk are sent, in codes [S25]_.

A rank adds its way back to what it has not sent so far, of which a part fades, and sends all others the largest entries
of each chunk (:mod:`sparring.impl.codecs.chunked_top_k`).  It reads what all send, in the order of ranks, its own
included, and takes the outer step, with the same bits everywhere.

.. [S25] A. Sarfi, B. Thérien, J. Lidin and E. Belilovsky, "Communication efficient LLM pre-training with SparseLoCo",
   arXiv:2508.15706, 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs.chunked_top_k import ChunkedTopK
from sparring.impl.core.alltoall import exchanged
from sparring.impl.core.residual_state import Keeping, whole
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

WHOLE = 1000
"""Thousandths."""
MOST = {"decay": WHOLE, "chunk": 1 << 32, "top": 1 << 32, "bits": 8}
"""What these may be at most."""


class Allreduce(Keeping):
    """Outer steps of ``n`` parameters, float32 or float64, told as distances from where training begins.

    ``rate``: of the outer step; ``decay``: what counts on of what waits, both in thousandths, ``decay`` at most 1000.
    ``chunk``: entries of a chunk, of which the ``top`` largest are sent; ``bits``: of a code, at most 8, 0
    for entries as they are.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few integers a rank
    makes sure of that, here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, rate: int = 1000, decay: int = 950, chunk: int = 4096, top: int = 64,
        bits: int = 2, validate: bool = True,
    ) -> None:
        numbers = {"rate": (rate, 0), "decay": (decay, 0), "chunk": (chunk, 1), "top": (top, 1), "bits": (bits, 0)}
        fault = above(numbers)
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=fault)
        self._rate, self._decay = int(rate), int(decay)
        self._codes = {"chunk": int(chunk), "top": int(top), "bits": int(bits)}
        self._point: Vector | None = None

    @property
    def point(self) -> Vector | None:
        """Where all ranks begin the next inner steps, not to be written to; None before the first call."""
        return self._point

    def __call__(self, x: Vector, /) -> Vector:
        """Where all ranks go on, the same bits on every rank.  Collective.

        ``x``: where this rank has come by its inner steps, a contiguous vector of ``n`` entries, the same dtype in
        all calls; it stays as it is.  It began where the call before led to, at first at zero.
        """
        waiting = self._admitted(x)
        point = np.zeros_like(x) if self._point is None else self._point
        with np.errstate(over="ignore", invalid="ignore"):
            waiting[:] = (waiting * self._decay + (point - x) * WHOLE) / WHOLE
            mean = self._summed(waiting) / self._comm.Get_size()
            self._point = point - mean * self._rate / WHOLE
        return self._point.copy()

    def _summed(self, waiting: Vector) -> Vector:
        """What is read of all ranks; ``waiting`` becomes what is not read of it."""
        code = ChunkedTopK(self._n, waiting.dtype, **self._codes)
        p, r, mine = self._comm.Get_size(), self._comm.Get_rank(), code.encode(waiting)
        coming = [mine if q == r else np.empty(code.size, np.uint8) for q in range(p)]
        total = np.zeros_like(waiting)
        for q in exchanged(self._comm, [mine] * p, coming):
            total += code.decode(coming[q])
        np.subtract(waiting, code.decode(mine), out=waiting)
        return total

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, since means are divided")


def above(numbers: dict[str, Any]) -> str:
    """What is wrong with numbers that are larger than they may be; empty where nothing is."""
    for name, most in MOST.items():
        given, _ = numbers[name]
        if whole(given, most + 1):
            return f"{name} = {given}: it must be {most} or less"
    return ""


def allreduce(
    comm: Intracomm, x: Vector, /, *, rate: int = 1000, decay: int = 950, chunk: int = 4096, top: int = 64,
    bits: int = 2, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: the first outer step.  Collective."""
    made = Allreduce(comm, np.size(x), rate=rate, decay=decay, chunk=chunk, top=top, bits=bits, validate=validate)
    return made(x)
