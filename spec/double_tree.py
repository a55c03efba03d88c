"""Dense allreduce along double binary trees [SST09]_: each tree reduces and broadcasts one half of the vector.

The first tree is in order: a rank whose number ends with exactly ``e`` zero bits is on level ``e``, and its parent is
one of the two ranks of numbers ``2**e`` more and less, the one on level ``e + 1``, or the lesser if the greater number
does not exist; rank 0 is the root, whose only child is the largest power of two below ``p``.  The odd numbers are the
leaves.  In the second tree ranks are numbered from rank 1 on, so that of a leaf of one tree the number in the other is
even: it is none there.  In step ``e`` level ``e`` sends up; then all goes down the same ways.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

The trees are NCCL's [NCCL]_ if ``p`` is odd; if it is even, NCCL's second tree is the first one mirrored.  There many
pieces of each half follow one another through the trees; here a half is one message on each edge, level by level.

>>> from sparring import run
>>> for t, wire, _ in run("double_tree", [["a", "A"], ["b", "B"], ["c", "C"], ["d", "D"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->3:A 1->2:b 2->3:C 3->2:d
1 2->0:bcd 3->1:ACD
2 0->2:bcda 1->3:ACDB
3 2->1:bcda 2->3:bcda 3->2:ACDB 3->0:ACDB

.. [SST09] P. Sanders, J. Speck and J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
   scan", Parallel Computing 35(12), 2009.
.. [NCCL] ``ncclGetBtree`` and ``ncclGetDtree`` in NVIDIA/nccl, which are in src/graph/trees.cc.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.gtopk import rounds, zeros

__all__ = ["rounds", "zeros"]

encoding = "bits"


def number(r: Int, c: Int, p: Int) -> Int:           return where(c == 0, r, (r - 1) % p)  # in the tree of half c
def rank(v: Int, c: Int, p: Int) -> Int:             return where(c == 0, v, (v + 1) % p)
def tree(j: Int) -> Int:                             return where(j < 2, 0, 1)  # of message j
def rising(j: Int) -> Bool:                          return either(j == 0, j == 2)  # to a greater parent, or back
def level(t: Int, p: Int) -> Int:                    return where(adds(t, p), t, steps(p) - 1 - t)  # of the children
def child(v: Int, e: Int) -> Bool:                   return both(zeros(v, e), negate(zeros(v, e + 1)))  # is on level e


def other(v: Int, e: Int, j: Int, p: Int) -> Int:
    """The number's lesser child or greater parent by a message that rises, else its greater child or lesser parent."""
    w = where(rising(j), (v ^ (1 << e)) ^ (1 << (e + 1)), v ^ (1 << e))
    return where(w < p, w, v)


def below(v: Int, e: Int, p: Int) -> Bool:
    """Whether a number of level ``e`` has the greater parent, and not the lesser."""
    return v < other(v, e, 0, p)


def steps(p: Int) -> Int:                            return 2 * rounds(p)
def messages(t: Int, p: Int) -> Int:                 return 4
def chunks(p: Int) -> Int:                           return 2
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:    return tree(j)
def adds(t: Int, p: Int) -> Bool:                    return t < rounds(p)  # up, then down
def src(r: Int, t: Int, j: Int, p: Int) -> Int:      return dst(r, t, j, p)


def dst(r: Int, t: Int, j: Int, p: Int) -> Int:
    """The rank of the other number, itself if there is none."""
    return rank(other(number(r, tree(j), p), level(t, p), j, p), tree(j), p)


def active(r: Int, t: Int, j: Int, p: Int) -> Bool:
    """Whether the sender, on the way up, or the receiver, on the way down, is a child that has its parent there."""
    e, v = level(t, p), number(where(adds(t, p), r, dst(r, t, j, p)), tree(j), p)
    return both(child(v, e), where(rising(j), below(v, e, p), negate(below(v, e, p))))


def who(q: Int, r: Int, c: Int, t: Int, p: Int) -> Int:
    """Going up the lesser child has what is from lesser numbers; going down all comes from the parent."""
    v, w = number(r, c, p), number(q, c, p)
    return where(where(adds(t, p), w < v, below(v, level(t, p), p)), where(c == 0, 0, 2), where(c == 0, 1, 3))


def spread(v: Int, t: Int) -> Int:
    """What is below number ``v`` up to level ``t`` is less than so far away: the value of its lowest bit that is 1."""
    last = where(v > 0, (v ^ (v - 1)).bit_length() - 1, 0)
    return where(zeros(v, t), 1 << t, 1 << last)


def told(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r`` has the sum, from its parent or as the root."""
    return both(rounds(p) <= t, zeros(number(r, c, p), steps(p) - t))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps rank ``r``'s half ``c`` has ``q``'s contribution.

    Up to level ``t`` it has all that is below it; above, only what is greater, if no other number can follow.
    """
    v, w, d = number(r, c, p), number(q, c, p), spread(number(r, c, p), t)
    so_far = where(zeros(v, t + 1), both(v < w, p <= v + d), both(v - d < w, w < v + d))
    return either(q == r, either(told(r, c, t, p), so_far))
