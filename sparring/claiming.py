"""Published claims: each with what it states, who says so, under which hypotheses, and what it is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sparring.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from sparring.proofs.cost.claims import Judged
    from sparring.spec.core.model import Page

SEPARATOR = "/"


class Stated(NamedTuple):
    """A claim, as it was published, and how to call it: ``ring/bandwidth``."""

    id: str
    algorithm: str
    statement: str
    given: str
    source: str


class Replayed(NamedTuple):
    """A claim and what came of it."""

    stated: Stated
    judged: Judged
    derived: str
    """The formula of the page; empty where there is none."""


def stated(pages: Sequence[Page]) -> Iterator[Stated]:
    """Every claim that stands by these pages; nothing is derived."""
    from sparring.proofs.cost.claims import stated as formula
    from sparring.proofs.cost.published import published

    for page in pages:
        for claim in published(page):
            statement = f"{claim.quantity} = {formula(claim)}"
            yield Stated(called(page, claim.name), page.name, statement, claim.given, claim.source)


def called(page: Page, name: str) -> str:
    """The id of the claim ``name``.

    >>> import sparring
    >>> called(sparring.page("ring"), "bandwidth, with a fold")
    'ring/bandwidth-with-a-fold'
    """
    return page.name + SEPARATOR + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def replayed(pages: Sequence[Page], wanted: Sequence[str] = ()) -> Iterator[Replayed]:
    """The claims with the ids ``wanted``, by default all, judged anew.

    Raises InputError for an id that no claim has, Undecided where a page's cost is not derived.
    """
    from sparring.proofs.cost import costs, unioncost
    from sparring.proofs.cost.published import published

    known = [one.id for one in stated(pages)]
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError(f"no claim {name!r}; {hint}'sparring claims' shows all")
    for page in pages:
        ids = [called(page, claim.name) for claim in published(page)]
        if not {*ids} & {*(wanted or ids)}:
            continue
        cost = unioncost.derive(page) if page.data == "sparse" else costs.cost(page)
        for one, judged in zip(stated([page]), cost.claims):
            if not wanted or one.id in wanted:
                form = cost.form(judged.claim.quantity)
                yield Replayed(one, judged, "" if form is None else str(form))
