"""Chance that all ranks share: numbers that are a hash of a seed and of counters, for many of them at once.

The hash is the finaliser of SplitMix64 [SLF14]_, applied once for the seed and once for each counter.

.. [SLF14] G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators",
   OOPSLA 2014, figure 16 (variant 13 of the finaliser).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.transport import Vector

Counter: TypeAlias = int | NDArray[np.integer]
"""One counter, or an array of them; arrays are broadcast against each other."""
Words: TypeAlias = NDArray[np.uint64]

FINE = 53
"""Bits of a chance to round up: a double holds them."""
BLOCK = 1 << 15
"""So many entries are rounded together: few enough to stay in the processor's cache."""
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def drawn(seed: int, *counters: Counter) -> Words:
    """Whole numbers of 64 bits, one for each combination of counters; all are taken modulo 2^64.

    A scalar where no counter is an array, else of the shape to which they are broadcast.
    """
    with np.errstate(over="ignore"):
        found = mixed(word(seed) + GOLDEN)
        for counter in counters:
            found = mixed((found ^ word(counter)) + GOLDEN)
    return found


def happens(seed: int, *counters: Counter, thousandths: int) -> NDArray[np.bool_]:
    """Where something happens whose chance is so many of 1000, to within 2^-64."""
    numbers, end = drawn(seed, *counters), ((thousandths << 64) + 999) // 1000
    return numbers < np.uint64(end) if end < 1 << 64 else np.ones_like(numbers, np.bool_)


def rounded(t: Vector, chance: Words, most: int) -> NDArray[np.int64]:
    """Each of ``t``, none negative, as a whole number beside it, the nearer the likelier; at most ``most``.

    What is no finite number is 0.
    """
    t = np.where(np.isfinite(t), t, 0)
    floor = np.floor(t)
    rest = (t - floor).astype(np.float64)
    up = (chance >> np.uint64(64 - FINE)).astype(np.float64) < rest * float(1 << FINE)
    codes: NDArray[np.int64] = floor.astype(np.int64) + up
    return np.minimum(codes, most, out=codes)


def permuted(seed: int, n: int, *counters: int) -> NDArray[np.int64]:
    """``0, ..., n - 1`` in an order that is drawn: that of their numbers, of equal ones the lower first."""
    return np.argsort(drawn(seed, *counters, np.arange(n)), kind="stable")


def word(x: Counter) -> Words:
    """Modulo 2^64."""
    if isinstance(x, np.ndarray):
        return x.astype(np.uint64)
    return np.asarray(x & 0xFFFF_FFFF_FFFF_FFFF, np.uint64)


def mixed(x: Words) -> Words:
    """The finaliser: 64 bits in, 64 out, one to one."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
