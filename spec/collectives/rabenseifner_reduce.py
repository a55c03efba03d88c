"""Reduction by a reduce-scatter and a gather, Rabenseifner's algorithm [OMPI]_.

Cut every vector into as many chunks as the largest power of two in ``p``.  In round ``i`` the ranks whose numbers
differ in bit ``i`` alone halve what they have of the vector, as in the allreduce of ``spec/rabenseifner.py``, until
each has the sum of one chunk.  Then the rounds go backwards along a tree: who has bit ``i`` as its highest sends all
its sums to its partner, in which this bit is 0.

Where ``p`` is no power of two, each even rank below ``2 rem(p)`` and the next rank first halve their vectors in the
same way; then the odd one hands its half of the sum to the even one, which numbers the two of them as one.

Requires: ``p >= 1``; ``+`` associative and commutative; rank 0 is the root.
Ensures:  rank 0 holds ``x[0] + ... + x[p-1]``.

Peers and halves are those of Open MPI's reduce-scatter-gather reduction, which gives one entry more to the second half
where the two are not equal, and takes another algorithm for vectors with fewer entries than chunks.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.collectives.rabenseifner_reduce", [[*"ab"], [*"AB"], [*"12"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->0:A
1 1->0:bB
2 0->2:bB 2->0:1
3 2->0:bB2

.. [OMPI] ``ompi_coll_base_reduce_intra_redscat_gather`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_reduce.c.
"""

from sparring.spec.collectives.linear_reduce import goal, kind, start, wanted
from sparring.spec.core.numbers import Bool, Int, both, either, negate, reverse, where
from sparring.spec.recursive_doubling import folds, log, number, rem

__all__ = ["folds", "goal", "kind", "log", "number", "rem", "start", "wanted"]

encoding = "bits"


def rank(v: Int, p: Int) -> Int:           return where(v < rem(p), 2 * v, v + rem(p))  # of number v
def idle(r: Int, p: Int) -> Bool:          return both(r < 2 * rem(p), r % 2 == 1)  # after the fold
def folded(p: Int) -> Int:                 return 2 * folds(p)             # steps of the fold
def halved(p: Int) -> Int:                 return folded(p) + log(p)       # and until each rank has a finished chunk
def fold(t: Int, p: Int) -> Bool:          return t < folded(p)
def place(r: Int, p: Int) -> Int:          return reverse(number(r, p), log(p))  # the chunk that rank r finishes
def half(p: Int) -> Int:                   return 1 << (log(p) - folds(p))  # so many chunks are half, where ranks fold


def bit(t: Int, p: Int) -> Int:
    """Partners' numbers differ in this bit."""
    return where(fold(t, p), 0, where(t < halved(p), t - folded(p), steps(p) - 1 - t))


def depth(t: Int, p: Int) -> Int:
    """After ``t`` steps a rank looks after the ``2**depth``-th part of the vector in which ``place`` lies."""
    return where(fold(t, p), 0, where(t < halved(p), t - folded(p), steps(p) - t))


def steps(p: Int) -> Int:                  return folded(p) + 2 * log(p)
def chunks(p: Int) -> Int:                 return 1 << log(p)
def adds(t: Int, p: Int) -> Bool:          return both(t < halved(p), negate(both(fold(t, p), t == 1)))


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends: in the fold both, then the odd one; in the rounds all; then the upper half of them."""
    folding = both(r < 2 * rem(p), either(t == 0, r % 2 == 1))
    gives = both(1 << bit(t, p) <= number(r, p), number(r, p) < 1 << (bit(t, p) + 1))
    return where(fold(t, p), folding, both(negate(idle(r, p)), either(t < halved(p), gives)))


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(number(r, p) ^ (1 << bit(t, p)), p)
    return where(fold(t, p), pair, where(idle(r, p), r, other))


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """In the fold the half that the receiver adds, then lacks; in the rounds the half that it keeps; then all sums."""
    upper = either(t == 1, r % 2 == 0)
    size = log(p) - 1 - bit(t, p)
    first = place(where(t < halved(p), dst(r, t, p), r), p)
    return where(fold(t, p), where(upper, half(p), 0), (first >> size) << size), where(fold(t, p), half(p), 1 << size)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    added = where(r % 2 == 0, where(c < half(p), 0, 1), where(c < half(p), steps(p), 0))  # the step of its fold
    alone = both(both(folds(p) > 0, r < 2 * rem(p)), t <= added)
    kept = log(p) - (c ^ place(r, p)).bit_length()         # so many rounds until r gives c away
    rounds = where(t < halved(p), depth(t, p), log(p))
    comes = (number(q, p) ^ number(r, p)).bit_length()     # so many until q's contribution is in what r keeps
    summed = where(idle(r, p), comes == 0, both(comes <= kept, comes <= rounds))
    left = where(number(r, p) < 1 << depth(t, p), depth(t, p), number(r, p).bit_length())  # it gathers no longer
    finished = both(both(halved(p) <= t, negate(idle(r, p))), c ^ place(r, p) < 1 << (log(p) - left))
    return where(alone, q == r, either(finished, summed))
