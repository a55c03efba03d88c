"""What both solvers say of a page; that a fault upsets each theorem is asked of one page of each kind."""

from __future__ import annotations

from collections.abc import Iterator

from sparring.proofs.kernel import kernel
from sparring.proofs.logic import small_points
from sparring.proofs.logic.queries import Memory, answered
from sparring.proofs.logic.verdicts import Verdict
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.model import Page


def judged(page: Page, memory: Memory | None = None) -> Iterator[tuple[str, Verdict]]:
    """Yield each claim with what both solvers say of it; where one objects, by a run."""
    whole = subject(page)
    for one in conjectures(whole.general):
        yield one.name, kernel.judge(whole, one, second_opinion=True, memory=memory).verdict


def refuted(page: Page, theorem: str = "result", memory: Memory | None = None) -> bool:
    """Whether the theorem is wrong with few ranks, and a solver says so too."""
    one = next(one for one in conjectures(subject(page).general) if one.name == theorem)
    false = filter(small_points.false_at, one.obligations)
    return any(answer.witness and not answer.problem for answer in answered(false, False, one.encoding, memory))
