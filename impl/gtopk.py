"""gTop-k on mpi4py: a tree of pairwise sums, each cut to its largest entries [SH19]_.

Every rank takes its ``k`` largest entries out.  In round ``i`` each rank whose number is an odd
multiple of ``2^i`` sends what it has to the rank ``2^i`` before it, which adds and cuts the sum to
the ``k`` largest again.  Rank 0 ends with the result, which goes back up the same tree.  Where ``p``
is no power of two, a rank whose partner is missing has nothing to do in that round; the published
algorithm has powers of two alone.

What a rank cuts, its own entries or those of a sum, is its residual, which is added to its next
vector: results and residuals add up to all that was put in.  That is our own.  The published code
gives back to a rank what it selected where the result has no entry, which loses what is cut in one
half of the tree where the same index comes through the other half.

How many entries a message has follows from ``n`` and ``k``, so there is no header.  On the longest
way, to rank 0 and back, there are ``2 log2(p)`` messages of ``2 k`` words, half of them indices.

.. [SH19] S. Shi, Q. Wang, K. Zhao, Z. Tang, Y. Wang, X. Huang and X. Chu, "A distributed synchronous
   SGD algorithm with global top-k sparsification for low bandwidth networks", ICDCS 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl import ring_topk
from sparring.impl.core import wire
from sparring.impl.core.selecting import Select
from sparring.impl.core.selection import top
from sparring.impl.core.sparse_lists import added
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def rounds(p: int) -> int:
    """How often ranks pair up: the least number after which one could have all of ``p``."""
    return (2 * p - 1).bit_length() - 1


def multiple(r: int, i: int) -> bool:
    """Whether ``r`` is a multiple of ``2^i``; these ranks are still there after ``i`` rounds."""
    return (r >> i) << i == r


def before(r: int, i: int) -> int:
    """The partner, in round ``i``, of a rank that sends."""
    return r - (1 << i)


def after(r: int, i: int) -> int:
    """The partner of one that receives, if there is such a rank."""
    return r + (1 << i)


class Allreduce(ring_topk.Allreduce):
    """A sum of vectors of ``n`` entries, at most ``k`` of which are sent and returned; the rest waits.

    Made as the ring's: collectively, with ``k > n`` as ``n``, and with ``selector``, ``allow_nan`` and
    ``validate`` as there.  ``residual``: what this rank has cut so far, its own entries and those of sums.
    """

    def _reduced(self, x: Vector) -> Sparse:
        mine = top(x, self._k)
        x[mine.indices] = 0
        return shown(self._comm, collected(self._comm, mine, x))


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select | None = None, allow_nan: bool = True,
    validate: bool = True, **params: Any,
) -> Sparse:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, selector=selector, allow_nan=allow_nan, validate=validate, **params)(x)


def collected(comm: Intracomm, mine: Sparse, waiting: Vector) -> Sparse:
    """What is left of ``mine`` and all that comes, on rank 0, elsewhere what was sent; ``waiting`` gets the rest."""
    p, r = comm.Get_size(), comm.Get_rank()
    for i in range(rounds(p)):
        if not multiple(r, i + 1):
            comm.Send(wire.pack(mine), before(r, i))
            return mine
        if after(r, i) < p:
            box = wire.room(len(mine), mine.values, mine.n)
            comm.Recv(box, after(r, i))
            come = wire.unpack(box, mine.values, mine.n)
            mine = cut(added([come, (mine.indices, mine.values)], mine), len(mine), waiting)
    return mine


def cut(sums: Sparse, k: int, waiting: Vector) -> Sparse:
    """The ``k`` largest entries of ``sums``; ``waiting`` gets the others."""
    largest = top(sums.values, k)
    rest = np.ones(len(sums), np.bool_)
    rest[largest.indices] = False
    waiting[sums.indices[rest]] += sums.values[rest]
    return Sparse.made(sums.indices[largest.indices], largest.values, sums.n)


def shown(comm: Intracomm, mine: Sparse) -> Sparse:
    """Rank 0's ``mine``, on all ranks, whose own have as many entries."""
    p, r = comm.Get_size(), comm.Get_rank()
    box = wire.pack(mine)
    for i in reversed(range(rounds(p))):
        if multiple(r, i + 1) and after(r, i) < p:
            comm.Send(box, after(r, i))
        elif multiple(r, i) and not multiple(r, i + 1):
            comm.Recv(box, before(r, i))
    at, values = wire.unpack(box, mine.values, mine.n)
    return Sparse.made(at.astype(np.int64), values.copy(), mine.n)
