"""Gather along a binomial tree: in each step every second rank that is left sends its blocks to the one before [OMPI]_.

In step ``t`` the multiples of ``2**t`` are left.  Each that is no multiple of ``2**(t + 1)`` sends all blocks that it
has to the rank ``2**t`` before it.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  rank 0 holds all blocks, block ``c`` being rank ``c``'s.

Peers and blocks are those of Open MPI's binomial gather: the parent of a rank is that rank without its lowest bit.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binomial_gather", [[*"abcde"]] * 5):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 1->0:b 3->2:d
1 2->0:c|d
2 4->0:e

.. [OMPI] ``ompi_coll_base_gather_intra_binomial`` and ``ompi_coll_base_topo_build_in_order_bmtree`` in open-mpi/ompi
   5.0, which are in ompi/mca/coll/base/coll_base_gather.c and coll_base_topo.c.
"""

from sparring.spec.collectives.binomial_bcast import dst, rounds, src, steps
from sparring.spec.collectives.binomial_reduce import active
from sparring.spec.collectives.linear_gather import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.gtopk import zeros

__all__ = ["active", "dst", "goal", "kind", "rounds", "src", "start", "steps", "wanted", "zeros"]

encoding = "bits"


def adds(t: Int, p: Int) -> Bool:          return False


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The sender's, and those of the ranks below it."""
    return r, where(r + (1 << t) < p, 1 << t, p - r)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r`` has block ``c``, which is ``q``'s, if that is below it by one of these steps."""
    bits = (c ^ r).bit_length()
    return both(q == c, both(bits <= t, zeros(r, bits)))
