"""Broadcast along a binary tree: whoever gets the root's vector sends it to two more [OMPI]_.

Level ``t`` of the tree has ``2**t`` ranks, those from ``2**t - 1`` on.  In step ``t`` rank ``r`` of this level sends
the vector to ranks ``r + 2**t`` and ``r + 2**(t + 1)``, as far as these exist.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The tree is Open MPI's.  It is no heap, in which the children of ``r`` are ``2 r + 1`` and ``2 r + 2``: all odd ranks
are on the root's left and all even ones on its right.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.binary_bcast", [[x] for x in "abcdef"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a 0->2:a
1 1->3:a 1->5:a 2->4:a

.. [OMPI] ``ompi_coll_base_bcast_intra_bintree`` and ``ompi_coll_base_topo_build_tree`` in open-mpi/ompi 5.0,
   which are in ompi/mca/coll/base/coll_base_bcast.c and coll_base_topo.c.
"""

from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.recursive_doubling import log

__all__ = ["goal", "kind", "log", "start"]  # linear broadcast's promise, recursive doubling's logarithm

encoding = "bits"


def on(r: Int, t: Int) -> Bool:
    """Rank ``r`` is on level ``t``."""
    return both(1 << t <= r + 1, r + 1 < 1 << (t + 1))


def child(r: Int, t: Int, j: Int) -> Int:            return r + (1 << (t + j))  # of a rank of level t
def parent(r: Int, t: Int, j: Int) -> Int:           return r - (1 << (t + j))  # of a rank of level t + 1


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:
    """Its child by message ``j``; its parent, of a rank to which this message comes; else itself."""
    down, up = both(on(r, t), child(r, t, j) < p), on(parent(r, t, j), t)
    return where(down, child(r, t, j), where(up, parent(r, t, j), r))


def steps(p: Int) -> Int:                            return log(p)  # the level of the last rank
def messages(t: Int, p: Int) -> Int:                 return 2
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def active(r: Int, t: Int, j: Int, p: Int) -> Bool:  return both(on(r, t), child(r, t, j) < p)
def chunks(p: Int) -> Int:                           return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:                    return False
def who(r: Int, t: Int) -> Int:                      return where(on(parent(r, t, 0), t), 0, 1)  # brings the vector


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(r + 1 < 1 << (t + 1), 0, r)
