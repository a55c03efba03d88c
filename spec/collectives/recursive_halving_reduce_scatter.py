"""Reduce-scatter by recursive halving [TRG05]_.

In each round the ranks whose numbers differ in one bit alone, the highest first, halve what they have of the vector:
each sends the other's half and adds what it receives to its own.  So after ``log2 p`` rounds every rank has the sum of
its own chunk.  Where ``p`` is no power of two, each even rank below ``2 rem(p)`` first gives its vector to the next
rank, which numbers the two of them as one and looks after both chunks; then it is silent until that rank hands it the
sum of its chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Peers and chunks are those of Open MPI's ``ompi_coll_base_reduce_scatter_intra_basic_recursivehalving`` and
``ompi_coll_base_reduce_scatter_block_intra_recursivehalving`` (``ompi/mca/coll/base/coll_base_reduce_scatter.c`` and
``coll_base_reduce_scatter_block.c``), and those of MPICH's ``MPIR_Reduce_scatter_intra_recursive_halving``.

>>> from sparring import run
>>> given = [[*"abcde"], [*"ABCDE"], [*"12345"], [*"67890"], [*"vwxyz"]]
>>> for t, wire, _ in run("sparring.spec.collectives.recursive_halving_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a|b|c|d|e
1 1->3:dD|eE 2->4:4|5 3->1:6|7|8 4->2:v|w|x
2 1->2:8cC 2->1:v1|w2 3->4:eE0 4->3:4y
3 1->0:v16aA

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, reverse, where
from sparring.spec.recursive_doubling import active, adds, folds, idle, log, number, rank, rem, steps
from sparring.spec.recursive_doubling_allgather import first

__all__ = ["active", "adds", "folds", "idle", "log", "number", "rank", "rem", "steps"]  # recursive doubling's own

kind = "reduce_scatter"
encoding = "bits"


def inside(t: Int, p: Int) -> Bool:        return both(folds(p) <= t, adds(t, p))  # step t is a round


def rounds(t: Int, p: Int) -> Int:
    """How many rounds are done after ``t`` steps."""
    return where(t < folds(p), 0, where(adds(t, p), t - folds(p), log(p)))


def bit(t: Int, p: Int) -> Int:
    """Partners' numbers differ in this bit."""
    return where(inside(t, p), log(p) - 1 - rounds(t, p), 0)


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(number(r, p) ^ (1 << bit(t, p)), p)
    return where(inside(t, p), where(idle(r, p), r, other), pair)


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The whole vector; or the chunks of the half that the receiver keeps; or, in the end, the receiver's chunk."""
    begin = (number(dst(r, t, p), p) >> bit(t, p)) << bit(t, p)
    start, end = first(begin, p), first(begin + (1 << bit(t, p)), p)
    fold, half = t < folds(p), inside(t, p)
    return where(fold, 0, where(half, start, dst(r, t, p))), where(fold, p, where(half, end - start, 1))


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """What it keeps: the chunks of numbers that have all bits of the rounds so far in common with its own."""
    return either(idle(r, p), number(c, p) ^ number(r, p) < 1 << (log(p) - rounds(t, p)))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    theirs, own = (reverse(number(x, p), log(p)) for x in (q, r))
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    summed = theirs ^ own < 1 << rounds(t, p)
    return where(alone, q == r, where(idle(r, p), either(q == r, r == c), summed))
