"""Numbers as whole numbers of steps, where a step is a power of two: sums of them are exact in any order.

>>> unit = step(Vector([0.0]), 1)
>>> [nearest(v, unit, most(2)) for v in (0.4, 2.5, -3.0, float("inf"))], unit
([0, 2, -3, 201326592], 1.0)
>>> [value(q, unit) for q in (0, -3, FAR, FAR - LARGEST // 2)]
[0.0, -3.0, nan, nan]
"""

from math import nan
from typing import Any

from sparring.spec.core.numbers import Int, both, either
from sparring.spec.core.vectors import Vector, by_length, entrywise, local

LARGEST = 1 << 26
"""No sum of codes is further from 0."""
FAR = 3 * LARGEST
"""The code of what has none: with it every sum is more than twice the largest."""
BITS = 30
"""What a code and the difference of two need (``spec/codecs/difference_blocks.py``)."""


@by_length
def step(x: Vector, exponent: int) -> Any:
    """Twice ``2**-exponent``, in the type of the vector: the nearest multiple is no further away than half of it."""
    return x.zero + 2.0 ** (1 - exponent)


@local(known=lambda found, p: both(found >= 0, found <= LARGEST))
def most(p: Int) -> Int:
    """The most steps of an entry of each of ``p`` ranks: a power of two, which floats are compared with as it is."""
    return LARGEST >> (p - 1).bit_length()


@entrywise(known=lambda found, v, unit, limit: either(found == FAR, both(found >= -limit, found <= limit)))
def nearest(v: Any, unit: Any, limit: int) -> int:
    """How many steps ``v`` has, ties to the even number; ``FAR`` if these are more than the limit, or it is NaN."""
    steps = v / unit
    return round(steps) if abs(steps) <= limit else FAR


@entrywise
def value(q: int, unit: Any) -> Any:
    """What is read as the sum of the entries whose codes add up to ``q``; NaN where one of them has none."""
    return unit * q if q <= 2 * LARGEST else unit * nan
