"""Finds which algorithm costs least at each point of a grid over two letters, or as one letter grows.

Costs are exact values of the derived formulas, and are compared exactly; between the points of the
grid nothing is claimed.  A density ``rho`` stands for the whole number of entries nearest to ``rho n``.
Along one letter points are by factors apart; where the cheapest changes from one to the next, the place
is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import groupby, pairwise
from math import gcd
from typing import NamedTuple

from sparring.costs.crossover import Either, edge, read_point
from sparring.costs.formulas import units
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.symbols import exact
from sparring.costs.supports import models
from sparring.costs.supports.break_even import Band, band
from sparring.costs.union_cost import Union, UnionCost, measured
from sparring.errors import InputError, Undecided
from sparring.spec.core.model import Page

SHOWN = {
    "rho": (Fraction(1, 1000), Fraction(1)),
    "n": (Fraction(1000), Fraction(10**9)),
    "p": (Fraction(2), Fraction(64)),
    "nodes": (Fraction(2), Fraction(16)),
    "node": (Fraction(2), Fraction(8)),
}
"""The range of each letter, unless asked otherwise."""
FREE, NODES = ("rho", "n", "p"), ("nodes", "node")
"""The letters of costs without shared links; and those of nodes, for ``node_regions``."""
WHOLE = ("p", *NODES)
"""The letters that count ranks or nodes."""
DIGITS = 7  # binary ones
POINTS = 61  # of a letter that counts no ranks or nodes
ALONG = 161  # points of one letter
CLOSE = Fraction(1, 10**4)  # of a place that is no whole number, relative to it
FEW = 16  # up to so many numbers of ranks, all are looked at; of more, about four from each to its double

Point = Mapping[str, Fraction]
Sizes = Callable[[int, int, int], Union]
"""``sizes(p, n, k)``: the sizes ``u(s)`` of unions of ``s`` of ``p`` ranks' supports, ``k`` of ``n`` entries each."""
Value = Callable[[Point, Sizes], Fraction | None]
"""An algorithm's cost at a point, None where its formulas do not hold."""


class Run(NamedTuple):
    """A stretch of places along a row of the grid in which the same algorithm is the cheapest."""

    first: int
    last: int
    name: str
    """Empty where several cost the same."""


@dataclass(frozen=True)
class Phases:
    """The cost of each algorithm of ``names`` at each point; ``over``: the letters along and up.

    ``costs[j][i]`` has, for ``along[i]`` and ``up[j]``, a cost for each of ``names``: seconds or bytes, as
    ``quantity`` says, or None where its formulas do not hold.  ``support``: which supports the ranks have.
    """

    names: tuple[str, ...]
    over: tuple[str, str]
    quantity: str
    support: str
    along: tuple[Fraction, ...]
    up: tuple[Fraction, ...]
    costs: tuple[tuple[tuple[Fraction | None, ...], ...], ...] = field(repr=False)

    def cheapest(self, j: int, i: int) -> str:
        """Return the name of the one that costs least; empty where several do, or none has a cost."""
        found = self.close(j, i, Fraction(0))
        return found[0] if len(found) == 1 else ""

    def close(self, j: int, i: int, within: Fraction) -> list[str]:
        """Return the names of all that cost at most so much more than the cheapest, as a share of its cost."""
        known = [cost for cost in self.costs[j][i] if cost is not None]
        most = min(known) * (1 + within) if known else 0
        return [name for name, cost in zip(self.names, self.costs[j][i]) if cost is not None and cost <= most]

    @property
    def left_out(self) -> list[str]:
        """Which algorithms have no cost at some points, and so are not compared there."""
        return left_out(self.names, [point for row in self.costs for point in row])

    def runs(self, j: int) -> list[Run]:
        """Return a row of the grid, in stretches of one cheapest algorithm."""
        row = groupby(range(len(self.along)), key=lambda i: self.cheapest(j, i))
        return [Run((places := [*some])[0], places[-1], name) for name, some in row]


def left_out(names: Sequence[str], points: Sequence[Sequence[Fraction | None]]) -> list[str]:
    """Say of each algorithm without a cost at some points that it is not compared there."""
    counts = {name: sum(cost is None for cost in own) for name, own in zip(names, zip(*points))}
    return [
        f"{name} at {count} of {len(points)} points, where its formulas do not hold: it may cost least there"
        for name, count in counts.items()
        if count
    ]


