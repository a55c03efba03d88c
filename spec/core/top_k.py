"""Selects the top k entries of a vector: the order is total, so the answer is unique.

Largest magnitude first; among equal magnitudes the lower index; NaN, which has no magnitude,
comes before all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from sparring.errors import InputError

Place: TypeAlias = tuple[bool, Any]


def place(v: Any) -> Place:
    """Where a value stands in that order, but for its index: of two, the lesser comes first.

    >>> sorted([1.0, -3.0, float("nan"), 2.0], key=place)
    [nan, -3.0, 2.0, 1.0]
    """
    number = v.item() if getattr(getattr(v, "dtype", None), "kind", "") == "i" else v  # has a magnitude, then
    return (v == v, 0 if v != v else -abs(number))  # noqa: PLR0124  # NaN alone is not equal to itself


def top(values: Sequence[Any], k: int) -> list[int]:
    """The indices of the ``k`` first entries in that order, ascending; all of them where ``k`` is larger.

    Raises InputError for a negative ``k``.

    >>> top([3.0, -5.0, 5.0, float("nan"), -3.0], 3)
    [1, 2, 3]
    >>> top([1, -2, 2], 9), top([1, -2, 2], 0)
    ([0, 1, 2], [])
    """
    if k < 0:
        raise InputError(f"k = {k}: it must be 0 or more")
    places = [*map(place, values)]
    return sorted(sorted(range(len(values)), key=places.__getitem__)[:k])  # which leaves equal places as they are


def through(values: Sequence[Any], last: Place | None) -> list[int]:
    """The indices of all entries that do not come after ``last``, ascending; of none where that is None.

    >>> through([3.0, -5.0, 2.0, float("nan"), -3.0], place(3.0))
    [0, 1, 3, 4]
    """
    return [] if last is None else [i for i, v in enumerate(values) if place(v) <= last]
