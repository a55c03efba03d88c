"""Finds the cost of any page: of its formulas, of sparse chunks, or added up over a composition's exchanges."""

from __future__ import annotations

from sparring.costs import compositions, union_cost
from sparring.costs.costs import Cost, summable
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.union_cost import UnionCost
from sparring.spec.core.model import Page


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
