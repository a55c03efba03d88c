"""Reduce-scatter by a butterfly whose partners are near on a ring, the nearest where most is sent: Bine's [DSP25]_.

In round ``i`` partners are those of ``swing``: even numbers exchange with those ``rho(i)`` further on and odd ones with
those as far back, around; ``rho(i)`` is 1, -1, 3, -5, 11, and so on.  Each sends the half of what it has that its
partner keeps, and adds what it receives to the other half.  After ``i`` rounds number ``v`` looks after those chunks to
which the rounds to come can still bring its sums: those of numbers that end in ``i + 1`` bits like ``v``, or like the
partner that comes next.  After ``log2 p`` rounds that is its own chunk.  Where ``p`` is no power of two, each even rank
below ``2 rem(p)`` first gives its vector to the next rank, which numbers the two of them as one and looks after both
chunks; then it is silent until that rank hands it the sum of its chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Where ``p`` is a power of two, peers and chunks are those of the authors' ``reduce_scatter_bine_block_by_block``, which
keeps chunks in an order in which those of a message lie in a row.  How other ``p`` fold is this page's own choice.

>>> from sparring import run
>>> given = [[*"abcd"], [*"ABCD"], [*"1234"], [*"wxyz"]]
>>> for t, wire, _ in run("sparring.spec.collectives.bine_reduce_scatter", given):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b|c 1->0:A|D 2->3:1|4 3->2:x|y
1 0->3:Dd 1->2:cC 2->1:x2 3->0:1w

.. [DSP25] D. De Sensi et al., "Bine trees: enhancing collective operations by optimizing communication locality",
   SC 2025, arXiv:2508.17311.
"""

from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, kind
from sparring.spec.collectives.strided_butterfly_reduce_scatter import ending
from sparring.spec.core.numbers import Bool, Int, either, where
from sparring.spec.recursive_doubling import active, adds, folds, idle, log, number, rank, rem, steps
from sparring.spec.swing import around, behind, done, partner, reach, top

__all__ = ["active", "adds", "kind", "steps"]  # recursive doubling's own

encoding = "bits"


def wrapped(x: Int, m: Int) -> Int:        return where(x < 0, x + m, where(m <= x, x - m, x))


def other(v: Int, i: Int) -> Int:
    """How the number ends with which ``v`` exchanges in round ``i``, in ``i + 1`` bits."""
    end = ending(v, i + 1)
    return wrapped(where((v + i) % 2 == 0, end + reach(i), end - reach(i)), 1 << (i + 1))


def cares(v: Int, w: Int, i: Int, p: Int) -> Bool:
    """After ``i`` rounds, number ``v`` still looks after the chunks of ``w``."""
    end = ending(w, i + 1)
    return where(i < log(p), either(end == ending(v, i + 1), end == other(v, i)), w == v)


def dst(r: Int, t: Int, p: Int) -> Int:
    """The rank's partner, itself where it has none."""
    pair = where(r < 2 * rem(p), r ^ 1, r)
    swung = rank(partner(number(r, p), done(t, p), p), p)
    return where(inside(t, p), where(idle(r, p), r, swung), pair)


def src(r: Int, t: Int, p: Int) -> Int:    return dst(r, t, p)


def carries(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """The whole vector; or the chunks that the receiver keeps; or, in the end, the receiver's chunk."""
    there = number(dst(r, t, p), p)
    kept = cares(there, number(c, p), done(t, p) + 1, p)
    return where(t < folds(p), True, where(inside(t, p), kept, c == dst(r, t, p)))


def like(x: Int, end: Int, bits: Int) -> Int:
    """How many numbers below ``x`` end with ``end`` in so many bits: one in ``2**bits``."""
    return (x - end - 1 + (1 << bits)) >> bits


def looked(v: Int, x: Int, i: Int, p: Int) -> Int:
    """How many numbers below ``x`` number ``v`` still looks after, after ``i`` rounds."""
    alike = like(x, ending(v, i + 1), i + 1) + like(x, other(v, i), i + 1)
    return where(i < log(p), alike, where(v < x, 1, 0))


def below(r: Int, c: Int, t: Int, p: Int) -> Int:
    """How many of the chunks before ``c``: of the first and of the second chunks of numbers."""
    i, v = done(t, p) + 1, number(dst(r, t, p), p)
    doubled = looked(v, c >> 1, i, p) + looked(v, (c + 1) >> 1, i, p)
    single = looked(v, rem(p), i, p) + looked(v, c - rem(p), i, p)
    picked = where(c < 2 * rem(p), doubled, single)
    return where(t < folds(p), c, where(inside(t, p), picked, where(dst(r, t, p) < c, 1, 0)))


def live(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """What it keeps."""
    return either(idle(r, p), cares(number(r, p), number(c, p), done(t, p), p))


def row(v: Int, w: Int, i: Int, p: Int) -> Bool:
    """Number ``w`` is one of the ``2**i`` in a row of whose vectors ``v`` has the sum after ``i`` rounds."""
    ahead = where(v % 2 == 0, w + top(p) - v, v + top(p) - w)
    return around(around(ahead, p) + behind(i), p) < 1 << i


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution, in a row as in ``swing``."""
    alone = where(idle(r, p), t < steps(p), t < folds(p))
    summed = row(number(r, p), number(q, p), done(t, p), p)
    return where(alone, q == r, where(idle(r, p), either(q == r, r == c), summed))
