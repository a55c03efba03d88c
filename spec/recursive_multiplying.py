"""Dense allreduce by recursive multiplying [MPICH]_: recursive doubling with any radix.

Write the ranks' numbers to the base ``radix``.  In round ``i`` the ranks whose numbers differ in
digit ``i`` alone, ``radix`` of them, all send each other their whole vectors at once and add, so
that after ``log(p)`` rounds everybody has the sum.  Where ``p`` is no power of the radix, each rank
beyond the largest one first gives its vector to the rank that has a 0 in place of its highest
digit; then it is silent until that rank hands it the sum.

Requires: ``p >= 1``; ``radix >= 2``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

A rank sends up to ``radix - 1`` messages in a step; message ``j`` of a round goes to the rank whose
digit is ``j + 1`` more.  A copy and what comes for it are added in the order of ranks: in the rounds
as in MPICH; in the fold MPICH adds a rank's own copy last, which has other bits if ``radix > 2``.

>>> from sparring import run
>>> for t, wire, _ in run("recursive_multiplying", [["a"], ["b"], ["c"], ["d"]], radix=3):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 3->0:d
1 0->1:da 0->2:da 1->2:b 1->0:b 2->0:c 2->1:c
2 0->3:dabc

.. [MPICH] ``MPIR_Allreduce_intra_recursive_multiplying`` in pmodels/mpich, which is at
   src/mpi/coll/allreduce/allreduce_intra_recursive_multiplying.c.
"""

from typing import NamedTuple

from sparring.spec.core.digits import digit, log, power, prefix, put
from sparring.spec.core.numbers import Bool, Int, both, where

encoding = "digits"


class Params(NamedTuple):
    """``radix``: of how many ranks a group has that exchange in a round, at least 2."""

    radix: int = 4


def folds(p: Int, radix: Int) -> Int:
    """Steps before, and after, the rounds."""
    return where(p > power(radix, log(p, radix)), 1, 0)


def place(t: Int, p: Int, radix: Int) -> Int:
    """Which digit step ``t`` is about, and how many the ranks have summed over before it; in folds the highest."""
    i = t - folds(p, radix)
    return where(i < 0, 0, where(i < log(p, radix), i, log(p, radix)))


def beyond(r: Int, p: Int, radix: Int) -> Bool:       return digit(r, log(p, radix), radix) > 0
def core(r: Int, p: Int, radix: Int) -> Int:          return put(r, log(p, radix), 0, radix)  # who stands in for r
def begun(t: Int, p: Int, radix: Int) -> Bool:        return folds(p, radix) <= t
def in_round(t: Int, p: Int, radix: Int) -> Bool:     return both(begun(t, p, radix), adds(t, p, radix))


def steps(p: Int, radix: Int) -> Int:                 return log(p, radix) + 2 * folds(p, radix)
def messages(radix: Int) -> Int:                      return radix - 1
def chunks(p: Int) -> Int:                            return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:             return 0
def adds(t: Int, p: Int, radix: Int) -> Bool:         return t < folds(p, radix) + log(p, radix)  # or it hands back


def folded(r: Int, j: Int, p: Int, radix: Int) -> Int:
    """In the fold and when it is undone: the partner that rank ``r`` has by message ``j``, itself if none."""
    top = log(p, radix)
    other = put(r, top, j + 1, radix)
    given = where(digit(r, top, radix) == j + 1, core(r, p, radix), r)
    return where(beyond(r, p, radix), given, where(other < p, other, r))


def turned(r: Int, by: Int, t: Int, p: Int, radix: Int) -> Int:
    """The rank whose digit in this round is ``by`` more, around; a rank beyond has itself."""
    i = place(t, p, radix)
    return where(beyond(r, p, radix), r, put(r, i, (digit(r, i, radix) + by) % radix, radix))


def active(r: Int, t: Int, j: Int, p: Int, radix: Int) -> Bool:
    """Whether rank ``r`` sends: those beyond give, the others exchange, then give back."""
    top, inside = log(p, radix), digit(r, log(p, radix), radix) == 0
    hands_back = both(inside, put(r, top, j + 1, radix) < p)
    return where(begun(t, p, radix), where(adds(t, p, radix), inside, hands_back), digit(r, top, radix) == j + 1)


def dst(r: Int, t: Int, j: Int, p: Int, radix: Int) -> Int:
    return where(in_round(t, p, radix), turned(r, j + 1, t, p, radix), folded(r, j, p, radix))


def src(r: Int, t: Int, j: Int, p: Int, radix: Int) -> Int:
    return where(in_round(t, p, radix), turned(r, -j - 1, t, p, radix), folded(r, j, p, radix))


def who(q: Int, r: Int, t: Int, p: Int, radix: Int) -> Int:
    """By which message rank ``r`` has ``q``'s contribution in step ``t``."""
    top, i = log(p, radix), place(t, p, radix)
    turn = (digit(r, i, radix) - digit(core(q, p, radix), i, radix) - 1) % radix
    giver = digit(where(begun(t, p, radix), r, q), top, radix) - 1
    return where(in_round(t, p, radix), turn, giver)


def holds(q: Int, r: Int, t: Int, p: Int, radix: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector contains ``q``'s contribution."""
    i = place(t, p, radix)
    alone = where(beyond(r, p, radix), t < steps(p, radix), t < folds(p, radix))
    return where(alone, q == r, prefix(core(q, p, radix), i, radix) == prefix(core(r, p, radix), i, radix))
