"""Allreduce of selected entries on mpi4py by alltoall and dense allgather, TopKA2A [PL24]_.

Every vector is cut into ``p`` blocks, of each of which a rank takes the largest entries out, as many
as the block's part of ``k``, once and before anything is sent; what remains is its residual, which
is added to its next vector.  Rank ``r`` sends what it has taken of block ``c`` to rank ``c``, to the
nearest rank above it first, and adds what comes to its own block, in a dense vector.  The ``p`` sums
go round a ring as dense blocks.

Each rank sends ``(2 k + n) (p - 1) / p`` words where ``p`` divides ``n`` and ``k``.  How many entries a
message has follows from ``n``, ``k`` and ``p``, so it needs no header; indices count from where the
block begins, and there are none where all of a block is taken.

The paper takes the largest entries by an approximation, and sends values and indices apart with its
library's alltoall; the order of messages, the residual, and where blocks and parts are cut if ``p``
does not divide them, are our own.

.. [PL24] J. Peng, Z. Li, S. Shi and B. Li, "Sparse gradient communication with AlltoAll for
   accelerating distributed deep learning", ICPP 2024, pp. 148-157.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl import ring_topk
from sparring.impl.core import wire
from sparring.impl.core.selecting import Select
from sparring.impl.core.transport import Vector, exchange
from sparring.impl.ring import block
from sparring.impl.ring_topk import count, taken
from sparring.impl.two_shot import above, below
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Allreduce(ring_topk.Allreduce):
    """A sum of what ranks take of their vectors of ``n`` entries, at most ``k`` each; the rest waits.

    Made as the ring's: collectively, with ``k > n`` as ``n``, and with ``selector``, ``allow_nan`` and ``validate``
    as there.  A result has an entry at every index.
    """

    def _reduced(self, x: Vector) -> Sparse:
        mine = alltoall(self._comm, x, self._k)
        return allgather(self._comm, mine, self._n)


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select | None = None, allow_nan: bool = True,
    validate: bool = True, **params: Any,
) -> Sparse:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, selector=selector, allow_nan=allow_nan, validate=validate, **params)(x)


def alltoall(comm: Intracomm, x: Vector, k: int) -> Vector:
    """All of this rank's block of the sum of what ranks take; ``x`` becomes the residual."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    mine = [taken(x, c, k, p) for c in range(p)]
    total = np.zeros_like(x[block(r, n, p)])
    total[mine[r].indices] = mine[r].values
    for i in range(1, p):
        incoming = room(x, r, n, k, p)
        exchange(comm, message(mine[above(r, i, p)]), above(r, i, p), incoming, below(r, i, p))
        if incoming.dtype == x.dtype:
            total += incoming
        else:
            at, values = wire.unpack(incoming, x, total.size)
            total[at] += values
    return total


def message(x: Sparse) -> Vector:
    """A block's entries with their indices; the values alone where it has all."""
    return x.values if len(x) == x.n else wire.pack(x)


def room(like: Vector, c: int, n: int, k: int, p: int) -> Vector:
    """A buffer for what is taken of block ``c``, with values like these."""
    here = like[block(c, n, p)]
    return np.empty_like(here) if count(c, n, k, p) == here.size else wire.room(count(c, n, k, p), like, here.size)


def allgather(comm: Intracomm, mine: Vector, n: int) -> Sparse:
    """The ring: each rank passes on the sums of blocks, beginning with its own; all of them."""
    p, r = comm.Get_size(), comm.Get_rank()
    y = np.empty_like(mine, shape=n)
    y[block(r, n, p)] = mine
    for i in range(p - 1):
        there, here = (y[block(below(r, d, p), n, p)] for d in (i, i + 1))
        exchange(comm, there, above(r, 1, p), here, below(r, 1, p))
    return Sparse.made(np.arange(n), y, n)