def phases(costs: Sequence[Either], over: tuple[str, str], at: Mapping[str, units.Given], support: str = "independent",
           sizes: Sizes | None = None, start: Sequence[units.Given | None] = (None, None),
           end: Sequence[units.Given | None] = (None, None)) -> Phases:  # fmt: skip
    """Return the grid over the two letters ``over``, of ``FREE``; the others are ``at``.

    Compared are seconds in lock step where ``at`` has alpha and beta, else bytes, those of the largest
    message of each step.  ``sizes``: measured sizes of unions, else those of the model ``support``.

    Raises InputError for a letter that is missing or of no use, Undecided where a cost has no closed form.
    """
    if len(over) != 2 or not {*over} <= {*FREE} or over[0] == over[1]:
        raise InputError(f"--phase {','.join(over)}: right are two of {', '.join(FREE)}, such as rho,p; or nodes,node")
    fixed, quantity = compared_at(at, over)
    along, up = (places(*sides) for sides in zip(over, start, end))
    values = [valued(cost) for cost in costs]
    union = sizes or modelled(support)
    points = [[placed({**fixed, over[0]: x, over[1]: y}) for x in along] for y in up]
    grid = tuple(tuple(tuple(value(point, union) for value in values) for point in row) for row in points)
    names = tuple(cost.page.name for cost in costs)
    return Phases(names, over, quantity, support, along, up, grid)


def compared_at(at: Mapping[str, units.Given], over: Sequence[str]) -> tuple[dict[str, Fraction], str]:
    """Return the letters that keep their values, and what is compared."""
    known, quantity = read_point(at)
    fixed = {letter: value for letter, value in known.items() if letter not in over}
    units.need({"p", "n"} - {*over}, fixed, f"costs over {' and '.join(over)} need")
    return fixed, quantity


def places(
    letter: str, start: units.Given | None, end: units.Given | None, points: int = POINTS
) -> tuple[Fraction, ...]:
    """Return the values of a letter, factors apart: whole numbers, but of rho."""
    low, high = (edge(letter, given, default) for given, default in zip((start, end), SHOWN[letter]))
    if low >= high or not low:
        raise InputError(f"{letter} cannot grow from {low} to {high}")
    if letter in WHOLE and high - low < FEW:
        return tuple(Fraction(p) for p in range(int(low), int(high) + 1))
    factor = float(high) / float(low)
    if letter in WHOLE:
        found = {round(2 ** (i / 4)) for i in range(4 * int(high).bit_length() + 1)}
        return tuple(Fraction(p) for p in sorted(found | {int(low), int(high)}) if low <= p <= high)
    steps = (float(low) * factor ** (i / (points - 1)) for i in range(1, points - 1))
    inner = map(Fraction, steps)
    return tuple(dict.fromkeys([low, *(inner if letter == "rho" else map(short, inner)), high]))


def short(x: Fraction) -> Fraction:
    """Return a whole number next to ``x`` with few binary digits before its zeros, so that powers of two divide it.

    >>> int(short(Fraction(1_000_000))), int(short(Fraction(99)))
    (999424, 99)
    """
    unit = 2 ** max(0, round(x).bit_length() - DIGITS)
    return Fraction(round(x / unit) * unit)


def placed(point: Mapping[str, Fraction]) -> Point:
    """Return the point with ``k``, where it has a density instead."""
    return {**point, "k": Fraction(round(point["rho"] * point["n"]))} if "rho" in point else point


def modelled(support: str) -> Sizes:
    """Return the sizes of unions under a model, each found once."""
    models.valued(support)
    union = cache(lambda n, k: cache(models.sizes(support, n, k)))
    return lambda p, n, k: union(n, k)


def valued(cost: Either) -> Value:
    """Return an algorithm's cost as a function of the point."""
    if isinstance(cost, UnionCost):
        return lambda at, sizes: of_unions(cost, at, sizes)
    if cost.form("time") is None:
        raise Undecided(f"{cost.page.name}: no closed form of time: {'; '.join(cost.derived.gaps)}")
    given, times = cost.derived.letters, {id(cost): cost.time}
    needed = {s.name for s in cost.time.free_symbols} - {*given}

    def value(at: Point, _: Sizes) -> Fraction | None:
        units.need(needed, at, f"costs of {cost.page.name} need")
        n, p, k = (int(at.get(letter, 0)) for letter in "npk")
        whole = {**at, **{letter: Fraction(x) for letter, x in given.items()}}
        there = cost.of_ranks(p)
        time = times[id(there)] if id(there) in times else times.setdefault(id(there), there.time)
        return exact(time, whole) if holds(cost.given, {"n": n, "p": p, "k": k, **given}) else None

    return value


