"""Broadcast along a 4-nomial tree: whoever has the root's vector sends it to three more at once [OMPI]_.

Write the ranks' numbers to the base 4.  From the highest digit on, each rank that has only zeros from a digit down has
the vector, and sends it to the three ranks that differ in this digit alone, as far as these exist.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The tree is Open MPI's, with the radix that it takes unless told another: the parent of a rank is that rank with a 0 in
place of its lowest digit that is not 0.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.knomial_bcast", [[x] for x in "abcdefg"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->4:a
1 0->1:a 0->2:a 0->3:a 4->5:a 4->6:a

.. [OMPI] ``ompi_coll_base_bcast_intra_knomial`` and ``ompi_coll_base_topo_build_kmtree`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_bcast.c and coll_base_topo.c.
"""

from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.gtopk import zeros

__all__ = ["goal", "kind", "rounds", "start", "zeros"]

encoding = "bits"


def digit(t: Int, p: Int) -> Int:                    return 2 * (steps(p) - 1 - t)  # where it begins, as a bit


def other(r: Int, t: Int, j: Int, p: Int) -> Int:
    """The number that differs from ``r`` in this digit: in its lower bit, in its upper bit, or in both."""
    one, two = 1 << digit(t, p), 1 << (digit(t, p) + 1)
    return where(j == 0, r ^ one, where(j == 1, r ^ two, (r ^ one) ^ two))


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:      return where(other(r, t, j, p) < p, other(r, t, j, p), r)
def steps(p: Int) -> Int:                            return (rounds(p) + 1) >> 1  # log4 p, rounded up
def messages(t: Int, p: Int) -> Int:                 return 3
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def active(r: Int, t: Int, j: Int, p: Int) -> Bool:  return both(zeros(r, digit(t, p) + 2), other(r, t, j, p) < p)
def chunks(p: Int) -> Int:                           return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:                    return False


def who(r: Int, t: Int, p: Int) -> Int:
    """Which message brings the vector: the digit tells, less 1."""
    return (r >> digit(t, p)) % 4 - 1


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(zeros(r, digit(t, p) + 2), 0, r)
