"""Dense allreduce by recursive doubling [TRG05]_.

In round ``i`` the ranks whose numbers differ in bit ``i`` alone exchange their whole vectors and
add, so that after ``log2 p`` rounds everybody has the sum.  Where ``p`` is no power of two, each
even rank below ``2 rem(p)`` first gives its vector to the next rank, which numbers the two of them
as one; then it is silent until that rank hands it the sum.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

>>> from sparring import run
>>> for t, wire, _ in run("recursive_doubling", [["a"], ["b"], ["c"], ["d"], ["e"]]):
...     print(t, *(f"{src}->{dst}:{msg[0]}" for src, dst, msg in wire))
0 0->1:a
1 1->2:ab 2->1:c 3->4:d 4->3:e
2 1->3:cab 2->4:abc 3->1:ed 4->2:de
3 1->0:edcab

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from sparring.spec.core.numbers import Bool, Int, both, negate, where

encoding = "bits"


def log(p: Int) -> Int:                    return p.bit_length() - 1        # rounds: log2 p, rounded down
def rem(p: Int) -> Int:                    return p - (1 << log(p))                # ranks beyond a power of two
def folds(p: Int) -> Int:                  return where(rem(p) > 0, 1, 0)          # steps before, and after, the rounds
def number(r: Int, p: Int) -> Int:         return where(r < 2 * rem(p), r >> 1, r - rem(p))
def rank(v: Int, p: Int) -> Int:           return where(v < rem(p), 2 * v + 1, v + rem(p))  # of number v
def idle(r: Int, p: Int) -> Bool:          return both(r < 2 * rem(p), r % 2 == 0)  # in the rounds
def mask(t: Int, p: Int) -> Int:           return 1 << where(t < folds(p), 0, t - folds(p))  # 2**i in round i


def steps(p: Int) -> Int:                  return log(p) + 2 * folds(p)
def chunks(p: Int) -> Int:                 return 1  # the whole vector
def chunk(r: Int, t: Int, p: Int) -> Int:  return 0
def adds(t: Int, p: Int) -> Bool:          return t < folds(p) + log(p)  # not where it hands back


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends in step ``t``: the idle give, the others exchange, then give back."""
    gives_back = both(r < 2 * rem(p), negate(idle(r, p)))
    return where(t < folds(p), idle(r, p), where(adds(t, p), negate(idle(r, p)), gives_back))


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    other = rank(number(r, p) ^ mask(t, p), p)
    return where(both(folds(p) <= t, adds(t, p)), where(idle(r, p), r, other), pair)


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s vector contains ``q``'s contribution."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    return where(alone, q == r, number(q, p) ^ number(r, p) < mask(t, p))
