"""Dense allreduce by Swing, in as few steps as recursive doubling, with partners nearby on a ring [DBS24]_.

In round ``i`` even numbers exchange their whole vectors with those ``rho(i)`` further on and odd ones with those as far
back, around, and both add; ``rho(i) = (1 - (-2)**(i + 1)) / 3``, that is 1, -1, 3, -5, 11, and so on.  So a rank swings
from one side to the other, and has after ``i`` rounds the sum over ``2**i`` numbers in a row, its own among them.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, in exact arithmetic: from eight ranks on they add in different
orders, so that rounded sums may differ from rank to rank.

This is the paper's variant for short vectors.  Where ``p`` is no power of two, ranks fold as in ``recursive_doubling``:
that is ours.

>>> from sparring import run
>>> for t, wire, _ in run("swing", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire if src < dst))
0 0->1:a 2->3:c 4->5:e 6->7:g
1 0->7:ba 1->2:ab 3->4:cd 5->6:ef
2 0->3:ghba 1->6:dcab 2->5:abdc 4->7:cdfe

.. [DBS24] D. De Sensi, T. Bonato, D. Saam and T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce",
   NSDI 2024, arXiv:2401.09356.
"""

from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.recursive_doubling import active, adds, chunk, chunks, folds, idle, log, number, rank, rem, steps

__all__ = ["active", "adds", "chunk", "chunks", "folds", "idle", "log", "number", "rank", "steps"]  # it folds alike

encoding = "bits"
agrees = False  # see above


def top(p: Int) -> Int:                    return 1 << log(p)                                 # so many numbers
def swings(t: Int, p: Int) -> Bool:        return both(folds(p) <= t, adds(t, p))             # in a round, not a fold
def done(t: Int, p: Int) -> Int:           return where(t < folds(p), 0, t - folds(p))        # rounds before step t
def reach(i: Int) -> Int:                  return (2 * (1 << i) + 1) // 3  # rho(i), or -rho(i) if that is more
def behind(i: Int) -> Int:                 return 2 * ((1 << (i - i % 2)) // 3)  # of a row, behind an even number


def around(v: Int, p: Int) -> Int:         return where(v < top(p), v, v - top(p))


def partner(v: Int, i: Int, p: Int) -> Int:
    """The number with which ``v`` exchanges in round ``i``."""
    return around(where((v + i) % 2 == 0, v + reach(i), v + top(p) - reach(i)), p)


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(partner(number(r, p), done(t, p), p), p)
    return where(swings(t, p), where(idle(r, p), r, other), pair)


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector contains ``q``'s contribution, in a row from behind even numbers."""
    v, w, i = number(r, p), number(q, p), done(t, p)
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    ahead = where(v % 2 == 0, w + top(p) - v, v + top(p) - w)
    return where(alone, q == r, around(around(ahead, p) + behind(i), p) < 1 << i)
