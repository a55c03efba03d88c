"""The sections of an algorithm's page that are judged anew in every build: costs, claims and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from markup import escaped, table

import sparring
from sparring.claims import Replayed, entitled, replayed, stated
from sparring.costs.costs import Cost
from sparring.costs.rows import FORMS, rows
from sparring.costs.union_cost import UnionCost
from sparring.errors import Undecided
from sparring.literature.papers import sources
from sparring.proofs.logic import solvers
from sparring.report import Report
from sparring.spec.core.model import Page

COSTS = """\
Derived from the formulas when this page was built.  A word is one value; an index counts as one word.  *alpha* is
seconds a message, *beta* seconds a byte, *width* bytes a word, *gamma* seconds an addition."""

CLAIMS = """\
What papers state of these costs, in this page's letters.  ``sparring claims`` and a claim's name tell all of it."""

VERDICTS = """\
Judged by {}, of the code that this page was built with.  A claim counts as proved if both solvers agree on each of its
obligations, and if the same procedure refutes the fault that is planted in the last column."""

THEOREMS = """\
For how many ranks each theorem holds, as this code was judged in this build.  An empty cell: the page has no such
theorem.  Contention is told per topology, and *not free* is what the page says of itself beforehand, with a reason."""
GROUPS = ("result", "agreement", "economy", "conservation", "deadlock")


@cache
def derived(name: str) -> Cost | UnionCost | str:
    """What ``sparring.cost`` derives now, or why there is no closed form."""
    try:
        return sparring.cost(name)
    except Undecided as why:
        return str(why)


def costs(page: Page) -> str:
    """Closed forms, lower bounds, and how they were checked."""
    cost = derived(page.name)
    if isinstance(cost, str):
        return f"There is no closed form yet: {escaped(cost)}."
    found = [(FORMS[row.quantity], *row[1:4]) for row in rows(cost, tuple(FORMS)) if row.exact is not None]
    cells = [[escaped(what), *(f"``{form}``" if form is not None else "" for form in forms)] for what, *forms in found]
    head = ("quantity", "exact", escaped(f"where {cost.even}"), "at least")
    return "\n\n".join([COSTS, table(head, cells, "costs"), checks(cost)])


def checks(cost: Cost | UnionCost) -> str:
    """How the derivation was checked, as a list."""
    told = [f"{name}: *{verdict}* ({escaped(detail)})" for name, verdict, detail in cost.checks]
    told += [escaped(f"not covered: {gap}") for gap in cost.gaps]
    return "\n".join(f"* {line}" for line in told)


def claims(page: Page) -> str:
    """What papers state of the costs, each statement with what is derived and the verdict."""
    cells = [claimed(one) for one in published(page)]
    if not cells:
        return "No paper's formula of these costs is kept here."
    return "\n\n".join([CLAIMS, table(("claim", "what it states", "derived", "verdict"), cells, "claims")])


def published(page: Page) -> Iterator[Replayed]:
    """The claims about this algorithm, in its own module and in the literature, judged now."""
    about = [(each, one) for each in sources() for one in each.statements if getattr(one, "algorithm", "") == page.name]
    wanted = [one.id for one in stated([page])] + [entitled(each, one) for each, one in about]
    yield from replayed([page], wanted, sources()) if wanted else ()


def claimed(one: Replayed) -> list[str]:
    """A row of the table of claims."""
    given = f", where {escaped(one.stated.given)}" if one.stated.given else ""
    states = f"``{one.stated.statement}``{given} ({escaped(one.stated.source)})"
    verdict = f"*{one.judged.verdict}*, {escaped(one.judged.detail)}"
    return [f"``{one.stated.id}``", states, f"``{one.derived}``" if one.derived else "", verdict]


@cache
def proved(name: str) -> Report:
    """What ``sparring.prove`` says of an algorithm."""
    return sparring.prove(name, keep=True)


def theorems(pages: Sequence[Page]) -> str:
    """For how many ranks what is proved of each algorithm: a row an algorithm, a column a theorem."""
    cells = []
    for page in pages:
        found = {theorem["name"]: theorem["verdict"] for theorem in proved(page.name).extra["theorems"]}
        cells.append([f":doc:`{page.name}`", *(ranks(found.get(name, "")) for name in GROUPS), free(found)])
    return "\n\n".join([THEOREMS, table(("algorithm", *GROUPS, "contention"), cells, "theorems")])


def ranks(verdict: str) -> str:
    """The numbers of ranks of a proof; another verdict as it is."""
    return escaped(verdict.removeprefix("proved for "))


def free(found: Mapping[str, str]) -> str:
    """On which topologies messages do not meet, by how far that goes; of exchanges in sequence, for how many ranks."""
    if "contention" in found:
        return f"as its exchanges: {ranks(found['contention'])}"
    levels: dict[str, list[str]] = {}
    for level, network in (name.split(" on ") for name in found if " on " in name):
        expected = found[f"{level} on {network}"].startswith("refuted")
        levels.setdefault("not free" if expected else level, []).append(network)
    return "; ".join(f"{level}: {escaped(', '.join(on))}" for level, on in levels.items())


def verdicts(page: Page) -> str:
    """What ``sparring.prove`` says of this code: a row a claim; where it is not proved, the reason instead."""
    known = page.name in sparring.pages() and page is sparring.page(page.name)
    report = proved(page.name) if known else sparring.prove(page, keep=True)
    cells = []
    for theorem, result in zip(report.extra["theorems"], report.results, strict=True):
        told = theorem["statement"] if theorem["planted"] and theorem["solvers"] else result.detail
        cells.append([escaped(text) for text in (theorem["name"], theorem["verdict"], told, theorem["planted"])])
    judges = " and ".join(f"{name} {release}" for name, release in solvers.versions().items())
    head = ("claim", "verdict", "what it says", "planted fault")
    return "\n\n".join([VERDICTS.format(judges), table(head, cells, "verdicts")])
