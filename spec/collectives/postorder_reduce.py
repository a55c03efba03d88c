"""Reduction along a binary tree that has the ranks in post-order: each adds up ranks that follow one another [OMPI]_.

Of a tree with ``n`` ranks the first ``floor(n/2)`` are the tree below one child of the root, the last one is the root,
and those between are the tree below its other child.  So rank ``p-1`` has the sum.  At the end it sends that to rank 0,
which is a leaf.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The tree has the shape of ``binary_reduce``'s, and the page numbers ranks by their places there: how they are numbered
changes no theorem, and the number of a rank has no formula.  Only number 0 and ``root(p)`` have changed places, so that
the sum ends on number 0.  Open MPI calls the tree in-order, and takes it where ``+`` does not commute.  Of six ranks
these are in the places 0 to 5: 0, 2, 4, 5, 3 and 1.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.postorder_reduce", [[x] for x in "acefdb"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a 4->2:d 5->1:b
1 1->3:acb 2->3:de
2 3->0:acbdef

.. [OMPI] ``ompi_coll_base_reduce_intra_in_order_binary`` and ``ompi_coll_base_topo_build_in_order_bintree`` in
   open-mpi/ompi 5.0, which are in ompi/mca/coll/base/coll_base_reduce.c and coll_base_topo.c.
"""

from sparring.spec.collectives import binary_reduce
from sparring.spec.collectives.binary_reduce import chunk, chunks, goal, kind, log, messages, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either, where

__all__ = ["chunk", "chunks", "goal", "kind", "log", "messages", "start", "wanted"]  # all the same there

encoding = "bits"


def root(p: Int) -> Int:                             return (1 << log(p)) - 1  # in the tree, the place of number 0
def place(r: Int, p: Int) -> Int:                    return where(r == 0, root(p), where(r == root(p), 0, r))
def last(t: Int, p: Int) -> Bool:                    return log(p) <= t  # after the steps of the tree
def step(t: Int, p: Int) -> Int:                     return where(last(t, p), log(p) - 1, t)  # of the tree


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:
    """Its peer in the tree; at the end the first rank and the root are each other's."""
    peer = place(binary_reduce.dst(place(r, p), step(t, p), j, p), p)
    return where(last(t, p), where(either(r == 0, r == root(p)), root(p) - r, r), peer)


def steps(p: Int) -> Int:                            return where(p > 1, log(p) + 1, 0)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def adds(t: Int, p: Int) -> Bool:                    return t < log(p)


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends message ``j``: to its parent, or the sum."""
    sum_ = both(r == root(p), j == 0)
    return where(last(t, p), sum_, binary_reduce.active(place(r, p), step(t, p), j, p))


def who(q: Int, r: Int, t: Int, p: Int) -> Int:
    """The message that brings ``q``'s contribution."""
    return where(last(t, p), 0, binary_reduce.who(place(q, p), place(r, p), step(t, p), p))


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """A rank that has sent what it has does no more, but for the first."""
    return either(r == 0, place(r, p) + 1 < 1 << (log(p) + 1 - where(last(t, p), log(p), t)))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, what ranks have in the tree; in the end the first rank has all."""
    e = where(last(t, p), log(p), t)
    return either(both(r == 0, t > log(p)), binary_reduce.holds(place(q, p), place(r, p), c, e, p))
