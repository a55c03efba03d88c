"""Dense allreduce by reduce-scatter and allgather, Rabenseifner's algorithm [TRG05]_.

Cut every vector into as many chunks as the largest power of two in ``p``.  In round ``i`` the ranks
whose numbers differ in bit ``i`` alone halve what they have of the vector: each sends the other's
half and adds what it receives to its own, the lower number keeping the lower half.  So after
``log2 p`` rounds the rank of number ``v`` has the sum of one chunk, whose number is ``v`` with its
bits in reverse order.  The same rounds backwards, in which each sends all that it has finished,
show it to everybody.

Where ``p`` is no power of two, each even rank below ``2 rem(p)`` first gives its vector to the next
rank, which numbers the two of them as one; then it is silent until that rank hands it the sum.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

Peers, halves and their order are those of MPICH's reduce-scatter-allgather allreduce, which gives
one entry more to each of the first chunks where they are not all equal, and refuses vectors with
fewer entries than chunks; where chunks begin, and that they may be empty, is this page's own.

>>> from sparring import run
>>> for t, wire, _ in run("rabenseifner", [[*"abcd"], [*"ABCD"], [*"1234"], [*"5678"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:c|d 1->0:A|B 2->3:3|4 3->2:5|6
1 0->2:Bb 1->3:dD 2->0:51 3->1:37
2 0->2:51Aa 1->3:37cC 2->0:Bb62 3->1:dD48
3 0->1:51Aa|Bb62 1->0:37cC|dD48 2->3:51Aa|Bb62 3->2:37cC|dD48

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, negate, reverse, where
from sparring.spec.recursive_doubling import folds, idle, log, number, rank, rem

__all__ = ["folds", "idle", "log", "number", "rank", "rem"]  # recursive doubling's own

encoding = "bits"


def halved(p: Int) -> Int:                 return folds(p) + log(p)        # steps until each rank has a finished chunk
def shown(p: Int) -> Int:                  return halved(p) + log(p)       # and until all that exchange have all chunks
def place(r: Int, p: Int) -> Int:          return reverse(number(r, p), log(p))  # the chunk that rank r finishes
def fold(t: Int, p: Int) -> Bool:          return either(t < folds(p), shown(p) <= t)  # the steps before and after


def bit(t: Int, p: Int) -> Int:
    """Partners' numbers differ in this bit."""
    return where(fold(t, p), 0, where(t < halved(p), t - folds(p), shown(p) - 1 - t))


def depth(t: Int, p: Int) -> Int:
    """After ``t`` steps a rank looks after the ``2**depth``-th part of the vector in which ``place`` lies."""
    return where(t < folds(p), 0, where(t < halved(p), t - folds(p), where(t < shown(p), shown(p) - t, 0)))


def after(r: Int, c: Int, d: Int, p: Int) -> Bool:
    """Chunk ``c`` is in the ``2**d``-th part of the vector that rank ``r`` looks after."""
    return c ^ place(r, p) < 1 << (log(p) - d)


def steps(p: Int) -> Int:                  return 2 * (folds(p) + log(p))
def chunks(p: Int) -> Int:                 return 1 << log(p)
def adds(t: Int, p: Int) -> Bool:          return t < halved(p)


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends in step ``t``: the idle give, the others exchange, then give back."""
    gives_back = both(r < 2 * rem(p), negate(idle(r, p)))
    return where(t < folds(p), idle(r, p), where(t < shown(p), negate(idle(r, p)), gives_back))


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(number(r, p) ^ (1 << bit(t, p)), p)
    return where(fold(t, p), pair, where(idle(r, p), r, other))


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The whole vector; or the half that the receiver keeps; or all that is finished."""
    size = where(fold(t, p), log(p), log(p) - 1 - bit(t, p))
    inside = place(where(t < halved(p), dst(r, t, p), r), p)
    return (inside >> size) << size, 1 << size


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    kept = log(p) - (c ^ place(r, p)).bit_length()         # so many rounds until r gives c away
    rounds = where(t < halved(p), depth(t, p), log(p))
    comes = (number(q, p) ^ number(r, p)).bit_length()     # so many until q's contribution is in what r keeps
    summed = both(comes <= kept, comes <= rounds)
    finished = both(halved(p) <= t, either(steps(p) <= t, after(r, c, depth(t, p), p)))
    return where(alone, q == r, either(finished, summed))
