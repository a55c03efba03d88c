"""Models of how large the union of supports is: three of them, and the measure that they are compared with.

``u(s, n, k)`` is the size of the union of ``s`` ranks' supports, each of ``k`` of ``n`` indices,
``0 <= k <= n`` and ``s >= 1``.  Whatever the supports are, ``k <= u <= min(s k, n)``: the models
called identical and disjoint are these two bounds, and independent lies between them.  In a ring
partial sums are made of neighbours, ``r``, ``r + 1``, ...; so the measure takes ranks that stand
next to each other.

The models are plain arithmetic, exact on ``int`` and ``Fraction``, and run on sympy's terms too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = Any  # an int, a Fraction, or a term of sympy, which ships no types


class Spread(NamedTuple):
    """Sizes of the union of ``s`` neighbours, over the ``p`` ranks that may be the first of them."""

    low: int
    mean: Fraction
    high: int


def identical(s: Number, n: Number, k: Number) -> Number:
    """All supports are the same, the least that a union can be.

    >>> [identical(s, 10, 4) for s in (1, 2, 3)]
    [4, 4, 4]
    """
    return k


def disjoint(s: Number, n: Number, k: Number) -> Number:
    """No two supports meet until all is full, the most that a union can be: ``min(s k, n)``.

    >>> [int(disjoint(s, 10, 4)) for s in (1, 2, 3)]
    [4, 8, 10]
    """
    return (s * k + n - abs(s * k - n)) * Fraction(1, 2)  # sympy's terms know no min, and abs


def independent(s: Number, n: Number, k: Number) -> Number:
    """Supports drawn independently and evenly, in expectation: ``s`` ranks miss an index with (1 - k/n)^s.

    >>> [str(independent(s, 10, 4)) for s in (1, 2, 3)]
    ['4', '32/5', '196/25']
    """
    return n * (1 - (1 - Fraction(1) * k / n) ** s) if n != 0 else n


MODELS = {"identical": identical, "independent": independent, "disjoint": disjoint}
"""From the smallest union to the largest."""


def measured(supports: Sequence[Iterable[int]]) -> list[Spread]:
    """The unions of 1, 2, ..., ``p`` neighbouring ranks, of which rank ``r`` has ``supports[r]``.

    >>> for u in measured([{0, 1}, {1, 2}, {5, 6}]):
    ...     print(u.low, u.mean, u.high)
    2 2 2
    3 11/3 4
    5 5 5
    """
    p, sets = len(supports), [*map(frozenset, supports)]
    return [over([len(joined(sets, r, s)) for r in range(p)]) for s in range(1, p + 1)]


def joined(sets: Sequence[frozenset[int]], r: int, s: int) -> frozenset[int]:
    """The union of ``s`` supports from rank ``r`` on, around the ring."""
    return frozenset[int]().union(*(sets[(r + i) % len(sets)] for i in range(s)))


def over(sizes: Sequence[int]) -> Spread:
    """Least, mean and largest.

    >>> over([2, 3, 3])
    Spread(low=2, mean=Fraction(8, 3), high=3)
    """
    return Spread(min(sizes), Fraction(sum(sizes), len(sizes)), max(sizes))
