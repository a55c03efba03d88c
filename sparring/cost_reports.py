"""Costs as a report: how each was checked, what published formulas are worth, and all formulas as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sparring.costs.claims import stated
from sparring.costs.costs import Cost
from sparring.costs.published.claim import Claim
from sparring.costs.rows import rows
from sparring.costs.shared_links import SharedCost
from sparring.costs.union_cost import UnionCost
from sparring.proofs.logic.verdicts import UNDECIDED
from sparring.report import Report, Result

Told: TypeAlias = Cost | UnionCost | SharedCost


def cost_report(costs: Sequence[Told], undecided: Mapping[str, str], seconds: float) -> Report:
    """Return the report of ``cost``: how each derivation was checked, and the verdict on each published formula.

    ``undecided``: the reason, for each algorithm without a derivation.
    """
    results = [Result(one.page.name, *check) for one in costs for check in one.checks]
    results += [Result(one.page.name, j.claim.name, j.checked, j.detail) for one in costs for j in one.claims]
    results += [Result(name, "derivation", UNDECIDED, why) for name, why in undecided.items()]
    gaps = [f"{one.page.name}: {gap}" for one in costs for gap in one.gaps]
    return Report("cost", results, gaps, seconds, {"costs": [forms(one) for one in costs]})


def described(claim: Claim) -> dict[str, Any]:
    """Return a claim for the envelope, its formula as text."""
    told = {name: value for name, value in claim._asdict().items() if name != "actual"}
    return {**told, "formula": str(stated(claim))}


def forms(cost: Told) -> dict[str, Any]:
    """Return a cost for the envelope: formulas as text."""
    bounds = cost.bounds
    shown = {
        row.quantity: {
            **{name: None if x is None else str(x) for name, x in row._asdict().items() if name != "quantity"},
            "limit": None if row.limit is None else str(row.limit),
            **(
                {"source": bounds[row.quantity].source, "scope": bounds[row.quantity].scope}
                if row.bound is not None
                else {}
            ),
        }
        for row in rows(cost)
    }
    claims = [{**described(j.claim), "judged": j.verdict, "difference": j.difference} for j in cost.claims]
    place = {"place": str(cost.place), "given": cost.given} if isinstance(cost, SharedCost) else {}
    sent = cost.form("sent")
    told = None if sent is None else str(sent)
    encoded = {} if cost.encoded is None else {"encoded": str(cost.encoded)}
    qualified = {"bound": list(cost.qualified)} if cost.qualified else {}
    about = {"algorithm": cost.page.name, **qualified, "sent": told}
    return {**about, "forms": shown, **encoded, "claims": claims, **place}
