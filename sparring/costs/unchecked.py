"""Finds the cost of any page, on links of its own or shared, whatever runs say of it: its checks tell that."""

from __future__ import annotations

from sparring.costs import pricing, union_cost
from sparring.costs.costs import Cost
from sparring.costs.links import places
from sparring.costs.shared_links import SharedCost, sharedcost
from sparring.costs.union_cost import UnionCost
from sparring.spec.core.model import Page


def cost(
    page: Page, support: str = "union", nodes: int | str | None = None, topology: str | None = None
) -> Cost | UnionCost | SharedCost:
    """Return the cost of ``page``; the arguments are those of :func:`sparring.cost`, which raises what this does."""
    union_cost.check_support(support)
    if nodes is None and topology is None:
        return pricing.cost(page, support)
    return sharedcost(page, places.find_place(nodes, topology), support)
