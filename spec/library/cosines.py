"""The discrete cosine transform of each chunk of a vector, orthonormal: how much it has of each frequency.

A chunk of ``c`` entries has ``c`` frequencies; that with number ``u`` is the sum of ``w[u][i] x[i]``.  Weights are
``sqrt(1 / c)`` for ``u = 0`` and else ``sqrt(2 / c)``, times the cosine of ``pi (2 i + 1) u / (2 c)``.  The transform
back sums ``w[u][i] y[u]`` over ``u``.  The last chunk is shorter where ``chunk`` does not divide the length, and has
the weights of its own length.

So that all programs have the same bits: the angle is ``pi`` times ``(2 i + 1) u % (4 c)`` over ``2 c``; weights are
numbers of double precision and are rounded to the vector's type; products are added in halves, the upper to the lower
(``spec/library/matrices.py``).

>>> x = Vector([3.0, 5.0, 8.0, 2.0, 2.0])
>>> [round(v, 3) for v in cosines(x, 2)], [round(v, 3) for v in back(cosines(x, 2), 2)]
([5.657, -1.414, 7.071, 4.243, 2.0], [3.0, 5.0, 8.0, 2.0, 2.0])
"""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sqrt

from sparring.spec.core.vectors import Vector, local
from sparring.spec.library.matrices import dot


@lru_cache(maxsize=8)  # a chunk's, and the last one's
def weights(c: int) -> Sequence[Sequence[float]]:
    """By frequency, the weights of ``c`` entries."""
    sizes = [sqrt((2 if u else 1) / c) for u in range(c)]
    return [[sizes[u] * cos(pi * ((2 * i + 1) * u % (4 * c)) / (2 * c)) for i in range(c)] for u in range(c)]


@lru_cache(maxsize=8)
def turned(c: int) -> Sequence[Sequence[float]]:
    """By entry, the weights of ``c`` frequencies."""
    return [*zip(*weights(c))]


@local
def cosines(x: Vector, chunk: int) -> Vector:
    """By chunk, its frequencies."""
    parts = [x.entries[i : i + chunk] for i in range(0, len(x), chunk)]
    return x.having([dot(row, part) for part in parts for row in weights(len(part))])


@local
def back(y: Vector, chunk: int) -> Vector:
    """The vector that has these frequencies."""
    parts = [y.entries[i : i + chunk] for i in range(0, len(y), chunk)]
    return y.having([dot(row, part) for part in parts for row in turned(len(part))])
