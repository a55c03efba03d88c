"""Which rule a page has for what stays behind as residual; either keeps the sum of all that was put in."""

from __future__ import annotations

from collections.abc import Callable

from sparring.spec.core.sparse import SparseVector

Left = Callable[[SparseVector, SparseVector, SparseVector], SparseVector]
"""``left(x, cut, y)``, as a page has it."""


def rule(left: Left) -> str:
    """What stays behind by this formula, tried on entries of every kind: ``x``, ``cut`` and ``y`` each have one or not.

    "cut": what the rank cut, wherever it did.  "collected": that where the result has an entry, and
    elsewhere what the rank began with.  Empty: something else, with which an entry may get lost.

    Ranks end with the same entries, so that all keep the same of the two in one place; and what all
    cut there adds up with the result to what all began with.

    >>> rule(lambda x, cut, y: cut), rule(lambda x, cut, y: x.without(y) + cut.meeting(y)), rule(lambda x, cut, y: x)
    ('cut', 'collected', '')
    """
    x, cut, y = (entries(bit) for bit in range(3))
    stays = left(x, cut, y)
    if stays == cut:
        return "cut"
    return "collected" if stays == x.without(y) + cut.meeting(y) else ""


def entries(bit: int) -> SparseVector:
    """Of eight places those whose number has this bit, with values that tell which."""
    at = tuple(i for i in range(8) if i >> bit & 1)
    return SparseVector(at, tuple((bit, i) for i in at), 8)
