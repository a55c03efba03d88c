"""A straight line through times, however some of them were disturbed, and how sure it is.

Errors are factors, ``|log((a + b x) / y)|``: so short messages count as much as long ones, and too low
as much as too high.  They are added and not squared, so that a few sizes at which something else went
on move the line little.  It is the best of those through two of the points, or through one with ``a``
or ``b`` zero: finitely many, all of which are tried.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

DRAWS, LEVEL, SEED = 400, 95, 1
"""How often rounds and sizes are drawn again, and which part of the values an interval holds, in percent."""


class Line(NamedTuple):
    """``a + b x``, neither below zero."""

    a: float
    b: float

    def at(self, x: float) -> float:
        """Return the line's value at ``x``."""
        return self.a + self.b * x


class Fitted(NamedTuple):
    """A line, and the intervals of its values when rounds and sizes are drawn again."""

    line: Line
    a: tuple[float, float]
    b: tuple[float, float]


def line(x: Floats, y: Floats) -> Line:
    """Return the best line with ``a >= 0`` and ``b >= 0``.

    ``x``, ``y``: one or more points with positive coordinates; several may have the same ``x``.
    """
    i, j = np.triu_indices(x.size, 1)
    apart = x[i] != x[j]
    i, j = i[apart], j[apart]
    slopes = (y[j] - y[i]) / (x[j] - x[i])
    flat = np.zeros_like(y)
    a = np.concatenate([y[i] - slopes * x[i], y, flat])
    b = np.concatenate([slopes, flat, y / x])
    right = (a >= 0) & (b >= 0)
    a, b = a[right], b[right]
    best = np.abs(np.log((a[:, None] + b[:, None] * x) / y)).sum(axis=1).argmin()
    return Line(float(a[best]), float(b[best]))


def fitted(x: Floats, rounds: Floats) -> Fitted:
    """Return the line through each size's median, and intervals.

    ``x``: sizes; ``rounds``: seconds, a row a round and a column a size, NaN where a round has none, and
    at least one number in each column.

    An interval holds the middle ``LEVEL`` percent of what is fitted when rounds and sizes are both drawn
    again with replacement: so it is wide where rounds differ, and also where sizes lie on no one line.
    """
    y = np.nanmedian(rounds, axis=0)
    draw = np.random.default_rng(SEED)
    lines = [line(*redrawn(x, y, rounds, draw)) for _ in range(DRAWS)]
    a, b = (interval([one[i] for one in lines]) for i in (0, 1))
    return Fitted(line(x, y), a, b)


def redrawn(x: Floats, y: Floats, rounds: Floats, draw: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw sizes again, with the medians of rounds drawn again; ``y`` where all rounds drawn have none."""
    sizes = draw.integers(x.size, size=x.size)
    again = rounds[draw.integers(len(rounds), size=len(rounds))][:, sizes]
    missing = np.isnan(again).all(axis=0)
    again[0, missing] = y[sizes[missing]]
    return x[sizes], np.nanmedian(again, axis=0)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the middle ``LEVEL`` percent."""
    low, high = np.percentile(values, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return float(low), float(high)
