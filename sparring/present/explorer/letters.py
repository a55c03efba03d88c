"""Which of its sender's messages each one is, where ranks send several at once: the letter ``j`` of the formulas."""

from __future__ import annotations

from msgspec.structs import replace

from sparring.present.explorer.document import Detail, Message, Step
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, truth

FEW = 64
"""Ranks at most of a run in which messages are told apart so."""


def lettered(step: Step, page: Page, p: int) -> Step:
    """Return the step with the letter of each message; as it is where pages send one, or turns are taken together."""
    if not page.several or step.t is None or p > FEW:
        return step
    details = step.details or [Detail(i) for i in range(len(step.messages))]
    told = [replace(one, letters={"j": turn(page, m, step.t, p)}) for one, m in zip(details, step.messages)]
    return replace(step, details=told)


def turn(page: Page, m: Message, t: int, p: int) -> int:
    """Return which of its sender's messages this one is; a step has one from rank to rank at most."""
    every = range(number(page.messages(t, p)))
    goes = (j for j in every if truth(page.active(m.src, t, p, j)) and number(page.dst(m.src, t, p, j)) == m.dst)
    return next(goes)
