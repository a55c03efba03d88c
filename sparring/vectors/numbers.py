"""Numbers to add: for each rank a row of them, chosen for what can go wrong with it.

Randomness is that of ``random.Random.random``, which Python promises to keep the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[], float]
"""The next random number, in [0, 1)."""


class Place(NamedTuple):
    """The place of a number: entry ``i`` of rank ``q``, of ``p`` ranks."""

    q: int
    i: int
    p: int
    dtype: str
    draw: Draw


FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64")
DTYPES = FLOATS + INTEGERS


def whole(at: Place) -> float:
    """Return a number that shows its rank and place, and whose sums are exact as floats."""
    return 1 + at.q + 10 * at.i


def rounded(at: Place) -> float:
    """Return a number of random magnitude; these differ so much that sums are rounded."""
    return (at.draw() - 0.5) * 2.0 ** int(at.draw() * 40 - 20)


def cancelling(at: Place) -> float:
    """Return a large number on the first rank, its negative on the last; of the small ones between, half is lost."""
    large = (1 + at.i % 7) * 2.0 ** (np.finfo(at.dtype).nmant - 1)
    return {0: large, at.p - 1: -large}.get(at.q, at.draw() - 0.5)


def subnormal(at: Place) -> float:
    """Return a multiple of the smallest positive float."""
    return int(at.draw() * 2000 - 1000) * float(np.finfo(at.dtype).smallest_subnormal)


def zero(at: Place) -> float:
    """Return a zero of either sign; at the first place all are negative."""
    return -0.0 if at.i == 0 or at.draw() < 0.5 else 0.0


def special(at: Place) -> float:
    """Return by turns an infinity, two that cancel, a sum that overflows, a NaN, and infinities of one sign."""
    first, last, most = at.q == 0, at.q == at.p - 1, float(np.finfo(at.dtype).max)
    return (
        math.inf if first else 1.0,
        math.inf if first else -math.inf if last else 1.0,
        most,
        math.nan if last else 1.0,
        -math.inf,
    )[at.i % 5]


def tied(at: Place) -> float:
    """Return a whole number from -2 to 2, so that many are of one magnitude."""
    return int(at.draw() * 5) - 2


def wrapping(at: Place) -> int:
    """Return an integer of the whole range."""
    high, low = (int(at.draw() * 2**32) for _ in range(2))
    return high - 2**31 if at.dtype == "int32" else (high << 32 | low) - 2**63


class Recipe(NamedTuple):
    """Numbers of one sort, for these dtypes."""

    words: str
    cell: Callable[[Place], float]
    dtypes: tuple[str, ...]


WHOLE = Recipe("whole numbers", whole, DTYPES)
TIED = Recipe("small whole numbers, full of ties", tied, DTYPES)
RECIPES = (
    Recipe("numbers whose sums are rounded", rounded, FLOATS),
    Recipe("large numbers that cancel", cancelling, FLOATS),
    Recipe("subnormal numbers", subnormal, FLOATS),
    Recipe("zeros of both signs", zero, FLOATS),
    Recipe("infinities, NaN and overflow", special, FLOATS),
    TIED,
    Recipe("integers of the whole range", wrapping, INTEGERS),
)


def rows(recipe: Recipe, draw: Draw, p: int, n: int, dtype: str) -> list[NDArray[Any]]:
    """Return ``n`` numbers a rank."""
    with np.errstate(all="ignore"):  # what is too large or too small becomes what the dtype has for it
        return [np.array([recipe.cell(Place(q, i, p, dtype, draw)) for i in range(n)], dtype) for q in range(p)]
