"""Reduction along an in-order binary tree: each rank adds the sums of two children, one on each side of it [SST09]_.

A rank whose number ends with exactly ``e`` zero bits is on level ``e``.  Its parent is the one of the two ranks
``2**e`` more and less that is on level ``e + 1``, or the lesser if the greater does not exist; rank 0 is the root,
whose only child is the largest power of two below ``p``.  In step ``e`` level ``e`` sends its sums up.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

The tree is the first of NCCL's double binary trees [NCCL]_.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.inorder_reduce", [[x] for x in "abcdef"]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 1->2:b 3->2:d 5->4:f
1 2->4:bcd
2 4->0:bcdfe

.. [SST09] P. Sanders, J. Speck and J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
   scan", Parallel Computing 35(12), 2009.
.. [NCCL] ``ncclGetBtree`` in NVIDIA/nccl, which is in src/graph/trees.cc.
"""

from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.gtopk import rounds, zeros

__all__ = ["goal", "kind", "rounds", "start", "wanted", "zeros"]

encoding = "bits"


def child(r: Int, t: Int) -> Bool:                   return both(zeros(r, t), negate(zeros(r, t + 1)))  # is on level t


def other(r: Int, t: Int, j: Int, p: Int) -> Int:
    """By message 0 the lesser child or the greater parent, by message 1 the greater child or the lesser parent."""
    k = r >> t
    met = where(k % 4 == 1, k + 1, where(k % 4 == 2, k - 1, k))  # between a multiple of four and the next
    x = where(j == 0, where(zeros(r, t), met << t, r), r ^ (1 << t))
    return where(x < p, x, r)


def rises(r: Int, t: Int, p: Int) -> Bool:
    """Whether a rank of level ``t`` has the greater parent."""
    return r < other(r, t, 0, p)


def steps(p: Int) -> Int:                            return rounds(p)
def messages(t: Int, p: Int) -> Int:                 return 2
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:      return other(r, t, j, p)
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)
def chunks(p: Int) -> Int:                           return 1  # the whole vector
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return 0
def adds(t: Int, p: Int) -> Bool:                    return True
def who(q: Int, r: Int) -> Int:                      return where(q < r, 0, 1)
def live(r: Int, c: Int, t: Int, p: Int) -> Bool:    return zeros(r, t)  # who has sent what it has does no more


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends message ``j``: to its one parent."""
    return both(child(r, t), where(j == 0, rises(r, t, p), negate(rises(r, t, p))))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps a rank of level ``t`` has all that is below it; above, only what is greater, if that is all."""
    near = both(r - (1 << t) < q, q < r + (1 << t))
    return either(q == r, where(child(r, t), near, both(r < q, p <= r + (1 << t))))
