"""Broadcast along a binomial tree: in each step everybody who has the root's vector sends it to one more [OMPI]_.

In step ``t`` the ranks below ``2**t`` have the vector, and rank ``r`` sends it to rank ``r + 2**t``, if there is one.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The tree is Open MPI's: the parent of a rank is that rank without its highest bit.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binomial_bcast", [["a"], ["b"], ["c"], ["d"], ["e"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a
1 0->2:a 1->3:a
2 0->4:a

.. [OMPI] ``ompi_coll_base_bcast_intra_binomial`` and ``ompi_coll_base_topo_build_bmtree`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_bcast.c and coll_base_topo.c.
"""

from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.recursive_doubling import log, rem

__all__ = ["goal", "kind", "log", "rem", "start"]  # linear broadcast's promise, recursive doubling's logarithm

encoding = "bits"


def rounds(p: Int) -> Int:                 return log(p) + where(rem(p) > 0, 1, 0)  # log2 p, rounded up
def other(r: Int, t: Int) -> Int:          return r ^ (1 << t)  # the number that differs from r in bit t


def steps(p: Int) -> Int:                  return rounds(p)
def dst(r: Int, t: Int, p: Int) -> Int:    return where(other(r, t) < p, other(r, t), r)
def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)
def chunks(p: Int) -> Int:                 return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:  return 0
def adds(t: Int, p: Int) -> Bool:          return False


def active(r: Int, t: Int, p: Int) -> Bool:
    return both(r < 1 << t, other(r, t) < p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(r < 1 << t, 0, r)
