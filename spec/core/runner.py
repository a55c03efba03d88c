"""Runs any page: one with formulas, one that selects, or a composition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.spec.core.compositions import ComposedRun
from sparring.spec.core.model import Page
from sparring.spec.core.runs import (
    PROGRAMS,
    RUNS,
    DenseRun,
    LocalRun,
    Message,
    Outcome,
    PieceRun,
    Played,
    ProgramRun,
    Run,
    Step,
    played,
    summed,
    worded,
)

__all__ = [
    "ComposedRun", "DenseRun", "LocalRun", "Message", "Outcome", "PieceRun", "Played", "ProgramRun", "Run", "Step",
    "played", "run", "summed", "worded",
]  # fmt: skip


def run(page: Page, xs: Sequence[Any], state: Any = None) -> Run:
    """Run ``page`` on ``xs``, one a rank: a list or an array with elementwise ``+``, or what a page of lists takes.

    ``state``: of a program or a selector, what the call before left.

    Raises InputError unless there is at least one rank and all vectors have one length;
    iterating raises ScheduleFault where the formulas make no schedule.
    """
    if page.selector:
        return LocalRun(page, page.selector, xs, state)
    if page.composed:
        return ComposedRun(page, xs, state)
    return PROGRAMS[page.data](page, xs, state) if page.irregular else RUNS.get(page.data, PieceRun)(page, xs)
