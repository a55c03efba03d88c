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
    """Return the page's derived cost, for independent supports; or why it has none."""
    try:
        return pricing.cost(page, "independent")
    except SparringError as error:
        return str(error)


def seconds(machine: Machine, cost: Cost | UnionCost, p: int, n: int, k: int | None) -> float | str:
    """Return the time of a call, or why none is predicted, as where no cost is derived for ``p`` ranks.

    The machine has tables for all kinds of work.
    """
    letters = {**machine.letters, **({"gamma": Fraction(0)} if cost.page.data == "sparse" else {})}
    try:
        point = cost.at(p=p, n=n, **letters, **({} if k is None else {"k": k}))
    except SparringError as error:
        return str(error)
    if point.time is None:
        return "its time is not derived"
    return float(point.time + work(machine, cost.page, point, p, n, k or 0))
