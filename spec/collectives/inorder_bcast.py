"""Broadcast along an in-order binary tree: each rank sends what it gets to two children, one on each side [SST09]_.

The tree is that of ``inorder_reduce``, which goes the other way.  The highest level gets the vector first.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

The tree is the first of NCCL's double binary trees [NCCL]_.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.inorder_bcast", [[x] for x in "abcdef"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->4:a
1 4->2:a
2 2->1:a 2->3:a 4->5:a

.. [SST09] P. Sanders, J. Speck and J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
   scan", Parallel Computing 35(12), 2009.
.. [NCCL] ``ncclGetBtree`` in NVIDIA/nccl, which is in src/graph/trees.cc.
"""

from sparring.spec.collectives import inorder_reduce
from sparring.spec.collectives.inorder_reduce import messages, rises, rounds, steps, zeros
from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, where

__all__ = ["goal", "kind", "messages", "rises", "rounds", "start", "steps", "zeros"]

encoding = "bits"


def level(t: Int, p: Int) -> Int:                    return steps(p) - 1 - t  # of those that get the vector
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:      return inorder_reduce.dst(r, level(t, p), j, p)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def chunks(p: Int) -> Int:                           return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:                    return False
def who(r: Int, t: Int, p: Int) -> Int:              return where(rises(r, level(t, p), p), 0, 1)  # from the parent


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    """Whether message ``j`` goes to a child, which on the way up would send it here."""
    return inorder_reduce.active(dst(r, t, j, p), level(t, p), j, p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector is ``q``'s."""
    return q == where(zeros(r, steps(p) - t), 0, r)
