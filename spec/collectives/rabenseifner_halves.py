"""Dense allreduce by reduce-scatter and allgather in which pairs fold by halves, as Open MPI has it [OMPI]_.

It is Rabenseifner's algorithm but for what precedes and follows its rounds where ``p`` is no power of two.  Of each two
ranks below ``2 rem(p)``, which are numbered as one, the even one sends the right half of its vector and the odd one
the left half; each adds what it receives.  So the pair works on both halves at once.  Then the odd rank sends its half
of the sum to the even one, and is silent until that one hands it the result.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

>>> from sparring import run
>>> xs = [*"ab"], [*"AB"], [*"12"]
>>> for t, wire, _ in run("sparring.spec.collectives.rabenseifner_halves", xs):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->0:A
1 1->0:bB
2 0->2:bB 2->0:1
3 0->2:1Aa 2->0:bB2
4 0->1:1Aa|bB2

.. [OMPI] ``ompi_coll_base_allreduce_intra_redscat_allgather`` in open-mpi/ompi 5.0, which is in
   ompi/mca/coll/base/coll_base_allreduce.c.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, negate, reverse, where
from sparring.spec.recursive_doubling import log, number, rem

__all__ = ["log", "number", "rem"]  # recursive doubling's own

encoding = "bits"


def folds(p: Int) -> Int:                  return where(rem(p) > 0, 2, 0)  # steps before the rounds
def paired(r: Int, p: Int) -> Bool:        return r < 2 * rem(p)
def idle(r: Int, p: Int) -> Bool:          return both(paired(r, p), r % 2 == 1)  # in the rounds
def rank(v: Int, p: Int) -> Int:           return where(v < rem(p), 2 * v, v + rem(p))  # of number v
def halved(p: Int) -> Int:                 return folds(p) + log(p)        # steps until each rank has a finished chunk
def shown(p: Int) -> Int:                  return halved(p) + log(p)       # and until all that exchange have all chunks
def half(p: Int) -> Int:                   return 1 << log(p) >> 1         # the first chunk of the right half
def place(r: Int, p: Int) -> Int:          return reverse(number(r, p), log(p))  # the chunk that rank r finishes
def apart(t: Int, p: Int) -> Bool:         return either(t < folds(p), shown(p) <= t)  # the steps before and after


def bit(t: Int, p: Int) -> Int:
    """Partners' numbers differ in this bit."""
    return where(apart(t, p), 0, where(t < halved(p), t - folds(p), shown(p) - 1 - t))


def depth(t: Int, p: Int) -> Int:
    """After ``t`` steps a rank looks after the ``2**depth``-th part of the vector in which ``place`` lies."""
    return where(t < folds(p), 0, where(t < halved(p), t - folds(p), where(t < shown(p), shown(p) - t, 0)))


def after(r: Int, c: Int, d: Int, p: Int) -> Bool:
    """Chunk ``c`` is in the ``2**d``-th part of the vector that rank ``r`` looks after."""
    return c ^ place(r, p) < 1 << (log(p) - d)


def steps(p: Int) -> Int:                  return shown(p) + where(rem(p) > 0, 1, 0)
def chunks(p: Int) -> Int:                 return 1 << log(p)
def adds(t: Int, p: Int) -> Bool:          return where(t < folds(p), t == 0, t < halved(p))


def active(r: Int, t: Int, p: Int) -> Bool:
    """Whether rank ``r`` sends in step ``t``: pairs exchange, odd ranks give, the others exchange, then give back."""
    folding = both(paired(r, p), either(t == 0, idle(r, p)))
    gives_back = both(paired(r, p), negate(idle(r, p)))
    return where(t < folds(p), folding, where(t < shown(p), negate(idle(r, p)), gives_back))


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(paired(r, p), r ^ 1, r)
    other = rank(number(r, p) ^ (1 << bit(t, p)), p)
    return where(apart(t, p), pair, where(idle(r, p), r, other))


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def block(r: Int, t: Int, p: Int) -> tuple[Int, Int]:
    """The partner's half; or the half that the receiver keeps; or all that is finished."""
    size = where(shown(p) <= t, log(p), log(p) - 1 - bit(t, p))
    inside = place(where(t < halved(p), dst(r, t, p), r), p)
    right = where(either(r % 2 == 0, t == 1), half(p), 0)
    return where(t < folds(p), right, (inside >> size) << size), where(t < folds(p), half(p), 1 << size)


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    kept = log(p) - (c ^ place(r, p)).bit_length()         # so many rounds until r gives c away
    rounds = where(t < halved(p), depth(t, p), log(p))
    comes = (number(q, p) ^ number(r, p)).bit_length()     # so many until q's contribution is in what r keeps
    summed = both(comes <= kept, comes <= rounds)
    finished = both(halved(p) <= t, either(steps(p) <= t, after(r, c, depth(t, p), p)))
    mine = where(r % 2 == 1, half(p) <= c, either(t >= 2, c < half(p)))  # of a pair's halves
    folded = both(comes == 0, either(q == r, both(t >= 1, mine)))
    early = where(idle(r, p), t < steps(p), t < folds(p))
    return where(early, folded, either(finished, summed))
