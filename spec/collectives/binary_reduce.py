"""Reduction along a binary tree: each rank adds the sums of its two children and sends that to its parent [OMPI]_.

Level ``l`` of the tree has ``2**l`` ranks, those from ``2**l - 1`` on.  The deepest level sends first: rank ``r`` of
level ``l + 1`` sends its sum to rank ``r - 2**l`` or ``r - 2**(l + 1)``, which is on level ``l``.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The tree is Open MPI's, and that of ``binary_bcast``.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binary_reduce", [[x] for x in "abcdef"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 3->1:d 4->2:e 5->1:f
1 1->0:bdf 2->0:ec

.. [OMPI] ``ompi_coll_base_reduce_intra_binary`` and ``ompi_coll_base_topo_build_tree`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_reduce.c and coll_base_topo.c.
"""

from sparring.spec.collectives import binary_bcast
from sparring.spec.collectives.binary_bcast import chunk, chunks, log, messages, on, parent, steps
from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either, where

__all__ = ["chunk", "chunks", "goal", "kind", "log", "messages", "on", "parent", "start", "steps", "wanted"]

encoding = "bits"


def level(t: Int, p: Int) -> Int:                    return log(p) - t  # of those that send


def side(r: Int, t: Int, p: Int) -> Int:
    """Whether ``r`` is below the first or the second child of a rank that receives, or is this child: a bit tells."""
    return where(r + 1 < (r + 1) ^ (1 << (level(t, p) - 1)), 0, 1)


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:      return binary_bcast.dst(r, level(t, p) - 1, j, p)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def active(r: Int, t: Int, j: Int, p: Int) -> Bool:  return both(on(r, level(t, p)), j == side(r, t, p))
def adds(t: Int, p: Int) -> Bool:                    return True
def who(q: Int, r: Int, t: Int, p: Int) -> Int:      return side(q, t, p)


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """A rank that has sent what it has does no more."""
    return r + 1 < 1 << (level(t, p) + 1)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps the ranks of a level have the contributions of all below them, those above it their own."""
    e = level(t, p)
    ends_alike = q + 1 - ((q + 1) >> e << e) == r + 1 - (1 << e)  # as bits, without the first of r + 1
    return either(q == r, both(on(r, e), both(r < q, ends_alike)))
