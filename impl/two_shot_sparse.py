"""Two-shot allreduce of sparse vectors on mpi4py, each message in the cheapest encoding.

A direct reduce-scatter and a direct allgather, as in the dense one.  A block is a chunk of a sparse
vector; a message has a header of 8 bytes and the chunk in whichever of four encodings takes the
fewest bytes (:mod:`sparring.impl.core.encodings`), hence never more than the dense chunk and the
header.

The sum is sparse: its support is the union of all supports and, where a chunk's part of that is so
large that dense is the cheapest, all of the chunk.  Blocks are added in the order of their ranks,
each at one rank only, so all ranks hold the same bits.  Zeros of a result are +0.0, never -0.0.

Sparse vectors cut among the ranks, sent directly, added and shown to all are the balanced parallelism
of [WZ25]_ and the split allgather of [RA19]_; encodings, header and order are our own.

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025.
.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.core.messages import decode, encode, message, room
from sparring.impl.core.sparse_lists import agreed, taken
from sparring.impl.core.transport import Vector, private
from sparring.impl.core.wire import Bytes
from sparring.impl.two_shot import above, below, shot
from sparring.impl.two_shot import cut as bound
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
    rank raises InputError on all; without it, ranks that differ hang or compute nonsense, and more
    memory is needed, since any rank may have all entries.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, p, r = private(comm), comm.Get_size(), comm.Get_rank()
    if validate:
        mine, counts = agreed(own, x, k, allow_nan)
    else:
        mine = taken(x, k, allow_nan)
        counts = [mine.n] * p
    chunks = cut(mine, [bound(c, mine.n, p) for c in range(p + 1)])
    others = [below(r, d, p) for d in range(1, p)]
    given = {to: encoded(chunks[to]) for to in onward(r, p)}
    parts = exchanged(own, given, {q: (chunks[r], counts[q]) for q in others})
    total = reduce(add, (settled(chunks[r]) if q == r else parts[q] for q in range(p)))
    shown = encoded(total)
    sums = exchanged(own, dict.fromkeys(onward(r, p), shown), {q: (chunks[q], sum(counts)) for q in others})
    support, values = joined([total if c == r else sums[c] for c in range(p)], mine.indices.dtype)
    np.add(values, mine.dtype.type(0), out=values)  # -0.0 becomes +0.0
    return Sparse.made(support, values, mine.n)


def onward(r: int, p: int) -> Sequence[int]:
    """All other ranks, in the order in which rank ``r`` sends to them."""
    return [above(r, d, p) for d in range(1, p)]


def exchanged(
    comm: Intracomm, outgoing: dict[int, Bytes], incoming: Mapping[int, tuple[Chunk, int]]
) -> dict[int, Chunk]:
    """Send to each rank its message; what comes, by rank: a chunk as long as that one, with at most so many entries."""
    boxes = {q: np.empty(room(c.length, c.values.itemsize, most), np.uint8) for q, (c, most) in incoming.items()}
    shot(comm, outgoing, boxes)
    return {q: read(boxes[q], like) for q, (like, _) in incoming.items()}


def read(box: Bytes, like: Chunk) -> Chunk:
    """The chunk in a receive buffer."""
    return decode(message(box, like.length, like.values.itemsize), like.length, like.values)


def encoded(chunk: Chunk) -> Bytes:
    """A chunk's message, in memory of its own."""
    out = np.empty(room(chunk.length, chunk.values.itemsize, len(chunk)), np.uint8)
    return out[: encode(chunk, out)]
