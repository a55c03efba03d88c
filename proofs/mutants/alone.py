"""Which planted faults ``prove`` refuses by proof alone: the page's obligations decide, and nothing is run.

A fault is refused where an obligation of some theorem no longer has a proof: small numbers upset it, a
solver has a counterexample or gives up, or formulas cannot be read at all.  Whether the algorithm is
wrong or only what the page says of itself, which a run would tell, makes no difference: neither is proved.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

from sparring.proofs.core import kernel
from sparring.proofs.core.conjectures import Conjecture
from sparring.proofs.core.questions import Memory, answered
from sparring.proofs.core.supplement import subject
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import IN_PAGES, Mutant, mutants
from sparring.proofs.mutants.trying import Trials
from sparring.spec.core.model import Page, load

UNREADABLE = "bad input"


class Alone:
    """Remembers, from mutant to mutant of one page, which obligations were upset or proved."""

    def __init__(self, page: Page) -> None:
        self.page, self.trials = page, Trials(Memory())

    def refused(self, mutant: Mutant) -> str:
        """A theorem that is no longer proved; "bad input" for a page that cannot be read; empty if all hold.

        Claims of contention that are expected to be refuted, and those that only runs decide, are left out.
        """
        try:
            whole = subject(load(built(self.page.module, mutant.tree), **self.page.params))
            claims = [one for one in kernel.readable(whole.general) if not one.contended]
            return self.first(claims)
        except Exception:  # noqa: BLE001 - whatever a planted fault raises has found it out
            return UNREADABLE

    def first(self, claims: Iterable[Conjecture]) -> str:
        """The first of these that small numbers upset; else the first that the two solvers do not prove."""
        claims = list(claims)
        upset = (one.name for one in claims if next(self.trials.upset(tuple(one.obligations)), ""))
        return next(upset, "") or next((one.name for one in claims if self.unproved(one)), "")

    def unproved(self, one: Conjecture) -> bool:
        """Whether some obligation lacks a proof by both solvers."""
        asked = answered(one.obligations, True, one.encoding, self.trials.memory)
        return not all(answer.holds for answer in asked)


def refused(page: Page, mutant: Mutant) -> str:
    """The same of one mutant: the first theorem that is no longer proved, empty where all still are."""
    return Alone(page).refused(mutant)


def of_page(page: Page) -> Iterator[tuple[Mutant, str]]:
    """Every mutant of the page's own source, and which theorem refuses it; empty where none does."""
    alone = Alone(page)
    for mutant in mutants(inspect.getsource(page.module), IN_PAGES):
        yield mutant, alone.refused(mutant)
