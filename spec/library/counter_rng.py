"""Chance that all ranks share: numbers drawn by what they are for, without a generator's state.

A number is a hash of a seed and of counters, such as a call, a step and two ranks.  So every rank draws the
same for the same purpose, in whatever order it asks, and a run with faults can be run again.  The hash is the
finaliser of SplitMix64 [SLF14]_, applied once for the seed and once for each counter.

>>> drawn(7, 0, 1), drawn(7, 1, 0)
(17770702679626417888, 8075172986249684972)
>>> [happens(7, r, thousandths=300) for r in range(8)]
[False, True, True, False, False, False, False, True]
>>> permuted(7, 5)
[1, 2, 3, 4, 0]

.. [SLF14] G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators",
   OOPSLA 2014, figure 16 (variant 13 of the finaliser).
"""

from __future__ import annotations

from functools import reduce
from math import floor
from typing import Any

from sparring.spec.core.numbers import Bool, Int, either, where
from sparring.spec.core.vectors import Vector, entrywise, local

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio, odd: what the generator's counter goes on by."""
FINE = 53
"""Bits of a chance by which a number is rounded."""


def mixed(x: int) -> int:
    """The finaliser: 64 bits in, 64 out, one to one."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def drawn(seed: int, *counters: int) -> int:
    """A whole number of 64 bits; seed and counters are taken modulo 2^64."""
    return reduce(counted, counters, mixed(seed + GOLDEN & WORD))


def counted(found: int, counter: int) -> int:
    """The number with one counter more."""
    return mixed((found ^ counter) + GOLDEN & WORD)


def happens(seed: int, *counters: int, thousandths: int) -> bool:
    """True for so many of 1000 numbers: what happens with this chance, to within 2^-64."""
    return drawn(seed, *counters) * 1000 >> 64 < thousandths


@local
def chances(seed: int, call: int, r: int, x: Vector) -> Vector:
    """A number below ``2**FINE`` for each entry of rank ``r``'s vector in a call."""
    before = drawn(seed, call, r)
    return Vector([counted(before, i) >> 64 - FINE for i in range(len(x))])


@entrywise(known=lambda found, v, unit: found >= 0)
def above(v: Any, unit: Any) -> Any:
    """How many units ``v`` has; 0 without a unit, and of less than nothing."""
    return v / unit if unit > 0 and v > 0 else 0


@entrywise(known=lambda found, t: either(t < 0, found >= 0))
def whole(t: Any) -> int:
    """The whole number that is not above ``t``."""
    found: int = floor(t)
    return found


@entrywise
def rises(t: Any, chance: int) -> bool:
    """Whether ``t`` is rounded up: the chance, over ``2**FINE``, is less than what it has above a whole number.

    >>> [rises(2.25, chance) for chance in (0, (1 << FINE - 2) - 1, 1 << FINE - 2)]
    [True, True, False]
    """
    rest, below = (t - floor(t)).as_integer_ratio()
    return bool(chance * below < rest << FINE)


def raised(below: Int, up: Bool, most: Int) -> Int:
    """A whole number, or one more, but not above ``most``."""
    return where(below < most, below + where(up, 1, 0), most)


def permuted(seed: int, n: int, *counters: int) -> list[int]:
    """``0, ..., n - 1`` in an order that is drawn: that of their numbers, of equal ones the lower first."""
    return sorted(range(n), key=lambda i: drawn(seed, *counters, i))
