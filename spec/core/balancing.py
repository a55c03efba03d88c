"""Balancing: of all ranks' entries, one rank's after the other's, rank ``j`` gets the ``j``-th of ``p`` equal shares.

Who sends which entries to whom follows from how many each rank has, which all know.  That each entry comes to its share
and to no other is proved in ``proofs/exchanges/balancing.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.schedule import number
from sparring.spec.core.vectors import local


def later(a: Int, b: Int) -> Int:
    return where(a < b, b, a)


def sooner(a: Int, b: Int) -> Int:
    return where(a < b, a, b)


@local
def uneven(sizes: Sequence[int], trigger: int) -> bool:
    """Whether a rank has more than ``trigger`` times the mean.

    >>> uneven([4, 0], 1), uneven([4, 0], 2), uneven([0, 0], 0)
    (True, False, False)
    """
    return max(sizes) * len(sizes) > trigger * sum(sizes)


def moved(sizes: Sequence[int]) -> list[list[slice]]:
    """Which of rank ``i``'s entries rank ``j`` gets, row by row.

    >>> moved([3, 0, 1])[0]
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    p, begins = len(sizes), [*accumulate(sizes, initial=0)]
    shares = [number(bound(j, begins[p], p)) for j in range(p + 1)]

    def part(i: int, j: int) -> slice:
        start, end = later(begins[i], shares[j]), sooner(begins[i + 1], shares[j + 1])
        return slice(number(start) - begins[i], max(number(end), number(start)) - begins[i])

    return [[part(i, j) for j in range(p)] for i in range(p)]
