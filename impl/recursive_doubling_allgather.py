"""Allgather of sparse vectors by recursive doubling on mpi4py, and their sum.

In round ``i`` the ranks whose numbers differ in bit ``i`` send each other all lists that they have, which
are those of neighbouring ranks, in one message.  Where ``p`` is no power of two, ranks fold as in the dense
one (:mod:`sparring.impl.recursive_doubling`): each even rank among the first ``2 beyond`` gives its list to
the next, which counts as both of them, and has all other lists from it in the end.  Then every
rank adds all lists, in the order of the ranks, so all hold the same bits.

Rounds and peers are those of MPICH's ``MPIR_Allgather_intra_recursive_doubling`` (its source,
src/mpi/coll/allgather/allgather_intra_recursive_doubling.c), which is for powers of two; the fold is that of
its allreduce [TRG05]_.

The sum is sparse: its support is the union of all supports, explicit zeros and sums that cancel
included.  Zeros of a result are +0.0, never -0.0.

``log2 p`` messages and ``2 (p - 1) k`` words are sent by each rank for lists of ``k`` entries where ``p`` is a
power of two.

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl.core.index_value_pairs import Row, row_with
from sparring.impl.core.sparse_lists import Lists, added, agreed
from sparring.impl.core.transport import Vector, exchanging, finish, private
from sparring.impl.rabenseifner import number
from sparring.impl.recursive_doubling import beyond, flipped, neighbour, partner, raised, rounds
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def place(q: int, begin: int, p: int) -> int:
    """The number of rank ``q``'s list in a row that begins with rank ``begin``'s."""
    return (q - begin) % p


def doubled(v: int) -> int:
    """The first of the two ranks with number ``v`` below ``beyond``."""
    return 2 * v


def low(v: int, i: int) -> int:
    """The first of the numbers whose lists number ``v`` has before round ``i``."""
    return (v >> i) << i


def high(v: int, i: int) -> int:
    """The first number after these."""
    return low(v, i) + (1 << i)


def first(v: int, p: int) -> int:
    """The first rank with number ``v``; ``p`` for the number after the last."""
    return doubled(v) if v < beyond(p) else raised(v, p)


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
    return added(allgather(own, mine, counts), mine)


def allgather(comm: Intracomm, x: Sparse, counts: list[int]) -> Lists:
    """Every rank's indices and values, by rank; rank ``q`` has ``counts[q]`` entries."""
    p, r = comm.Get_size(), comm.Get_rank()
    folded = r < 2 * beyond(p)
    idle = folded and r < neighbour(r)
    begin = r if idle else 0
    row = row_with([*counts[begin:], *counts[:begin]], x, place(r, begin, p))
    if idle:
        comm.Send(row.piece(0, 1), neighbour(r))
        comm.Recv(row.piece(1, p), neighbour(r))
    else:
        exchanged(comm, row, folded)
    return [row.entries(place(q, begin, p)) for q in range(p)]


def exchanged(comm: Intracomm, row: Row, folded: bool) -> None:
    """Fills ``row``, which has this rank's list, with the others, by rank; where ``folded`` also the neighbour's."""
    p, r = comm.Get_size(), comm.Get_rank()
    if folded:
        comm.Recv(row.piece(neighbour(r), r), neighbour(r))
    sending = []
    for i in range(rounds(p)):
        mine, theirs = number(r, p), flipped(number(r, p), i)
        outgoing, incoming = (row.piece(first(low(v, i), p), first(high(v, i), p)) for v in (mine, theirs))
        sending.append(exchanging(comm, outgoing, partner(r, i, p), incoming, partner(r, i, p)))
    finish(sending)
    if folded:
        comm.Send(np.concatenate([row.piece(r, p), row.piece(0, neighbour(r))]), neighbour(r))
