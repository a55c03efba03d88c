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

from math import floor
from typing import Any

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
    found = mixed(seed + GOLDEN & WORD)
    for counter in counters:
        found = mixed((found ^ counter) + GOLDEN & WORD)
    return found


def happens(seed: int, *counters: int, thousandths: int) -> bool:
    """True for so many of 1000 numbers: what happens with this chance, to within 2^-64."""
    return drawn(seed, *counters) * 1000 >> 64 < thousandths


def rounded(t: Any, chance: int) -> int:
    """One of the two whole numbers beside ``t``, none negative; ``chance``: a number of ``FINE`` bits.

    The higher one where the chance, over ``2**FINE``, is less than what ``t`` has above the lower.

    >>> [rounded(2.25, chance) for chance in (0, (1 << FINE - 2) - 1, 1 << FINE - 2)]
    [3, 3, 2]
    """
    lower: int = floor(t)
    above, below = (t - lower).as_integer_ratio()
    higher: bool = chance * below < above << FINE
    return lower + higher


def permuted(seed: int, n: int, *counters: int) -> list[int]:
    """``0, ..., n - 1`` in an order that is drawn: that of their numbers, of equal ones the lower first."""
    return sorted(range(n), key=lambda i: drawn(seed, *counters, i))
