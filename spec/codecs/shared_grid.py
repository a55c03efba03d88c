"""One grid for all ranks: from the least of their entries to the greatest, in so many steps as codes have.

>>> grid([extremes(Vector([0.0, 3.0])), extremes(Vector([15.0, 2.0]))], 4)
Grid(low=0.0, step=1.0)
>>> grid([extremes(Vector([0.0, float("inf")])), extremes(Vector([15.0, 2.0]))], 4)
Grid(low=nan, step=nan)
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from sparring.spec.codecs.packed_integers import most
from sparring.spec.core.vectors import Vector, local


class Grid(NamedTuple):
    """What is read as code 0, and the step from a code to the next; both NaN where there is no range."""

    low: Any
    step: Any


@local(length=lambda n: 2)
def extremes(x: Vector) -> Vector:
    """The least and the greatest entry of a rank; NaN twice, where there is NaN or an infinity."""
    if len(x) == 0:
        return x.having([x.zero, x.zero])
    least, greatest = min(x), max(x)
    return x.having([least + 0, greatest + 0] if all(map(isfinite, x)) else [type(least)("nan")] * 2)


@local
def grid(ends: Sequence[Sequence[Any]], bits: int) -> Grid:
    """The grid of all ranks, of what each of them told."""
    low, high = min(one[0] for one in ends), max(one[1] for one in ends)
    step = (high - low) / most(bits)
    if any(one[0] != one[0] for one in ends) or not isfinite(step):
        return Grid(*[type(low)("nan")] * 2)
    return Grid(low, step)
