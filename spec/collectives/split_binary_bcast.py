"""Broadcast of halves along a binary tree: one half on each side, which the sides then swap [OMPI]_.

The tree is that of ``binary_bcast``: its left side has the odd ranks, its right side the even ones.  The root sends the
first half to the left and the second to the right, and each rank sends on what it gets.  In the last step each odd rank
and the even rank after it send each other their halves; an odd rank that is the last one gets the root's second half.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The peers are those of Open MPI's split binary tree, which gives the longer half to the left side.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.split_binary_bcast", [["a", "b"], *[["-", "-"]] * 5]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a 0->2:b
1 1->3:a 1->5:a 2->4:b
2 0->5:b 1->2:a 2->1:b 3->4:a 4->3:b

.. [OMPI] ``ompi_coll_base_bcast_intra_split_bintree`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_bcast.c.
"""

from sparring.spec.collectives import binary_bcast
from sparring.spec.collectives.binary_bcast import log, messages
from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where

__all__ = ["goal", "kind", "log", "messages", "start"]

encoding = "bits"


def side(r: Int) -> Int:                             return (r + 1) % 2  # 0 on the left; the root counts as right
def down(t: Int, p: Int) -> Bool:                    return t < log(p)  # the steps before the swap


def pair(r: Int, p: Int) -> Int:
    """The rank with which ``r`` swaps, around the end."""
    return where(side(r) == 0, (r + 1) % p, (r - 1) % p)


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:
    """In the swap its pair by message 0; a last rank that is even has none, as the root lacks nothing."""
    swaps = both(j == 0, either(p % 2 == 0, r > 0))
    return where(down(t, p), binary_bcast.dst(r, t, j, p), where(swaps, pair(r, p), r))


def steps(p: Int) -> Int:                            return log(p) + where(p > 1, 1, 0)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def chunks(p: Int) -> Int:                           return 2
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return where(t + r == 0, j, side(r))
def adds(t: Int, p: Int) -> Bool:                    return False


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends message ``j``: down the tree, then to its pair unless that is the root."""
    swaps = both(negate(dst(r, t, j, p) == r), negate(dst(r, t, j, p) == 0))
    return where(down(t, p), binary_bcast.active(r, t, j, p), swaps)


def who(r: Int, t: Int, p: Int) -> Int:
    """Which message comes to rank ``r``."""
    return where(down(t, p), binary_bcast.who(r, t), 0)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s half ``c`` is ``q``'s: the root's if ``r`` is high enough in the tree."""
    mine = both(r + 1 < 1 << (t + 1), either(r == 0, c == side(r)))
    return q == where(either(mine, log(p) < t), 0, r)
