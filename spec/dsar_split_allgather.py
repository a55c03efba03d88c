"""Allreduce of sparse vectors by a direct split and a dense allgather.

The schedule is the dense two-shot's: cut every vector into ``p`` regions, of which rank ``r`` looks after
region ``r``.  In the first step every rank sends each other rank what it has of the region that the
other looks after; these messages are encoded as the sparse ring's are, as is cheapest.  An owner adds in
a dense region, which is there from the start.  In the second step it sends that to everybody, dense.

Requires: ``p >= 1``; indices strictly ascending; one length ``n`` for all; ``thirds >= 0``.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, each region added up in the order of the ranks; it has an
entry at every index, but for a single rank, whose vector stays as it is.

So what is sent is known beforehand but for the first step, where each entry is sent once: ``n (p - 1) / p``
words, and ``2 k (p - 1) / p`` where ``k`` entries of each rank lie evenly.  This is SparCML's
``DSAR_Split_allgather`` [RA19]_, whose public code adds in the order of arrival, so that its last bits
are not the same in each run, gives the last region what ``p`` leaves of ``n``, and calls
``MPI_Allgatherv`` in the second step.  The order of ranks, floor bounds, encodings and header are this
page's own, and so is that the allgather is direct, to all other ranks at once: nothing else waits.

Ok-Topk's baseline TopkDSA [LH22]_ has the same first step, and then goes dense only where three times the
entries of all sums reach ``n``.  With ``thirds = 1`` each region does so where three times its own
entries reach its length, and else is encoded as is cheapest; that a region decides for itself, for which
no counts are told, is this page's own.  With ``thirds = 0``, the default, all regions go dense.

>>> from sparring import run
>>> from sparring.spec.core.sparse import SparseVector
>>> a, b, c = [(0, 2), ("a", "c"), 6], [(2, 5), ("C", "F"), 6], [(), (), 6]
>>> ran = run("dsar_split_allgather", [SparseVector(*x) for x in (a, b, c)])
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[0:c] 0->2:[] 1->2:[1:F] 1->0:[] 2->0:[] 2->1:[]
1 0->1:[0:a 1:_] 0->2:[0:a 1:_] 1->2:[0:cC 1:_] 1->0:[0:cC 1:_] 2->0:[0:_ 1:F] 2->1:[0:_ 1:F]
>>> ran.results[1]
[0:a 1:0 2:cC 3:0 4:0 5:F]

.. [RA19] C. Renggli, S. Ashkboos, M. Aghagolzadeh, D. Alistarh and T. Hoefler, "SparCML:
   high-performance sparse communication for machine learning", SC 2019.
.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from typing import NamedTuple

from sparring.spec import ring_sparse
from sparring.spec.core.numbers import Bool, Int, both, negate
from sparring.spec.core.sparse import SparseVector
from sparring.spec.ring_sparse import encoded, full, octets
from sparring.spec.two_shot import adds, chunk, dst, holds, messages, src, steps, who

__all__ = ["adds", "chunk", "dst", "holds", "messages", "src", "steps", "who"]  # the dense two-shot's
__all__ += ["encoded", "full", "octets"]  # the sparse ring's

data = "sparse"


class Params(NamedTuple):
    """``thirds``: a region goes dense where it has so many thirds of its entries, or more; 0: always."""

    thirds: int = 0


def fills(m: Int, size: Int, t: Int, p: Int, thirds: Int) -> Bool:
    """In step ``t`` a region of ``size`` that has ``m`` entries goes dense, whatever is cheapest."""
    return both(negate(adds(t, p)), thirds * size <= 3 * m)


def sends(x: SparseVector, t: Int, p: Int, w: Int, thirds: Int) -> SparseVector:
    return ring_sparse.sends(x.full(fills(x.m, x.n, t, p, thirds)), w)
