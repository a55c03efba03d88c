"""Recursive doubling of sparse vectors on mpi4py, each message in the cheapest encoding.

In round ``i`` the ranks whose numbers differ in bit ``i`` exchange all entries that they have and
add; where ``p`` is no power of two, ranks fold as in the dense one (:mod:`sparring.impl.recursive_doubling`).
A message has a header of 8 bytes and the entries in whichever of four encodings takes the fewest
bytes (:mod:`sparring.impl.core.encodings`), hence never more than the dense vector and the header.

The sum is sparse: its support is the union of all supports or, where that is so large that dense is
the cheapest, the whole vector.  A sum is *received + own*; as addition is commutative, all ranks
hold the same bits.  Zeros of a result are +0.0, never -0.0.

Whole sparse vectors in a recursive doubling, with a fold and vectors that turn dense, are SparCML's
``SSAR_Recursive_double`` [RA19]_; encodings, header and the rule are our own.

.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.core.messages import decode, encode, message, room
from sparring.impl.core.sparse_lists import agreed, taken
from sparring.impl.core.transport import Vector, exchanging, private
from sparring.impl.core.wire import Bytes
from sparring.impl.recursive_doubling import beyond, neighbour, partner, rounds
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
    (whole,) = cut(mine, [0, mine.n])
    support, values = joined([summed(own, settled(whole), most)], mine.indices.dtype)
    np.add(values, mine.dtype.type(0), out=values)  # -0.0 becomes +0.0
    return Sparse.made(support, values, mine.n)


def summed(comm: Intracomm, mine: Chunk, most: int) -> Chunk:
    """The sum over all ranks of their ``mine``, which has no more than ``most`` entries."""
    p, r = comm.Get_size(), comm.Get_rank()
    folded = r < 2 * beyond(p)
    outbox, inbox = buffer(mine, most), buffer(mine, most)
    if folded and r < neighbour(r):
        comm.Send(outbox[: encode(mine, outbox)], neighbour(r))
        return come(comm, inbox, neighbour(r), mine)
    if folded:
        mine = add(come(comm, inbox, neighbour(r), mine), mine)
    for i in range(rounds(p)):
        used = encode(mine, outbox)
        sending = exchanging(comm, outbox[:used], partner(r, i, p), inbox, partner(r, i, p))
        theirs = read(inbox, mine)
        sending.Wait()  # the outbox is free again
        mine = add(theirs, mine)
    if folded:
        comm.Send(outbox[: encode(mine, outbox)], neighbour(r))
    return mine


def come(comm: Intracomm, inbox: Bytes, source: int, like: Chunk) -> Chunk:
    """What that rank sends, a vector as long."""
    comm.Recv(inbox, source)
    return read(inbox, like)


def read(inbox: Bytes, like: Chunk) -> Chunk:
    """The vector in a receive buffer, which it has its values in."""
    return decode(message(inbox, like.length, like.values.itemsize), like.length, like.values)


def buffer(like: Chunk, most: int) -> Bytes:
    """Memory for any message of a vector as long, with at most so many entries."""
    return np.empty(room(like.length, like.values.itemsize, most), np.uint8)
