"""Broadcast by a scatter along a binomial tree and an allgather by recursive doubling, in chunks of all ranks [OMPI]_.

Cut the root's vector into a chunk for each rank, and scatter them as in ``binomial_scatter``.  Then in round ``i`` the
ranks that differ in bit ``i`` alone exchange the chunks of their blocks: a block are the ranks that have all bits from
``i`` on in common.  Where ``p`` is no power of two, the second of two such blocks may have fewer ranks than the first;
then some of the first have no partner, and the others, who have just received the second block's chunks, pass these on.
They do so along a binomial tree, too: from bit ``i - 1`` on downwards, whoever has these chunks sends them to the rank
that differs in this bit, if that has not.

This happens in each round ``i`` such that ``p`` has bit ``i`` and lower ones.  Let ``k`` be the highest of these: the
second block has less than ``2**(k + 1)`` ranks, and at least ``2**k``, so that all have its chunks after bit ``k``.  So
in all rounds together each bit below the highest that ``p`` has, down to the lowest that it has, is gone through once.

Requires: ``p >= 1``; rank 0 is the root.
Ensures:  every rank holds ``x[0]``.

Peers and chunks are those of Open MPI's scatter-allgather broadcast, which leaves out messages along the tree that
would be empty.  All that comes to the root is in vain: so ``economy`` is refuted, and rightly.

>>> from sparring import run
>>> xs = [[*"abcde"], *[["-"] * 5] * 4]
>>> for t, wire, _ in run("sparring.spec.collectives.scatter_relay_bcast", xs):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->4:e
1 0->2:c|d
2 0->1:b 2->3:d
3 0->1:a 1->0:b 2->3:c 3->2:d
4 0->2:a|b 1->3:a|b 2->0:c|d 3->1:c|d
5 0->4:a|b|c|d 4->0:e
6 0->2:e
7 0->1:e 2->3:e

.. [OMPI] ``ompi_coll_base_bcast_intra_scatter_allgather`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_bcast.c.
"""

from sparring.spec.collectives.binomial_bcast import rounds
from sparring.spec.collectives.linear_bcast import goal, kind, start
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.gtopk import zeros
from sparring.spec.recursive_doubling import log

__all__ = ["goal", "kind", "log", "rounds", "start", "zeros"]

encoding = "bits"


def scatter(t: Int, p: Int) -> Bool:       return t < rounds(p)  # the steps along the tree
def ends(p: Int) -> Int:                   return (p ^ (p - 1)).bit_length() - 1  # with how many zero bits p ends
def rest(r: Int, e: Int) -> Int:           return r - ((r >> e) << e)  # the lowest e bits


def gap(t: Int, p: Int) -> tuple[Int, Int, Int]:
    """``p`` without its lower bits, the lowest bit that is left, and how many rounds are done before step ``t``.

    Rounds up to that bit's own are made while ``p`` is cut here.  Steps in which chunks are passed on count as rounds,
    too: so then more are done than that bit says.
    """
    after = where(scatter(t, p), 0, t - rounds(p))
    bits = (after + ends(p) + 1) >> 1
    high = (p >> bits) << bits
    lower = where(p - high > 0, (p - high).bit_length() - 1, ends(p))
    return high, where(high > 0, (high ^ (high - 1)).bit_length() - 1, p.bit_length()), after + ends(p) - lower


def bit(t: Int, p: Int) -> Int:
    """Partners differ in this bit: downwards along the tree, upwards in the rounds, downwards from the round's own."""
    _, upper, done = gap(t, p)
    down = where(scatter(t, p), rounds(p) - 1 - t, 0)
    return where(scatter(t, p), down, where(done <= upper, done, 2 * upper - done))


def steps(p: Int) -> Int:                  return 2 * rounds(p) + log(p) - ends(p)
def adds(t: Int, p: Int) -> Bool:          return False
def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank that differs from ``r`` in this bit, itself if there is none."""
    found = r ^ (1 << bit(t, p))
    return where(found < p, found, r)


def lacks(r: Int, t: Int, p: Int) -> Bool:
    """Where the chunks from ``high`` on are passed on, whether a rank below has still to get them."""
    high, _, _ = gap(t, p)
    return p - high <= rest(r, bit(t, p) + 1)


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends: who has chunks for ranks below; all that have a partner; who has what that lacks."""
    other, (high, upper, done) = dst(r, t, p), gap(t, p)
    inside = both(r < high, high <= r + (1 << upper))
    passes = both(both(inside, r < other), both(negate(lacks(r, t, p)), lacks(other, t, p)))
    given = both(zeros(r, bit(t, p) + 1), r < other)
    return where(scatter(t, p), given, where(done <= upper, negate(other == r), passes))


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The chunks of the receiver and of those below it; those of the sender's block; those of the second block."""
    e, (high, upper, done) = bit(t, p), gap(t, p)
    passing = both(negate(scatter(t, p)), upper < done)
    first = where(scatter(t, p), dst(r, t, p), where(passing, high, (r >> e) << e))
    size = 1 << where(passing, upper, e)
    return first, where(first + size < p, size, p - first)


def has(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` has the root's chunk ``c`` after ``t`` steps: on its way down the tree, or by the rounds."""
    far, left = (c ^ r).bit_length(), where(scatter(t, p), rounds(p) - t, 0)
    high, upper, done = gap(t, p)
    waits = both(upper < done, both(both(r < high, high <= c), lacks(r, t, p)))
    came = both(far <= where(upper < done, upper + 1, done), negate(waits))
    return either(both(zeros(r, left), zeros(r, far)), both(negate(scatter(t, p)), came))


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s chunk ``c`` is ``q``'s: the root's if it came."""
    return q == where(has(r, c, t, p), 0, r)
