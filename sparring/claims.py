"""Published claims: each with what it states, who says so, under which hypotheses, and what it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from sparring.costs.claims import Judged
    from sparring.costs.published.claim import Claim
    from sparring.literature.implication import Decided
    from sparring.literature.statements import Row, Source, Statement
    from sparring.proofs.logic.verdicts import Verdict
    from sparring.spec.core.model import Page

SEPARATOR = "/"
NOT_JUDGED = "not judged"


class Stated(NamedTuple):
    """A claim, as it was published, and how to call it: ``ring/bandwidth``."""

    id: str
    algorithm: str
    """The algorithm whose page has the claim, or which it is judged against; empty where there is none."""
    statement: str
    given: str
    source: str
    tag: str = ""
    """For claims of the literature, how sure it is that the source says so: letters of ``statements.TAGS``."""


class Replayed(NamedTuple):
    """A claim and the verdict on it."""

    stated: Stated
    judged: Judged | Decided
    derived: str
    """The formula of the page; empty where there is none."""
    quantity: str = ""
    """The quantity of the cost that the claim is about; empty where it is about none."""


def stated(pages: Sequence[Page]) -> Iterator[Stated]:
    """Yield every published claim about these pages; no cost is derived."""
    from sparring.costs.claims import stated as formula
    from sparring.costs.published.claim import published

    for page in pages:
        for claim in published(page):
            statement = f"{claim.quantity} {relation(claim)} {formula(claim)}"
            yield Stated(called(page, claim.name), page.name, statement, claim.given, claim.source)


def relation(claim: Claim) -> str:
    """Return the sign between a quantity and what is stated of it."""
    return "<=" if claim.bound else "="


def called(page: Page, name: str) -> str:
    """Return the id of the page's claim ``name``.

    >>> import sparring
    >>> called(sparring.page("ring"), "bandwidth, with a fold")
    'ring/bandwidth-with-a-fold'
    """
    return page.name + SEPARATOR + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def replayed(pages: Sequence[Page], wanted: Sequence[str] = (), sources: Sequence[Source] = ()) -> Iterator[Replayed]:
    """Judge anew the claims of the pages and of the literature with the ids ``wanted``, by default all.

    Raises InputError for an id that no claim has, Undecided where a page's cost is not derived.
    """
    from sparring.costs.published.claim import published

    known = [one.id for one in stated(pages)] + [entitled(each, one) for each in sources for one in each.statements]
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError(f"no claim {name!r}; {hint}'sparring claims' shows all")
    costs = Costs()
    for page in pages:
        ids = [called(page, claim.name) for claim in published(page)]
        if not {*ids} & {*(wanted or ids)}:
            continue
        cost = costs.of(page)
        for one, judged in zip(stated([page]), cost.claims):
            if not wanted or one.id in wanted:
                form = cost.form(judged.claim.quantity)
                yield Replayed(one, judged, "" if form is None else str(form), judged.claim.quantity)
    for source in sources:
        for each in source.statements:
            if not wanted or entitled(source, each) in wanted:
                yield of_literature(source, each, costs)


class Costs:
    """Derived costs, each of which is derived once."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def of(self, page: Page) -> Any:
        """Return the cost of the page, derived on the first call."""
        from sparring.costs import pricing

        key = (page.name, *page.params.items())
        if key not in self.known:
            self.known[key] = pricing.cost(page)
        return self.known[key]


def entitled(source: Source, one: Statement) -> str:
    """Return the id of a statement of the literature."""
    return source.id + SEPARATOR + one.name


def of_literature(source: Source, one: Any, costs: Costs) -> Replayed:
    """Return a statement with its verdict: judged against a page, decided by itself, or the reason why neither."""
    from sparring.literature.implication import Decided, decide
    from sparring.literature.statements import Row, Shown, Theorem
    from sparring.proofs.logic.verdicts import NOT_COVERED

    cited = f"{source.bibliography.rstrip('.')}; {one.where}"
    if isinstance(one, Row):
        return row(one, entitled(source, one), cited, costs)
    given = one.hypotheses if isinstance(one, (Theorem, Shown)) else one.given
    about = Stated(entitled(source, one), "", one.says, given, cited, one.tag)
    if isinstance(one, (Theorem, Shown)):
        return Replayed(about, decide(one), "")
    return Replayed(about, Decided(NOT_JUDGED, one.because, NOT_COVERED), "")


def row(one: Row, id: str, cited: str, costs: Costs) -> Replayed:  # noqa: A002  # it is the claim's id
    """Judge a cost from the literature as a claim of the page would be, if there is a page of its algorithm."""
    from sparring.costs import claims, union_cost
    from sparring.costs.formulas.hypotheses import parts
    from sparring.literature.implication import Decided
    from sparring.literature.statements import COLLECTIVES, EXCHANGES, no_page
    from sparring.proofs.logic.verdicts import NOT_COVERED, UNDECIDED
    from sparring.spec.core import pages

    claim = one.claim(cited)
    there = one.algorithm in pages.names() or one.algorithm.startswith((COLLECTIVES, EXCHANGES))
    page = pages.find(one.algorithm, **one.params) if there else None
    statement = f"{one.quantity} {relation(claim)} {claims.stated(claim)}"
    chosen = (f"{name} = {value}" for name, value in one.params.items())
    given = ", ".join(filter(None, (one.given, one.support and f"{one.support} supports", *chosen)))
    about = Stated(id, page.name if page else "", statement, given, cited, one.tag)
    if page is None:
        return Replayed(about, Decided(NOT_JUDGED, no_page(one.of or one.algorithm), NOT_COVERED), "", one.quantity)
    cost = costs.of(page)
    if one.support:
        known = (part for part in parts(one.given) if part in union_cost.GIVEN)
        cost = cost.under(one.support).simplify(", ".join(known))
    name = "pairs" if one.support and one.quantity == "words" else one.quantity
    form = cost.form(name)
    form = cost.simplify(one.given).form(name) if form is None else form
    if form is None:
        gap = f"no closed form of {one.quantity} of {page.name}"
        return Replayed(about, Decided("undecided", gap, UNDECIDED), "", one.quantity)
    judged = cost.judged(claim) if page.composed else claims.judge(claim, form, worth(cost), cost.given)
    return Replayed(about, judged, str(form), one.quantity)


def worth(cost: Any) -> Verdict:
    """Return the verdict on a derived form: proved, or tested by counting where chunks are sparse."""
    from sparring.costs import union_cost
    from sparring.proofs.logic.verdicts import PROVED, PROVED_BELOW, tested

    if isinstance(cost, union_cost.UnionCost):
        return tested(len(union_cost.RANKS))
    return PROVED_BELOW if cost.derived.below else PROVED
