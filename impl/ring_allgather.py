"""Ring allgather of sparse vectors on mpi4py, and their sum.

Each rank's list of indices and values is packed into one message, which travels once around: in
each of ``p - 1`` hops a rank passes on what it has just received, beginning with its own.  Then
every rank adds all lists, in the order of the ranks, so all hold the same bits.

The sum is sparse: its support is the union of all supports, explicit zeros and sums that cancel
included.  Zeros of a result are +0.0, never -0.0.

``2 (p - 1) k`` words are sent by each rank for lists of ``k`` entries [SW19]_.

.. [SW19] S. Shi, Q. Wang, K. Zhao, Z. Tang, Y. Wang, X. Huang and X. Chu, "A distributed
   synchronous SGD algorithm with global top-k sparsification for low bandwidth networks", ICDCS 2019.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparring.impl.core import wire
from sparring.impl.core.sparse_lists import added, agreed
from sparring.impl.core.transport import Vector, exchanging, finish, private
from sparring.impl.ring import left, right
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def whose(r: int, i: int, p: int) -> int:
    """Whose list rank ``r`` sends in hop ``i``."""
    return (r - i) % p


def allreduce(
    comm: Intracomm, x: Sparse | tuple[Any, Any, int] | Vector, /, *, k: int | None = None, allow_nan: bool = True
) -> Sparse:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a Sparse, or ``(indices, values, n)`` that would make one, of float32, float64, int32 or
    int64, also empty; integers wrap around.  With ``k`` it is a contiguous vector, of which the
    ``k`` largest entries are taken (:func:`sparring.impl.core.selection.top`, which takes NaN
    first unless ``allow_nan`` is false).  The result's indices have the dtype of this rank's own.

    Every rank must have the same dtype and ``n``; how many entries it has is its own affair.  An
    exchange of three integers a rank comes first: the counts are needed to receive the lists, so
    it cannot be switched off, and a fault on one rank raises InputError on all.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    mine, counts = agreed(own, x, k, allow_nan)
    lists = allgather(own, mine, counts)
    return added([wire.unpack(message, mine.values, mine.n) for message in lists], mine)


def allgather(comm: Intracomm, x: Sparse, counts: list[int]) -> list[wire.Bytes]:
    """Every rank's packed list, by rank; rank ``q`` has ``counts[q]`` entries."""
    p, r = comm.Get_size(), comm.Get_rank()
    lists = [wire.pack(x) if q == r else wire.room(counts[q], x.values, x.n) for q in range(p)]
    sending = []
    for i in range(p - 1):
        outgoing, incoming = lists[whose(r, i, p)], lists[whose(left(r, p), i, p)]
        sending.append(exchanging(comm, outgoing, right(r, p), incoming, left(r, p)))
    finish(sending)
    return lists
