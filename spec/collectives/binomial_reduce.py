"""Reduction along a binomial tree: in each step every second rank that is left sends its sum to the one before [OMPI]_.

In step ``t`` the multiples of ``2**t`` are left.  Each that is no multiple of ``2**(t + 1)`` sends what it has to the
rank ``2**t`` before it, which adds.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The tree is Open MPI's: the parent of a rank is that rank without its lowest bit.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binomial_reduce", [["a"], ["b"], ["c"], ["d"], ["e"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 1->0:b 3->2:d
1 2->0:dc
2 4->0:e

.. [OMPI] ``ompi_coll_base_reduce_intra_binomial`` and ``ompi_coll_base_topo_build_in_order_bmtree`` in open-mpi/ompi
   5.0, which are in ompi/mca/coll/base/coll_base_reduce.c and coll_base_topo.c.
"""

from sparring.spec.collectives.binomial_bcast import chunk, chunks, dst, src, steps
from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, negate
from sparring.spec.gtopk import zeros

__all__ = ["chunk", "chunks", "dst", "goal", "kind", "src", "start", "steps", "wanted", "zeros"]

encoding = "bits"


def adds(t: Int, p: Int) -> Bool:            return True
def active(r: Int, t: Int, p: Int) -> Bool:  return both(zeros(r, t), negate(zeros(r, t + 1)))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Rank ``r`` has the contributions of those that differ from it in bits that are zero in it, of the first ``t``."""
    bits = (q ^ r).bit_length()
    return both(bits <= t, zeros(r, bits))
