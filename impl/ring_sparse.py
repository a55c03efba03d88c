"""Sparse ring allreduce on mpi4py, each message in the cheapest encoding.

Two laps of ``p - 1`` hops around the ring, as in the dense one [PY09]_: the first adds up each
block, the second shows it to all.  A block is a chunk of a sparse vector; a message has a header of
8 bytes and the chunk in whichever of four encodings takes the fewest bytes
(:mod:`sparring.impl.core.encodings`), hence never more than the dense chunk and the header.  On the
second lap messages are passed on as they came.

The sum is sparse: its support is the union of all supports and, where a chunk's part of that is so
large that dense is the cheapest, all of the chunk.  Zeros of a result are +0.0, never -0.0.

A sparse ring with segments that turn dense is SparCML's [RA19]_; encodings, header and the rule
are our own.

.. [PY09] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
   workstations", J. Parallel Distrib. Comput. 69(2), 2009.
.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.core.messages import body, decode, encode, message, room
from sparring.impl.core.sparse_lists import agreed, taken
from sparring.impl.core.transport import Vector, exchanging, finish, private
from sparring.impl.core.wire import Bytes
from sparring.impl.ring import cut as bound
from sparring.impl.ring import given, left, passed, right
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def allreduce(
    comm: Intracomm, x: Sparse | tuple[Any, Any, int] | Vector, /, *,
    k: int | None = None, allow_nan: bool = True, validate: bool = True,
) -> Sparse:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a Sparse, or ``(indices, values, n)`` that would make one, of float32, float64, int32 or
    int64, also empty; integers wrap around.  With ``k`` it is a contiguous vector, of which the
    ``k`` largest entries are taken (:func:`sparring.impl.core.selection.top`, which takes NaN
    first unless ``allow_nan`` is false).  The result's indices have the dtype of this rank's own.

    Every rank must have the same dtype and ``n``; how many entries it has is its own affair.  With
    ``validate``, one exchange of three integers a rank makes sure of that first, and a fault on one
    rank raises InputError on all; without it, ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    if validate:
        mine, counts = agreed(own, x, k, allow_nan)
        most = sum(counts)
    else:
        mine = taken(x, k, allow_nan)
        most = mine.n
    p = comm.Get_size()
    chunks = cut(mine, [bound(c, mine.n, p) for c in range(p + 1)])
    total = reduce_scatter(own, chunks, most)
    support, values = joined(allgather(own, total, chunks, most), mine.indices.dtype)
    np.add(values, mine.dtype.type(0), out=values)  # -0.0 becomes +0.0
    return Sparse.made(support, values, mine.n)


def reduce_scatter(comm: Intracomm, chunks: Sequence[Chunk], most: int) -> Chunk:
    """The first lap: the sum over all ranks of chunk ``passed(r, 0, p)``, on rank ``r``.

    No sum has more than ``most`` entries.
    """
    p, r = comm.Get_size(), comm.Get_rank()
    longest = max(chunks, key=lambda chunk: chunk.length)
    outbox, inbox = buffer(longest, most), buffer(longest, most)
    total = settled(chunks[given(r, 0, p)])
    for i in range(p - 1):
        mine = chunks[given(left(r, p), i, p)]
        used = encode(total, outbox)
        sending = exchanging(comm, outbox[:used], right(r, p), inbox, left(r, p))
        come = decode(message(inbox, mine.length, mine.values.itemsize), mine.length, mine.values)
        sending.Wait()  # the outbox is free again
        scratch = body(outbox, mine.length, mine.values) if most >= mine.length else None
        total = add(come, mine, out=scratch)
    return total


def allgather(comm: Intracomm, total: Chunk, like: Sequence[Chunk], most: int) -> list[Chunk]:
    """The second lap: all chunks' sums, by chunk; ``total`` is the one that this rank has, ``like`` chunks as long."""
    p, r = comm.Get_size(), comm.Get_rank()
    sums = dict.fromkeys([passed(r, 0, p)], total)
    outgoing, sending = buffer(total, most), []
    outgoing = outgoing[: encode(total, outgoing)]
    for i in range(p - 1):
        c = passed(left(r, p), i, p)
        incoming = buffer(like[c], most)
        sending.append(exchanging(comm, outgoing, right(r, p), incoming, left(r, p)))
        outgoing = message(incoming, like[c].length, like[c].values.itemsize)
        sums[c] = decode(outgoing, like[c].length, like[c].values)
    finish(sending)
    return [sums[c] for c in range(p)]


def buffer(chunk: Chunk, most: int) -> Bytes:
    """Memory for any message of a chunk as long, with at most so many entries."""
    return np.empty(room(chunk.length, chunk.values.itemsize, most), np.uint8)
