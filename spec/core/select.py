"""Which entries a top-k selection keeps: the order is total, so the answer is unique.

Largest magnitude first; among equal magnitudes the lower index; NaN, which has no magnitude,
comes before all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.errors import InputError


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

    return sorted(sorted(range(len(values)), key=lambda i: (size(values[i]), i))[:k])


def size(v: Any) -> tuple[bool, Any]:
    """How large ``v`` is, to be compared: what is larger comes first, and NaN before all.

    >>> sorted([3.0, -5.0, float("nan"), 0.0], key=size)
    [nan, -5.0, 3.0, 0.0]
    """
    return (v == v, 0 if v != v else -abs(v))  # noqa: PLR0124  # NaN alone is not equal to itself
