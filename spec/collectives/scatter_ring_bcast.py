"""Broadcast by a scatter along a binomial tree and an allgather around a ring [OMPI]_.

Cut the root's vector into ``p`` chunks.  First each rank gets the chunks of all below it in a tree, of which the parent
of a rank is that rank without its lowest bit: in every step whoever has some sends half of the ranks that it still has
chunks for theirs.  Then each rank sends its own chunk to the next one, and ``p - 2`` times what has just come.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The peers are those of Open MPI's scatter-allgather-ring broadcast, which leaves out messages along the tree that would
be empty.  Around the ring go also chunks that their receivers have from the tree, and all that come to the root are in
vain: so ``economy`` is refuted, and rightly.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.scatter_ring_bcast", [["a", "b", "c"], *[["-"] * 3] * 2]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->2:c
1 0->1:b
2 0->1:a 1->2:b 2->0:c
3 0->1:c 1->2:a 2->0:b

.. [OMPI] ``ompi_coll_base_bcast_intra_scatter_allgather_ring`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_bcast.c.
"""

from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.gtopk import zeros

__all__ = ["goal", "kind", "rounds", "start", "zeros"]

encoding = "bits"


def scatter(t: Int, p: Int) -> Bool:         return t < rounds(p)  # the steps along the tree
def turn(t: Int, p: Int) -> Int:             return where(scatter(t, p), 0, t - rounds(p))  # around the ring
def bit(t: Int, p: Int) -> Int:              return where(scatter(t, p), rounds(p) - 1 - t, 0)  # in which peers differ


def other(r: Int, t: Int, p: Int) -> Int:
    """The rank that differs from ``r`` in this bit, itself if there is none."""
    found = r ^ (1 << bit(t, p))
    return where(found < p, found, r)


def steps(p: Int) -> Int:                    return rounds(p) + p - 1
def dst(r: Int, t: Int, p: Int) -> Int:      return where(scatter(t, p), other(r, t, p), (r + 1) % p)
def src(r: Int, t: Int, p: Int) -> Int:      return where(scatter(t, p), other(r, t, p), (r - 1) % p)
def adds(t: Int, p: Int) -> Bool:            return False


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends: along the tree who has chunks for a rank after it, around the ring all."""
    return either(rounds(p) <= t, both(zeros(r, bit(t, p) + 1), r < other(r, t, p)))


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The chunks of the receiver and of those below it; around the ring, what came in the step before."""
    first, size = dst(r, t, p), 1 << bit(t, p)
    count = where(first + size < p, size, p - first)
    return where(scatter(t, p), first, (r - turn(t, p)) % p), where(scatter(t, p), count, 1)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s chunk ``c`` is ``q``'s: the root's if it came, on either way."""
    left = where(scatter(t, p), rounds(p) - t, 0)
    came = both(zeros(r, left), zeros(r, (c ^ r).bit_length()))
    return q == where(either(came, both(rounds(p) <= t, (r - c) % p <= turn(t, p))), 0, r)
