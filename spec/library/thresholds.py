"""Thresholds: sizes that entries reach or do not.  They are made of the order in which entries are selected.

A threshold is a place in the order of ``spec/core/top_k.py``: NaN comes before all numbers, then the largest.
"""

from __future__ import annotations

from typing import Any

from sparring.spec.core.sparse import Mask, SparseVector
from sparring.spec.core.top_k import Place, place, top
from sparring.spec.core.vectors import entrywise, local

ALL, NONE = (True, 0), (False, -1)  # thresholds that all entries reach, and that none does
WHOLE = 1000  # thousandths


@local(most=lambda n, k: k)
def threshold(x: SparseVector, k: int) -> Place:
    """The size of the ``k``-th largest entry; where there are fewer, one that all reach.

    No more than ``k`` entries reach it, unless some are as large: costs are those of vectors in which none are.

    >>> threshold(SparseVector((0, 2, 5), (3, -7, 1), 6), 2)
    (True, -3)
    """
    sizes = [place(x.values[i]) for i in top(x.values, k)]
    return (max(sizes) if sizes else NONE) if len(sizes) == k else ALL


@entrywise
def reaching(x: SparseVector, least: Place) -> Mask:
    """Where ``x`` has entries that are at least as large as a threshold, and not zero."""
    return Mask(frozenset(i for i, v in zip(x.indices, x.values) if v != 0 and place(v) <= least), x.n)


@local
def scaled(least: Place, change: Any, gain: int) -> Place:
    """A threshold that has grown by ``gain`` thousandths where ``change`` is 1; -1 undoes that.

    NaN, or a threshold that nothing reaches, stays.  Whole numbers are rounded down.

    >>> scaled((True, -2), 1, 500), scaled((True, -3), -1, 500), scaled((True, -2), 0, 500), scaled(NONE, 1, 500)
    ((True, -3), (True, -2), (True, -2), (False, -1))
    """
    if change == 0 or not least[0]:
        return least
    by, over = (WHOLE + gain, WHOLE) if change > 0 else (WHOLE, WHOLE + gain)
    size = abs(least[1])
    return True, -(size * by // over if isinstance(size, int) else size / over * by)


@local
def count(x: SparseVector) -> int:
    """How many entries there are."""
    return len(x.indices)
