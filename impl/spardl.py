"""SparDL's sparse allreduce on mpi4py, with global residual collection [ZY24]_.

In round ``i`` of the reduce-scatter a rank sends the rank ``d`` after it, ``d`` being half of what
it was in the round before, the ``d`` blocks that begin with the receiver's own, and adds what
comes to its own blocks; in the first round there are fewer than ``d`` where ``p`` is no power of
two.  Before a block is sent its largest entries are taken out, as many as its part of ``k``, and
these alone are sent.  In the end block ``r`` is complete at rank ``r``, is cut once more, and goes
to all by Bruck's allgather.  Any number of ranks will do.

What is left of a block is a residual only where the result has an entry.  Everywhere else a rank
goes back to the value that it came with: what it sent of it was dropped by another rank.  So
results and residuals add up to all that was put in.

Each rank sends ``2 ceil(log2 p)`` messages and ``4 k (p - 1) / p`` words where ``p`` divides ``k``,
half of them indices, which count from where a block begins.  How many entries each block of a
message has follows from ``n``, ``k`` and ``p``, so there is no header.

Rounds, blocks and residuals are those of the paper's public code (MachineLearningSystem/SparDL,
allreducer.py) with one team; it sends each block, and its size, as a message of its own.  Floor
bounds for blocks and for their parts of ``k`` are our own.

.. [ZY24] M. Zhao, Y. Yin, Y. Mao, Q. Liu, L. Chen and Y. Gao, "SparDL: distributed deep learning
   training with efficient sparse communication", ICDE 2024, arXiv:2304.00737.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl import ring_topk
from sparring.impl.bruck_allgather import after, before, begun, missing, place, rounds
from sparring.impl.core.index_value_pairs import Row
from sparring.impl.core.selecting import Select
from sparring.impl.core.transport import Vector, exchange, exchanging, finish
from sparring.impl.ring import block, cut
from sparring.impl.ring_topk import count, part, taken
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def gap(i: int, p: int) -> int:
    """How far after a rank the one is to which it sends in round ``i`` of the reduce-scatter."""
    return begun(rounds(p) - 1 - i)


class Allreduce(ring_topk.Allreduce):
    """A sum of vectors of ``n`` entries, at most ``k`` of which are sent and returned; the rest waits.

    Made as the ring's: collectively, with ``k > n`` as ``n``, and with ``selector``, ``allow_nan`` and
    ``validate`` as there.  ``residual``: what this rank adds to its next vector.
    """

    def _reduced(self, x: Vector) -> Sparse:
        cut_off = x.copy()
        mine = reduce_scatter(self._comm, cut_off, self._k)
        y = allgather(self._comm, mine, self._n, self._k)
        x[y.indices] = cut_off[y.indices]
        return y


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select | None = None, allow_nan: bool = True,
    validate: bool = True, **params: Any,
) -> Sparse:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, selector=selector, allow_nan=allow_nan, validate=validate, **params)(x)


def reduce_scatter(comm: Intracomm, x: Vector, k: int) -> Sparse:
    """What is sent of block ``r``, now complete; in ``x`` remains what was left of all blocks."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    for i in range(rounds(p)):
        d = gap(i, p)
        to, many = after(r, d, p), min(d, missing(d, p))
        outgoing, incoming = (row([after(q, j, p) for j in range(many)], x, n, k, p) for q in (to, r))
        for j in range(many):
            outgoing.put(j, taken(x, after(to, j, p), k, p))
        exchange(comm, outgoing.memory, to, incoming.memory, before(r, d, p))
        for j in range(many):
            at, values = incoming.entries(j)
            x[block(after(r, j, p), n, p)][at] += values
    return taken(x, r, k, p)


def allgather(comm: Intracomm, mine: Sparse, n: int, k: int) -> Sparse:
    """What is sent of all complete blocks: ``d`` ranks' go to the rank ``d`` before, ``d`` doubling."""
    p, r = comm.Get_size(), comm.Get_rank()
    every, sending = row([after(r, j, p) for j in range(p)], mine.values, n, k, p), []
    every.put(0, mine)
    for d in map(begun, range(rounds(p))):
        many = min(d, missing(d, p))
        outgoing, incoming = every.piece(0, many), every.piece(d, d + many)
        sending.append(exchanging(comm, outgoing, before(r, d, p), incoming, after(r, d, p)))
    finish(sending)
    parts = [every.entries(place(c, r, p)) for c in range(p)]
    at = np.concatenate([np.add(indices, cut(c, n, p), dtype=np.int64) for c, (indices, _) in enumerate(parts)])
    return Sparse.made(at, np.concatenate([values for _, values in parts]), n)


def row(blocks: Sequence[int], like: Vector, n: int, k: int, p: int) -> Row:
    """Room for what is sent of these blocks, with values like these; the longest says how wide indices are."""
    return Row([count(c, n, k, p) for c in blocks], like, max(part(c, n, p) for c in blocks))
