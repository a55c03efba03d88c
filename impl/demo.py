"""DeMo on mpi4py: momentum stays with each rank, and of it the strongest frequencies are sent [PQK24]_.

A rank adds its vector to its momentum, of which a part fades, and transforms that chunk by chunk.  It sends all others
the largest frequencies of each chunk (:mod:`sparring.impl.codecs.chunked_top_k`), and takes what they make out of its
momentum.  It adds up what all send, in the order of ranks, its own included, transforms the sum back, and takes its
signs, with the same bits everywhere.

Weights are made in double precision and rounded to the vector's type; products with a chunk are added in halves, the
upper to the lower.  The authors' program has matrices cut into squares, and divides a frequency's sum by how many ranks
sent it.

.. [PQK24] B. Peng, J. Quesnelle and D. P. Kingma, "DeMo: decoupled momentum optimization", arXiv:2411.19870, 2024;
   code: github.com/bloc97/DeMo.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.arc_top_k import halved
from sparring.impl.codecs.chunked_top_k import ChunkedTopK
from sparring.impl.core.alltoall import exchanged
from sparring.impl.core.residual_state import Keeping, whole
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

WHOLE = 1000
"""Thousandths."""
MOST = {"decay": WHOLE, "chunk": 1 << 10, "top": 1 << 10, "signs": 1}
"""What these may be at most."""


class Allreduce(Keeping):
    """Steps of momentum of ``n`` floats, float32 or float64, of which the strongest frequencies are sent.

    ``decay``: thousandths of a momentum that count on, at most 1000; ``chunk``: entries of a chunk, and ``top``: how
    many frequencies of it are sent, at most 1024 each; ``signs``: 1 for the sign of the sum, 0 for the sum itself.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few integers a rank
    makes sure of that, here and in each call; without it ranks that differ hang or compute nonsense.  ``residual`` is
    the momentum.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, decay: int = 999, chunk: int = 64, top: int = 8, signs: int = 1,
        validate: bool = True,
    ) -> None:
        numbers = {"decay": (decay, 0), "chunk": (chunk, 1), "top": (top, 1), "signs": (signs, 0)}
        over = (f"{name} = {given}: it must be {MOST[name]} or less" for name, (given, _) in numbers.items()
                if whole(given, MOST[name] + 1))
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=next(over, ""))
        self._decay, self._chunk, self._top, self._signs = int(decay), int(chunk), int(top), int(signs)

    def __call__(self, x: Vector, /) -> Vector:
        """Where all ranks go, the same bits on every rank.  Collective.

        ``x``: a contiguous vector of ``n`` entries, the same dtype in all calls; it stays as it is.
        """
        momentum = self._admitted(x)
        with np.errstate(over="ignore", invalid="ignore"):
            momentum[:] = (momentum * self._decay + x * WHOLE) / WHOLE
            y = transformed(self._summed(momentum), self._chunk, back=True)
        return np.sign(y) if self._signs else y

    def _summed(self, momentum: Vector) -> Vector:
        """All ranks' frequencies, as they are read; ``momentum`` loses what is read of its own."""
        code = ChunkedTopK(self._n, momentum.dtype, chunk=self._chunk, top=self._top, bits=0)
        p, r, mine = self._comm.Get_size(), self._comm.Get_rank(), code.encode(transformed(momentum, self._chunk))
        coming = [mine if q == r else np.empty(code.size, np.uint8) for q in range(p)]
        total = np.zeros_like(momentum)
        for q in exchanged(self._comm, [mine] * p, coming):
            total += code.decode(coming[q])
        np.subtract(momentum, transformed(code.decode(mine), self._chunk, back=True), out=momentum)
        return total

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, since frequencies are no integers")


@lru_cache(maxsize=8)
def weights(c: int) -> NDArray[np.float64]:
    """By frequency and entry, the weights of a chunk of ``c``."""
    scale = [math.sqrt(min(u + 1, 2) / c) for u in range(c)]
    return np.array([[scale[u] * math.cos(math.pi * ((2 * i + 1) * u % (4 * c)) / (2 * c)) for i in range(c)]
                     for u in range(c)])


def transformed(x: Vector, chunk: int, back: bool = False) -> Vector:
    """By chunk, its frequencies, or ``back`` from these; the last chunk may be shorter and has weights of its own."""
    y, many = np.empty_like(x), x.size // chunk * chunk
    for start, stop, c in ((0, many, chunk), (many, x.size, x.size - many)):
        if start == stop:
            continue
        by = weights(c).astype(x.dtype)
        rows, found = (one[start:stop].reshape((stop - start) // c, c) for one in (x, y))
        for u, row in enumerate(by.T if back else by):
            found[:, u] = halved(rows * row)
    return y


def allreduce(
    comm: Intracomm, x: Vector, /, *, decay: int = 999, chunk: int = 64, top: int = 8, signs: int = 1,
    validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    return Allreduce(comm, np.size(x), decay=decay, chunk=chunk, top=top, signs=signs, validate=validate)(x)
