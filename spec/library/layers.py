"""Layers of a vector, dealt out to ranks: where layers lie, how many entries of each are selected, and whose each is.

Layers are runs of entries of about one length; one that is longer than a rank's even share is cut into ``p`` layers.
Of ``k`` entries layers get parts by their norms, the largest first.  The work that a layer makes is its length times
the logarithm of how many entries of it are selected.  Layers are dealt out by work, the most first, each to whom has
least so far.  Layers of which all entries are selected are no one's: all ranks send all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, inf, log2, sqrt
from typing import Any, NamedTuple

from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.schedule import number
from sparring.spec.core.top_k import place, top
from sparring.spec.core.vectors import Vector, local
from sparring.spec.library.matrices import halved


class Plan(NamedTuple):
    """``whole``: layers of which all entries are sent; ``owned``: by bin, in which order it got them, its layers."""

    whole: list[int]
    owned: list[list[int]]


def cut(n: int, layers: int, p: int) -> list[int]:
    """Where layers begin, and the end.

    >>> cut(10, 3, 2), cut(8, 1, 2)
    ([0, 3, 6, 10], [0, 4, 8])
    """
    found = [0]
    for i in range(layers):
        start, end = (number(bound(c, n, layers)) for c in (i, i + 1))
        pieces = p if (end - start) * p > n else 1
        found += [start + number(bound(c, end - start, pieces)) for c in range(1, pieces + 1)]
    return found


def within(wanted: Int, most: Int) -> Any:
    """At least one entry, and no more than a layer has."""
    return where(wanted < 1, where(most < 1, most, 1), where(wanted < most, wanted, most))


def wanted(v: Vector, bounds: Sequence[int], k: int) -> list[int]:
    """How many entries of each layer a rank selects."""
    norms = [norm(v[start:end]) for start, end in pairwise(bounds)]
    found, left, rest = [0] * len(norms), k, 0.0
    for x in norms:
        rest += x
    for i in sorted(range(len(norms)), key=lambda i: place(norms[i])):
        share = norms[i] / rest if 0 < rest < inf else 0.0
        found[i] = number(within(floor(left * share), bounds[i + 1] - bounds[i]))
        left, rest = left - found[i], rest - norms[i]
    return found


def norm(v: Vector) -> float:
    """The root of the sum of all squares, added up in halves, of numbers of 64 bits."""
    return sqrt(halved([float(x) * float(x) for x in v])) if len(v) else 0.0


@local
def dealt(v: Vector, p: int, layers: int, k: int) -> Plan:
    """Whose layers are whose, by a rank's own norms.

    >>> dealt(Vector([9, 0, 1, 1, 1, 0, 0, 1]), 2, 4, 4)
    Plan(whole=[0], owned=[[1, 3], [2]])
    """
    bounds = cut(len(v), layers, p)
    lengths, found = [end - start for start, end in pairwise(bounds)], wanted(v, bounds, k)
    work = [length * log2(max(many, 2)) for length, many in zip(lengths, found)]
    plan, load = Plan([], [[] for _ in range(p)]), [0.0] * p
    for i in sorted(range(len(work)), key=lambda i: -work[i]):
        least = load.index(min(load))
        if found[i] == lengths[i]:
            plan.whole.append(i)
        else:
            plan.owned[least].append(i)
            load[least] += work[i]
    return plan


@local
def largest_of_layers(v: Vector, c: Int, plan: Plan, layers: int, k: int) -> Any:
    """Where a rank selects that has bin ``c``: all of whole layers, and of each of its own as many as its norms say."""
    bounds = cut(len(v), layers, len(plan.owned))
    found = wanted(v, bounds, k)
    at = {i for layer in plan.whole for i in range(bounds[layer], bounds[layer + 1])}
    for layer in plan.owned[number(c)]:
        start, end = bounds[layer : layer + 2]
        at |= {start + i for i in top(v.entries[start:end], found[layer])}
    return Vector([i in at for i in range(len(v))], False)
