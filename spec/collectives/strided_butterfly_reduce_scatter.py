"""Reduce-scatter by a butterfly that takes chunks by the last bits of their numbers [Tra05]_.

In each round the ranks whose numbers differ in one bit alone, the lowest first, halve what they have of the vector:
each sends the chunks whose number has the other's bit there, every other one of what it has, and adds what it receives
to its own.  So after ``log2 p`` rounds every rank has the sum of its own chunk.  In ``butterfly_reduce_scatter``, where
halves are in a row, ranks still have to exchange sums then.  Where ``p`` is no power of two, each even rank below
``2 rem(p)`` first gives its vector to the next rank, which numbers the two of them as one and looks after both chunks;
then it is silent until that rank hands it the sum of its chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Where ``p`` is a power of two, peers and chunks are those of Open MPI's
``ompi_coll_base_reduce_scatter_block_intra_butterfly`` (``ompi/mca/coll/base/coll_base_reduce_scatter_block.c``), which
puts chunks into the order of reversed numbers first, so that they lie in a row there.  How other ``p`` fold is this
page's own choice.

>>> from sparring import run
>>> given = [[*"abcd"], [*"ABCD"], [*"1234"], [*"wxyz"]]
>>> for t, wire, _ in run("sparring.spec.collectives.strided_butterfly_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b|d 1->0:A|C 2->3:2|4 3->2:w|y
1 0->2:Cc 1->3:dD 2->0:w1 3->1:2x

.. [Tra05] J. L. Traeff, "An improved algorithm for (non-commutative) reduce-scatter with an application", Recent
   Advances in Parallel Virtual Machine and Message Passing Interface (EuroPVM/MPI), LNCS 3666, 2005.
"""

from sparring.spec.collectives.butterfly_reduce_scatter import mirror
from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, kind, rounds
from sparring.spec.core.numbers import Bool, Int, either, where
from sparring.spec.recursive_doubling import active, adds, dst, folds, idle, log, number, rem, src, steps

__all__ = ["active", "adds", "dst", "kind", "src", "steps"]  # recursive doubling's own

encoding = "bits"


def alike(r: Int, c: Int, bits: Int, p: Int) -> Bool:
    """Rank ``r`` and chunk ``c`` have numbers that end with the same ``bits`` bits."""
    return mirror(c, p) ^ mirror(r, p) < 1 << (log(p) - bits)


def carries(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """The whole vector; or the chunks that the receiver keeps; or, in the end, the receiver's chunk."""
    bits, partner = where(inside(t, p), rounds(t, p) + 1, 0), dst(r, t, p)
    return where(t < folds(p), True, where(inside(t, p), alike(partner, c, bits, p), c == partner))


def ending(v: Int, bits: Int) -> Int:
    """The last ``bits`` bits of number ``v``."""
    return v - ((v >> bits) << bits)


def counted(v: Int, x: Int, bits: Int) -> Int:
    """How many numbers below ``x`` end with the same ``bits`` bits as ``v``: one in ``2**bits``."""
    return (x - ending(v, bits) - 1 + (1 << bits)) >> bits


def below(r: Int, c: Int, t: Int, p: Int) -> Int:
    """How many of the chunks before ``c``: of those with two chunks a number, and of the rest."""
    bits, v = where(inside(t, p), rounds(t, p) + 1, 0), number(dst(r, t, p), p)
    seconds, others = where(c < 2 * rem(p), c >> 1, rem(p)), where(c < 2 * rem(p), (c + 1) >> 1, c - rem(p))
    picked = counted(v, seconds, bits) + counted(v, others, bits)
    return where(t < folds(p), c, where(inside(t, p), picked, where(dst(r, t, p) < c, 1, 0)))


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """What it keeps: the chunks of numbers that have all bits of the rounds so far in common with its own."""
    return either(idle(r, p), alike(r, c, rounds(t, p), p))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    summed = number(q, p) ^ number(r, p) < 1 << rounds(t, p)
    return where(alone, q == r, where(idle(r, p), either(q == r, r == c), summed))
