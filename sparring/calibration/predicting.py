"""Predicts an algorithm's time from a machine's numbers: its derived cost, and the work on entries beside it.

A derived cost prices messages, bytes and additions.  What an implementation does with sparse vectors
between two messages is priced by the machine's tables.
"""

from __future__ import annotations

from fractions import Fraction

from sparring.costs import pricing
from sparring.costs.costs import Cost
from sparring.costs.links.machines import Machine, work
from sparring.costs.union_cost import UnionCost
from sparring.errors import SparringError
from sparring.spec.core.model import Page


def cost(page: Page) -> Cost | UnionCost | str:
    """Its derived cost, of independent supports; or why there is none."""
    try:
        return pricing.cost(page, "independent")
    except SparringError as error:
        return str(error)


def seconds(machine: Machine, cost: Cost | UnionCost, p: int, n: int, k: int | None) -> float | str:
    """What a call takes; or why nothing can be said, as for a number of ranks for which no cost is derived.

    The machine has tables for all work.
    """
    letters = {**machine.letters, **({"gamma": Fraction(0)} if cost.page.data == "sparse" else {})}
    try:
        point = cost.at(p=p, n=n, **letters, **({} if k is None else {"k": k}))
    except SparringError as error:
        return str(error)
    if point.time is None:
        return "its time is not derived"
    return float(point.time + work(machine, cost.page, point, p, n, k or 0))
