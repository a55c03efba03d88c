"""What several algorithms cost as one letter grows, and where the cheapest of them changes.

Costs are exact values of the derived formulas at points by factors apart.  Where the cheapest changes
from one point to the next, the place is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import NamedTuple

from sparring.proofs.cost import units
from sparring.proofs.cost.phases import compared_at, modelled, placed, places, valued
from sparring.proofs.cost.versus import Either

POINTS = 161
CLOSE = Fraction(1, 10**4)  # of a place that is no whole number, relative to it


class Turn(NamedTuple):
    """At ``place`` and from there on ``then`` is the cheapest, and before it ``before``."""

    place: Fraction
    before: str
    then: str


@dataclass(frozen=True)
class Courses:
    """For each of ``names`` what it costs at each of ``xs``, seconds or bytes; None where its formulas do not hold."""

    names: tuple[str, ...]
    over: str
    quantity: str
    xs: tuple[Fraction, ...]
    costs: tuple[tuple[Fraction | None, ...], ...]
    turns: tuple[Turn, ...]


def courses(
    costs: Sequence[Either], over: str, at: Mapping[str, units.Given], support: str = "independent",
    start: units.Given | None = None, end: units.Given | None = None,
) -> Courses:  # fmt: skip
    """The costs as ``over``, one of "rho", "n" and "p", grows, the other letters being ``at``.

    Raises InputError for a letter that is missing or of no use, Undecided where a cost has no closed form.
    """
    fixed, quantity = compared_at(at, (over,))
    xs, union = places(over, start, end, POINTS), modelled(support)
    values = [valued(cost) for cost in costs]
    names = tuple(cost.page.name for cost in costs)

    def told(x: Fraction) -> tuple[Fraction | None, ...]:
        point = placed({**fixed, over: x})
        return tuple(value(point, union) for value in values)

    rows = [told(x) for x in xs]

    def first(row: Sequence[Fraction | None]) -> str:
        """The cheapest, the first named among equals."""
        known = [(cost, i) for i, cost in enumerate(row) if cost is not None]
        return names[min(known)[1]] if known else ""

    both = [(x, first(row)) for x, row in zip(xs, rows)]
    turns = tuple(
        Turn(halved(lambda x: first(told(x)), a, b, over), before, then)
        for (a, before), (b, then) in pairwise(both) if before != then
    )  # fmt: skip
    return Courses(names, over, quantity, xs, tuple(zip(*rows)), turns)


def halved(cheapest: Callable[[Fraction], str], low: Fraction, high: Fraction, over: str) -> Fraction:
    """From which place between two on the one is the cheapest that is so at ``high``.

    Whole numbers are tried that have all divisors which both ends have, so that formulas hold as they do there.
    """
    then = cheapest(high)
    unit = high * CLOSE if over == "rho" else Fraction(gcd(int(low), int(high)))
    while high - low > unit:
        middle = (low + high) / 2 if over == "rho" else low + unit * ((high - low) / unit // 2)
        low, high = (low, middle) if cheapest(middle) == then else (middle, high)
    return high
