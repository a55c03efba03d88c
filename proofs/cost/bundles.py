"""What a page costs that sends several messages, of chunks of vectors, in a step: step by step.

A step's messages, which a rank sends one after the other, are summed as the steps are of a page that
sends one message in each.  If a page has as many messages a step as there are other ranks, and all go
to different ranks, then from every rank a path of messages leads to every other in one step, so that
V_path is V_crit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.core.obligations import Obligation, during, i, implies, j, p, r, t, within
from sparring.proofs.cost.rounds import so
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import where
from sparring.spec.core.schedule import number

FEW = 16
"""Steps that are summed each by itself."""


def step_by_step(page: Page) -> Sequence[Page]:
    """For each step a page whose steps are its messages; raises Undecided where the number of steps is no constant."""
    many = number(page.steps(2))
    steady = [
        Obligation("as many steps for all ranks but one", (p >= 1,), page.steps(p) == where(p > 1, many, 0)),
        Obligation("all send all messages", (*during(page), *any_message(page)), page.active(r, t, p, j)),
    ]
    if many > FEW or not so(page, steady):
        raise Undecided("several messages in each of so many steps, or from some of the ranks alone, are not summed")
    return [apart(page, step) for step in range(many)]


def apart(page: Page, step: int) -> Page:
    """The messages of a step, one after the other."""

    def of(formula: Any) -> Any:
        return lambda r, t, p, j=0: formula(r, step, p, t)

    def sized(formula: Any) -> Any:
        return lambda r, t, c, p, n, k: formula(r, step, c, p, n, k)

    return replace(
        page, steps=lambda p: page.messages(step, p), messages=lambda t, p: 1, adds=lambda t, p: page.adds(step, p),
        dst=of(page.dst), src=of(page.src), chunk=of(page.chunk), active=of(page.active),
        words=sized(page.words), added=sized(page.added),
    )  # fmt: skip


def to_all(page: Page) -> bool:
    """Whether in every step every rank sends to every other."""
    step, (low, high) = during(page), (page.dst(r, t, p, x) for x in (i, j))
    two = (*step, within(i, p - 1), within(j, p - 1))
    return so(page, [
        Obligation("a message for each other rank", step, page.messages(t, p) == p - 1),
        Obligation("each for another one", two, implies(low == high, i == j)),
    ])  # fmt: skip


def any_message(page: Page) -> tuple[Any, ...]:
    """``j`` is one of a step's messages."""
    return (within(j, page.messages(t, p)),)
