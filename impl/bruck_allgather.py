"""Allgather of sparse vectors by Bruck's algorithm on mpi4py, and their sum.

A rank keeps the lists in a row, its own first, then those of the ranks after it.  With the lists of
``d`` ranks it sends them to the rank ``d`` before it and receives as many from the rank ``d`` after
it, one message each, until it has all ``p``; in the last round only what is missing.  Then every
rank adds all lists, in the order of the ranks, so all hold the same bits.

Rounds and peers are those of MPICH's ``MPIR_Allgather_intra_brucks`` (its source,
src/mpi/coll/allgather/allgather_intra_brucks.c); in place of its final rotation the lists are read
in the order of the ranks from where they are.

The sum is sparse: its support is the union of all supports, explicit zeros and sums that cancel
included.  Zeros of a result are +0.0, never -0.0.

``ceil(log2 p)`` messages and ``2 (p - 1) k`` words are sent by each rank for lists of ``k`` entries [BH97]_.

.. [BH97] J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient algorithms for
   all-to-all communications in multiport message-passing systems", IEEE Trans. Parallel Distrib.
   Syst. 8(11), 1997.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparring.impl.core.index_value_pairs import row_with
from sparring.impl.core.sparse_lists import Lists, added, agreed
from sparring.impl.core.transport import Vector, exchanging, finish, private
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def before(r: int, d: int, p: int) -> int:
    """The rank ``d`` before rank ``r``."""
    return (r - d) % p


def after(r: int, d: int, p: int) -> int:
    """The rank ``d`` after rank ``r``, whose list is number ``d`` in rank ``r``'s row."""
    return (r + d) % p


def place(q: int, r: int, p: int) -> int:
    """The number of rank ``q``'s list in rank ``r``'s row."""
    return (q - r) % p


def missing(d: int, p: int) -> int:
    """How many lists a rank lacks that has ``d``."""
    return p - d


def begun(i: int) -> int:
    """How many lists a rank has before round ``i``."""
    return 1 << i


def rounds(p: int) -> int:
    """How many rounds there are: the least number after which a rank could have ``p`` lists."""
    return (2 * p - 1).bit_length() - 1


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
    row, sending = row_with([counts[after(r, i, p)] for i in range(p)], x, 0), []
    for d in map(begun, range(rounds(p))):
        many = min(d, missing(d, p))
        outgoing, incoming = row.piece(0, many), row.piece(d, d + many)
        sending.append(exchanging(comm, outgoing, before(r, d, p), incoming, after(r, d, p)))
    finish(sending)
    return [row.entries(place(q, r, p)) for q in range(p)]
