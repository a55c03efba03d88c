"""Exclusive parts of a vector: what a rank selects in its own, all that ranks select, and parts of blocks.

A rank selects in its part what reaches a threshold.  Parts may be runs of blocks of one length, whose bounds move: of
two neighbours the one in which far more than the mean were selected gives a block to one in which far fewer were.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Bool, Int, both
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.top_k import place
from sparring.spec.core.vectors import Vector, by_length, local

MILLION = 10**6


@by_length
def begun(x: Vector, first: int) -> Any:
    """A threshold of so many millionths, a number like the vector's entries."""
    return (x.zero + first) / MILLION


def chosen(v: Vector, start: int, end: int, call: int, least: Any) -> Vector:
    """Where the entries of a part are that reach a threshold; of none the one whose turn it is.

    >>> chosen(Vector([5, 1, 9, 2]), 2, 4, 0, 3), chosen(Vector([5, 1, 9, 2]), 2, 4, 7, 10)
    ([False, False, True, False], [False, False, False, True])
    """
    found = {i for i in range(start, end) if place(v[i]) <= (True, -least)}
    if not found and start < end:
        found = {start + call % (end - start)}
    return Vector([i in found for i in range(len(v))], False)


@local
def selected(v: Vector, c: Int, p: int, call: int, least: Any) -> Any:
    """Where a rank selects in part ``c`` of ``p`` that are as long."""
    start, end = (number(bound(i, len(v), p)) for i in (c, c + 1))
    return chosen(v, start, end, call, least)


@local
def union(masks: Any) -> Any:
    """Where any rank selects."""
    return Vector([any(row) for row in zip(*masks)], False)


@local
def count(at: Any) -> int:
    """How many entries that are."""
    return sum(at)


@local
def scaled(least: Any, by: Any, over: int) -> Any:
    """A threshold, multiplied by a fraction."""
    return least * by / over


# -- parts that are runs of blocks


def length(n: Int, blocks: Int, unit: Int) -> Any:
    """How many entries a block has: a multiple of ``unit``."""
    return n // blocks // unit * unit


def entries(cuts: Sequence[int], n: int, blocks: int, unit: int) -> list[int]:
    """With which entries parts begin that begin with these blocks, and the end; what is left is with the last.

    If blocks have no entries, parts are as long as each other.
    """
    size, p = number(length(n, blocks, unit)), len(cuts) - 1
    return [*(size * cut for cut in cuts[:-1]), n] if size else [number(bound(c, n, p)) for c in range(p + 1)]


@by_length
def even(x: Vector, p: int, blocks: int) -> Any:  # of a vector, so that it is read as a whole
    """With which blocks parts begin that have as many, and the end."""
    return tuple(number(bound(c, blocks, p)) for c in range(p + 1))


@local
def selected_in_blocks(v: Vector, c: Int, cuts: Any, call: int, least: Any, blocks: int, unit: int) -> Any:
    """Where a rank selects in part ``c``."""
    bounds, i = entries(cuts, len(v), blocks, unit), number(c)
    return chosen(v, bounds[i], bounds[i + 1], call, least)


def crowded(found: Int, mean: Int) -> Bool:
    """Whether far more than the mean were selected."""
    return 20 * found > 21 * mean


def scarce(found: Int, mean: Int) -> Bool:
    """Whether far fewer were."""
    return 100_000 * found < 95_238 * mean


def uneven(more: Int, less: Int, mean: Int) -> Bool:
    """Whether of two parts with so many selected entries the first has too many, and the other too few."""
    return both(crowded(more, mean), scarce(less, mean))


def gives(own: Int, blocks: Int, p: Int) -> Bool:
    """Whether a part of so many blocks has no fewer than a fourth of an even share, if it gives one away."""
    return 4 * p * (own - 1) >= blocks


@local
def balanced(cuts: Any, at: Any, blocks: int, unit: int) -> Any:
    """With which blocks parts begin in the next call, and the end.

    >>> balanced((0, 2, 4), Vector([True] * 4 + [False] * 4, False), 4, 2)
    (0, 1, 4)
    """
    p, n, after = len(cuts) - 1, len(at), [*cuts]
    found = [sum(at[a:b]) for a, b in pairwise(entries(cuts, n, blocks, unit))]
    every = sum(found)
    for c in range(p - 1):
        left, right = found[c : c + 2]
        for more, less, giver, way in ((left, right, c, -1), (right, left, c + 1, 1)):
            own = after[giver + 1] - after[giver]
            if truth(uneven(more, less, every // p)) and truth(gives(own, blocks, p)):
                after[c + 1] += way
                moved = number(length(n, blocks, unit)) * every // n
                found[c : c + 2] = left + way * moved, right - way * moved
    return tuple(after)
