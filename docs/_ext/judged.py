"""The sections of an algorithm's page that are judged anew in every build: costs and verdicts."""

from __future__ import annotations

from markup import escaped, table

import sparring
from sparring.costs.costs import Cost
from sparring.costs.rows import FORMS, rows
from sparring.costs.union_cost import UnionCost
from sparring.errors import Undecided
from sparring.proofs.logic import solvers
from sparring.spec.core.model import Page

COSTS = """\
Derived from the formulas when this page was built.  A word is one value; an index counts as one word.  *alpha* is
seconds a message, *beta* seconds a byte, *width* bytes a word, *gamma* seconds an addition."""

VERDICTS = """\
Judged by {}, of the code that this page was built with.  A claim counts as proved if both solvers agree on each of its
obligations, and if the same road refutes the fault that is planted in the last column."""


def costs(page: Page) -> str:
    """What ``sparring.cost`` derives now: closed forms, lower bounds, how they were checked, published formulas."""
    try:
        cost = sparring.cost(page)
    except Undecided as why:
        return f"There is no closed form yet: {escaped(str(why))}."
    found = [(FORMS[row.quantity], *row[1:4]) for row in rows(cost, tuple(FORMS)) if row.exact is not None]
    cells = [[escaped(what), *(f"``{form}``" if form is not None else "" for form in forms)] for what, *forms in found]
    head = ("quantity", "exact", escaped(f"where {cost.even}"), "at least")
    return "\n\n".join([COSTS, table(head, cells, "costs"), checks(cost)])


def checks(cost: Cost | UnionCost) -> str:
    """How the derivation was checked, and what published formulas are worth, as a list."""
    told = [f"{name}: *{verdict}* ({escaped(detail)})" for name, verdict, detail in cost.checks]
    for judged in cost.claims:
        claim = judged.claim
        told.append(f"{escaped(f'{claim.source}, {claim.name}')}: *{judged.verdict}*, {escaped(judged.detail)}")
    told += [escaped(f"not covered: {gap}") for gap in cost.gaps]
    return "\n".join(f"* {line}" for line in told)


def verdicts(page: Page) -> str:
    """What ``sparring.prove`` says of this code: a row a claim; where it is not proved, the reason instead."""
    known = page.name in sparring.pages() and page is sparring.page(page.name)
    report = sparring.prove(page.name if known else page, keep=True)
    cells = []
    for theorem, result in zip(report.extra["theorems"], report.results, strict=True):
        told = theorem["statement"] if theorem["planted"] and theorem["solvers"] else result.detail
        cells.append([escaped(text) for text in (theorem["name"], theorem["verdict"], told, theorem["planted"])])
    judges = " and ".join(f"{name} {release}" for name, release in solvers.versions().items())
    head = ("claim", "verdict", "what it says", "planted fault")
    return "\n\n".join([VERDICTS.format(judges), table(head, cells, "verdicts")])
