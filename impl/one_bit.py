"""1-bit allreduce on mpi4py: signs and scales in two steps, with error feedback on both sides [TG21]_.

A rank adds to its vector what its codes left out before.  All ranks send each other signs of their copies of
each other's blocks, with the scale of their whole vectors; a rank averages what it reads of its block, its
own codes included, in the order of ranks, and adds what its codes of this block left out before.  Then each
sends signs and a scale of that to all others, and takes what is read from them itself, so that all ranks
hold the same bits.  What a message holds is told in :mod:`sparring.impl.codecs.sign_codec`.

A rank sends ``p - 1`` messages in each step: of float32 about a 32nd of the bytes that a ring sends.

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs import sign_codec
from sparring.impl.core.alltoall import above, begin, below, exchanged
from sparring.impl.core.residual_state import Keeping
from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

__all__ = ["Allreduce", "above", "begin", "below"]


class Allreduce(Keeping):
    """About the mean of vectors of ``n`` entries, float32 or float64; what codes leave out waits for the next call.

    ``norm``: 2 for the published scale, the root of the mean square; 1 for the mean magnitude.  Both are
    the same on every rank, as is ``n``.

    Made collectively.  With ``validate``, one exchange of a few integers a rank makes sure of that,
    here and in each call; without it ranks that differ hang or compute nonsense.
    """

    def __init__(self, comm: Intracomm, n: int, *, norm: int = 2, validate: bool = True) -> None:
        super().__init__(comm, n, {"norm": (norm, 1)}, allow_nan=True, validate=validate)
        if norm > 2:
            raise InputError(f"norm = {norm}: it must be 1 or 2")
        self._norm = int(norm)
        self._server: Vector | None = None

    @property
    def server_residual(self) -> Vector | None:
        """What this rank's codes of its block's mean left out so far; None before the first call.  A copy."""
        return None if self._server is None else self._server.copy()

    def __call__(self, x: Vector, /) -> Vector:
        """What all ranks read of the mean of ``x`` plus errors, the same bits on every rank.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in each call; it stays as
        it is.  Where a rank has NaN or infinities, or its squares overflow, all of the result is NaN, and
        its errors are zero.  Raises InputError for other vectors.
        """
        with np.errstate(all="ignore"):
            return self._called(self._taken(x))

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which has halves")

    def _called(self, m: Vector) -> Vector:
        """The result of a call on ``m``, which becomes this rank's error."""
        p, r, n = self._comm.Get_size(), self._comm.Get_rank(), self._n
        blocks = [slice(begin(c, n, p), begin(c + 1, n, p)) for c in range(p)]
        mean = self._averaged([m[block] for block in blocks], sign_codec.scale(m, self._norm))
        if self._server is None:
            self._server = np.zeros_like(mean)
        self._server += mean
        code = coded(self._server, sign_codec.scale(self._server, self._norm))
        y = np.empty_like(m)
        coming = [code if q == r else room(y[block]) for q, block in enumerate(blocks)]
        for q in exchanged(self._comm, [code] * p, coming):
            y[blocks[q]] = sign_codec.decode(coming[q], y[blocks[q]])
        np.add(y, y.dtype.type(0), out=y)  # a scale of zero has no sign
        return y

    def _averaged(self, pieces: list[Vector], scale: Any) -> Vector:
        """The mean of all ranks' copies of this rank's piece, as they are read; ``pieces`` become what is left."""
        p, r = self._comm.Get_size(), self._comm.Get_rank()
        going = [coded(piece, scale) for piece in pieces]
        coming = [going[r] if q == r else room(pieces[r]) for q in range(p)]
        total = np.zeros_like(pieces[r])
        for q in exchanged(self._comm, going, coming):
            total += sign_codec.decode(coming[q], pieces[r])
        return np.divide(total, p, out=total)


def allreduce(comm: Intracomm, x: Vector, /, *, norm: int = 2, validate: bool = True) -> Vector:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    return Allreduce(comm, np.size(x), norm=norm, validate=validate)(x)


def room(like: Vector) -> Bytes:
    """Room for the message of a piece such as this."""
    return np.empty(sign_codec.size(like.size, like.itemsize), np.uint8)


def coded(x: Vector, scale: Any) -> Bytes:
    """The message of ``x``, which becomes what its codes leave out; zeros where the scale is NaN."""
    message = room(x)
    sign_codec.encode(x, scale, message)
    if np.isnan(scale):
        x[...] = 0
    else:
        np.subtract(x, sign_codec.decode(message, x), out=x)
    return message
