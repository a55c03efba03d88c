"""Scatter along a binomial tree: whoever has blocks sends half of the ranks that it has some for theirs [OMPI]_.

The parent of a rank is that rank without its lowest bit.  In each step, from the highest bit on, a rank that has blocks
sends those of the rank that differs from it in this bit alone, and of all below that one in the tree.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  rank ``r`` holds block ``r`` of ``x[0]``.

Peers and blocks are those of Open MPI's binomial scatter.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binomial_scatter", [[*"abcde"], *[[*"-----"]] * 4]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->4:e
1 0->2:c|d
2 0->1:b 2->3:d

.. [OMPI] ``ompi_coll_base_scatter_intra_binomial`` and ``ompi_coll_base_topo_build_in_order_bmtree`` in open-mpi/ompi
   5.0, which are in ompi/mca/coll/base/coll_base_scatter.c and coll_base_topo.c.
"""

from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.collectives.linear_scatter import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.gtopk import zeros

__all__ = ["goal", "kind", "rounds", "start", "wanted", "zeros"]

encoding = "bits"


def bit(t: Int, p: Int) -> Int:              return where(t < rounds(p), rounds(p) - 1 - t, 0)  # in which peers differ


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank that differs from ``r`` in this bit, itself if there is none."""
    found = r ^ (1 << bit(t, p))
    return where(found < p, found, r)


def steps(p: Int) -> Int:                    return rounds(p)
def src(r: Int, t: Int, p: Int) -> Int:      return dst(r, t, p)
def adds(t: Int, p: Int) -> Bool:            return False
def active(r: Int, t: Int, p: Int) -> Bool:  return both(zeros(r, bit(t, p) + 1), r < dst(r, t, p))


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The receiver's, and those of the ranks below it."""
    first, size = dst(r, t, p), 1 << bit(t, p)
    return first, where(first + size < p, size, p - first)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of block ``c`` is ``q``'s: the root's if ``r`` has got it for one below."""
    return q == where(both(zeros(r, rounds(p) - t), zeros(r, (c ^ r).bit_length())), 0, r)
