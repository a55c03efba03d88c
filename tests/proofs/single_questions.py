"""One property of a page, judged by itself."""

from __future__ import annotations

from sparring.proofs.kernel import kernel
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.verdicts import Verdict
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.model import Page

ANSWERS = Memory()
"""What solvers have said: pages go through the same exchanges, and so have obligations in common."""


def judged(page: Page, prop: str = "result") -> tuple[Verdict, str]:
    """The verdict on that property and the reason, by one solver; no other property is asked for."""
    whole = subject(page)
    found = kernel.judge(whole, next(conjectures(whole, prop)), second_opinion=False, memory=ANSWERS)
    return found.verdict, found.detail
