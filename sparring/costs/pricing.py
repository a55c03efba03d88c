"""Finds the cost of any page: of its formulas, of sparse chunks, or added up over a composition's exchanges."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any, TypeVar

from sparring.costs import compositions, union_cost
from sparring.costs.costs import Cost, summable
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.union_cost import UnionCost
from sparring.errors import Refuted
from sparring.spec.core.model import Page

FEW = range(1, 10)
"""On so many ranks the costs of a user's page are held against runs before they are used."""
Found = TypeVar("Found", bound=Any)
"""A cost: of a page, of sparse chunks, of a composition, or where links are shared."""


def counted(found: Found, ranks: Iterable[int] = FEW) -> Found:
    """Return a cost; raise Refuted where runs of a user's page send something else.  Tests count those of ours."""
    if not ships(found.page.module) and (unlike := found.unlike(ranks)):
        raise Refuted(f"the cost of {found.page.name} is not what runs send: {unlike}")
    return found


def ships(module: ModuleType) -> bool:
    """Return whether a page's module is one of sparring's own."""
    return module.__name__.startswith("sparring.spec.") and sys.modules.get(module.__name__) is module


def cost(page: Page, support: str = "union") -> Cost | UnionCost:
    """Return the cost of ``page``; of a composition, a bound under hypotheses.

    ``support``: of sparse chunks, the model of how supports overlap.  Raises Undecided where no cost is derived,
    InputError for an unknown model, and where a formula cannot be run on symbols.
    """
    if page.data == "sparse":
        return union_cost.derive(page, support)
    if page.composed:
        return compositions.cost(page)
    with summable(page):
        derived = derive(page)
        return Cost(page, derived, derived.given)
