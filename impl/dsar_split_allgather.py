"""Allreduce of sparse vectors on mpi4py by a direct split and a dense allgather.

Every vector is cut into ``p`` regions; rank ``r`` adds up region ``r``.  All ranks send each other what
they have of each other's regions at once, each message with a header of 8 bytes and in whichever of four
encodings takes the fewest bytes (:mod:`sparring.impl.core.encodings`).  A region is added up in a dense
vector, in the order of the ranks, at one rank only, so all ranks hold the same bits.  Then each sends its
region, dense, to all others.

The sum has an entry at every index, but for a single rank, whose vector stays as it is.  Zeros of a
result are +0.0, never -0.0.

This is SparCML's ``DSAR_Split_allgather`` [RA19]_, which adds in the order of arrival and leaves the second
step to ``MPI_Allgatherv``.  With ``thirds`` a region goes dense only where it has so many entries, after
the rule of Ok-Topk's baseline TopkDSA [LH22]_, which is about all regions together; that each decides
for itself, where regions begin, encodings and header are our own.

.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.core.sparse_lists import agreed, small, taken
from sparring.impl.core.transport import Vector, private
from sparring.impl.two_shot import below
from sparring.impl.two_shot import cut as bound
from sparring.impl.two_shot_sparse import encoded, exchanged, onward
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def allreduce(
    comm: Intracomm, x: Sparse | tuple[Any, Any, int] | Vector, /, *,
    k: int | None = None, thirds: int = 0, allow_nan: bool = True, validate: bool = True,
) -> Sparse:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a Sparse, or ``(indices, values, n)`` that would make one, of float32, float64, int32 or
    int64, also empty; integers wrap around.  With ``k`` it is a contiguous vector, of which the
    ``k`` largest entries are taken (:func:`sparring.impl.core.selection.top`, which takes NaN
    first unless ``allow_nan`` is false).  The result's indices have the dtype of this rank's own.

    ``thirds``: a whole number below 2^31; a region's sum goes dense where it has so many thirds of its
    entries, or more; 0, the default: always.

    Every rank must have the same dtype, ``n`` and ``thirds``; how many entries it has is its own affair.
    With ``validate``, one exchange of four integers a rank makes sure of that first, and a fault on one
    rank raises InputError on all; without it, ranks that differ in the first two hang or compute nonsense,
    and more memory is needed, since any rank may have all entries.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, p, r = private(comm), comm.Get_size(), comm.Get_rank()
    if validate:
        mine, counts = agreed(own, x, k, allow_nan, {"thirds": thirds})
    else:
        mine, thirds = taken(x, k, allow_nan), small("thirds", thirds)
        counts = [mine.n] * p
    regions = cut(mine, [bound(c, mine.n, p) for c in range(p + 1)])
    others = [below(r, d, p) for d in range(1, p)]
    given = {to: encoded(regions[to]) for to in onward(r, p)}
    parts = exchanged(own, given, {q: (regions[r], counts[q]) for q in others})
    total = summed([parts.get(q, regions[r]) for q in range(p)], thirds)
    sums = exchanged(own, dict.fromkeys(onward(r, p), encoded(total)), {q: (regions[q], mine.n) for q in others})
    support, values = joined([sums.get(c, total) for c in range(p)], mine.indices.dtype)
    np.add(values, mine.dtype.type(0), out=values)  # -0.0 becomes +0.0
    return Sparse.made(support, values, mine.n)


def summed(parts: Sequence[Chunk], thirds: int) -> Chunk:
    """The sum of two or more parts of a region, in their order, in one dense vector; of one, that part."""
    first, *others = parts
    if not others:
        return settled(first)
    room = np.empty_like(first.values, shape=first.length)
    begun = turned(first, thirds, room)
    return turned(reduce(lambda some, part: add(some, part, out=room), others, begun), thirds, room)


def turned(region: Chunk, thirds: int, out: Vector) -> Chunk:
    """``region``, or all of it, in ``out``, if it has so many thirds of its entries."""
    return Chunk(None, region.dense(out), region.length) if reaches(len(region), region.length, thirds) else region


def reaches(m: int, length: int, thirds: int) -> bool:
    """Whether ``m`` of ``length`` entries are so many thirds of them, or more."""
    return thirds * length <= 3 * m