def of_unions(cost: UnionCost, at: Point, sizes: Sizes) -> Fraction | None:
    """Return the cost of an algorithm of sparse chunks; None where a rank has more entries than there are."""
    units.need("k", at, f"costs of {cost.page.name} need")
    p, n, k, width = (int(at[letter]) for letter in ("p", "n", "k", "width"))
    if k > n:
        return None
    return measured(cost.page, p, n, sizes(p, n, k), width).seconds(at)


def bands(costs: Sequence[Either], found: Phases, width: int) -> dict[str, dict[int, Band | None]]:
    """Return, for each algorithm of sparse chunks and each number of ranks, the band where it pays.

    Lists are encoded alike.  None where it pays nowhere, or in no one band.  Only bytes over rho and p with independent
    supports have bands, since ``cost.band`` speaks of these; for others the result is empty.
    """
    if (found.over, found.quantity, found.support) != (("rho", "p"), "bytes", "independent"):
        return {}
    sparse = [cost.page for cost in costs if isinstance(cost, UnionCost)]
    return {page.name: {int(p): one_band(page, int(p), width) for p in found.up} for page in sparse}


def one_band(page: Page, p: int, width: int) -> Band | None:
    """Return the band, if there is one and no other; else None."""
    try:
        return band(page, p, width)
    except Undecided:
        return None


# -- along one letter


class Turn(NamedTuple):
    """A change of the cheapest algorithm: it is ``before`` up to ``place``, and ``then`` from there on."""

    place: Fraction
    before: str
    then: str


@dataclass(frozen=True)
class Courses:
    """The cost of each of ``names`` at each of ``xs``, seconds or bytes; None where its formulas do not hold."""

    names: tuple[str, ...]
    over: str
    quantity: str
    xs: tuple[Fraction, ...]
    costs: tuple[tuple[Fraction | None, ...], ...]
    turns: tuple[Turn, ...]

    @property
    def left_out(self) -> list[str]:
        """Which algorithms have no cost at some points, and so are not compared there."""
        return left_out(self.names, [*zip(*self.costs)])


def courses(
    costs: Sequence[Either], over: str, at: Mapping[str, units.Given], support: str = "independent",
    start: units.Given | None = None, end: units.Given | None = None,
) -> Courses:  # fmt: skip
    """Return the costs as ``over``, one of "rho", "n" and "p", grows, the other letters being ``at``.

    Raises InputError for a letter that is missing or of no use, Undecided where a cost has no closed form.
    """
    fixed, quantity = compared_at(at, (over,))
    xs, union = places(over, start, end, ALONG), modelled(support)
    values = [valued(cost) for cost in costs]
    names = tuple(cost.page.name for cost in costs)

    def told(x: Fraction) -> tuple[Fraction | None, ...]:
        point = placed({**fixed, over: x})
        return tuple(value(point, union) for value in values)

    rows = [told(x) for x in xs]

    def first(row: Sequence[Fraction | None]) -> str:
        """Return the cheapest, the first named among equals."""
        known = [(cost, i) for i, cost in enumerate(row) if cost is not None]
        return names[min(known)[1]] if known else ""

    both = [(x, first(row)) for x, row in zip(xs, rows)]
    turns = tuple(
        Turn(halved(lambda x: first(told(x)), a, b, over), before, then)
        for (a, before), (b, then) in pairwise(both)
        if before != then
    )
    return Courses(names, over, quantity, xs, tuple(zip(*rows)), turns)


def halved(cheapest: Callable[[Fraction], str], low: Fraction, high: Fraction, over: str) -> Fraction:
    """Return the place between ``low`` and ``high`` from which on the algorithm that is cheapest at ``high`` is so.

    The whole numbers that are tried have all divisors that both ends have, so that formulas hold as they do there.
    """
    then = cheapest(high)
    unit = high * CLOSE if over == "rho" else Fraction(gcd(int(low), int(high)))
    while high - low > unit:
        middle = (low + high) / 2 if over == "rho" else low + unit * ((high - low) / unit // 2)
        low, high = (low, middle) if cheapest(middle) == then else (middle, high)
    return high
