"""Reduce-scatter by a butterfly [Tra05]_.

In each round the ranks whose numbers differ in one bit alone, the lowest first, halve what they have of the vector:
each sends the other's half and adds what it receives to its own.  As halves go by bits in the one order and partners
in the other, a rank is left with the chunks of the number that has its own number's bits in reverse order, and sums
are always of numbers in a row.  So in the end those two ranks exchange what they have.  Where ``p`` is no power of
two, each even rank below ``2 rem(p)`` first gives its vector to the next rank, which numbers the two of them as one;
then it is silent until the rank that has the sum of its chunk sends it.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Peers and chunks are those of Open MPI's ``ompi_coll_base_reduce_scatter_intra_butterfly`` and, where ``p`` is no power
of two, of ``ompi_coll_base_reduce_scatter_block_intra_butterfly`` (``ompi/mca/coll/base/coll_base_reduce_scatter.c``
and ``coll_base_reduce_scatter_block.c``).

>>> from sparring import run
>>> given = [[*"abcd"], [*"ABCD"], [*"1234"], [*"wxyz"]]
>>> for t, wire, _ in run("sparring.spec.collectives.butterfly_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:c|d 1->0:A|B 2->3:3|4 3->2:w|x
1 0->2:Bb 1->3:dD 2->0:w1 3->1:3y
2 1->2:3ycC 2->1:Bbx2

.. [Tra05] J. L. Traeff, "An improved algorithm for (non-commutative) reduce-scatter with an application", Recent
   Advances in Parallel Virtual Machine and Message Passing Interface (EuroPVM/MPI), LNCS 3666, 2005.
"""

from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, kind, rounds
from sparring.spec.core.numbers import Bool, Int, both, either, negate, reverse, where
from sparring.spec.recursive_doubling import adds, folds, idle, log, number, rank, rem
from sparring.spec.recursive_doubling_allgather import first

__all__ = ["adds", "kind"]

encoding = "bits"


def swaps(p: Int) -> Int:                  return where(log(p) > 1, 1, 0)  # steps in which ranks exchange sums
def steps(p: Int) -> Int:                  return log(p) + 2 * folds(p) + swaps(p)


def swap(t: Int, p: Int) -> Bool:
    """Step ``t`` is the one in which they do."""
    return both(negate(adds(t, p)), t < folds(p) + log(p) + swaps(p))


def mirror(r: Int, p: Int) -> Int:
    """The number whose chunks rank ``r`` is left with after the rounds."""
    return reverse(number(r, p), log(p))


def bit(t: Int, p: Int) -> Int:
    """Partners' numbers differ in this bit."""
    return where(inside(t, p), t - folds(p), 0)


def late(r: Int, p: Int) -> Int:
    """The silent rank to which ``r`` sends the sum of its chunk, or from which it gets it; itself if there is none."""
    place = mirror(r, p)
    return where(idle(r, p), rank(place, p), where(place < rem(p), 2 * place, r))


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(where(inside(t, p), number(r, p) ^ (1 << bit(t, p)), mirror(r, p)), p)
    partner = where(idle(r, p), r, other)
    return where(t < folds(p), pair, where(either(inside(t, p), swap(t, p)), partner, late(r, p)))


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def active(r: Int, t: Int, p: Int) -> Bool:
    """The silent give their vectors; then all others exchange, as far as they have a partner, and give sums."""
    return where(t < folds(p), idle(r, p), both(negate(idle(r, p)), negate(dst(r, t, p) == r)))


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The whole vector; or the chunks of the half that the receiver keeps; or, in the end, the receiver's chunk."""
    size = where(inside(t, p), log(p) - 1 - bit(t, p), 0)
    begin = (mirror(dst(r, t, p), p) >> size) << size
    start, end = first(begin, p), first(begin + (1 << size), p)
    fold, half = t < folds(p), inside(t, p)
    return where(fold, 0, where(half, start, dst(r, t, p))), where(fold, p, where(half, end - start, 1))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution, if it came while kept."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    came = (number(q, p) ^ number(r, p)).bit_length()
    kept = log(p) - (number(c, p) ^ mirror(r, p)).bit_length()
    summed = both(came <= rounds(t, p), came <= kept)
    swapped = both(r == c, folds(p) + log(p) + swaps(p) <= t)
    return where(alone, q == r, where(idle(r, p), either(q == r, r == c), either(swapped, summed)))
