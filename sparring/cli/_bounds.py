"""Lower bounds beside costs: how far each is from them, as formulas and at a point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparring.costs.forms import Forms
    from sparring.costs.rows import Row

Least = dict[str, tuple[Fraction, str]]
"""The bounds at a point, by form, each with the ratio of the cost to it."""


def above(row: Row) -> str:
    """Return how far a form is from its bound: the difference, the ratio, and its limit for many ranks."""
    if row.gap == 0:
        return "reached"
    told = f"{row.gap} above it" + (f", {row.ratio} times it" if row.ratio is not None else "")
    if row.limit in (None, row.ratio):
        return told
    grown = "without limit" if row.limit.is_infinite else f"to {row.limit}"
    return f"{told}, {grown} as p grows"


def scopes(costs: Iterable[Forms]) -> list[str]:
    """Return for which algorithms and inputs each bound holds, where it does not hold for all."""
    return [
        f"Least {one.quantity} of {cost.page.name}: if {one.scope}."
        for cost in costs
        for one in cost.bounds.values()
        if one.scope
    ]


def reached(cost: Forms, label: str, point: Mapping[str, Any], at: Mapping[str, Any]) -> Least:
    """Return the bounds at a point under the model ``label``; none for an algorithm that is only compared with."""
    from sparring.costs.supports.models import NAMES
    from sparring.costs.union_cost import UnionCost

    if isinstance(cost, UnionCost):
        if label != cost.support and label not in NAMES:
            return {}
        cost = cost.under(label)
    least = {name: x for name, x in cost.least(at).items() if point.get(name) is not None}
    return {name: (x, times(Fraction(point[name]), x)) for name, x in least.items()}


def times(cost: Fraction, least: Fraction) -> str:
    """Return how many times the least a cost is, as text."""
    if cost == least:
        return "reached"
    return f"{float(cost / least):.4g} times" if least else "nothing is needed"


def enveloped(cost: Forms, points: Mapping[str, Mapping[str, Any]], at: Mapping[str, Any]) -> dict[str, Any]:
    """Return the bounds at a point for the envelope, with exact ratios, by model where there is one."""
    found = {label: (point, reached(cost, label, point, at)) for label, point in points.items()}
    told = {
        label: {
            name: {"least": str(x), "ratio": str(Fraction(point[name]) / x) if x else None}
            for name, (x, _) in least.items()
        }
        for label, (point, least) in found.items()
        if least
    }
    return told.get("", told)
