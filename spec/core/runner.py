"""Runs any page: one with formulas, one that selects, or a composition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.spec.core.compositions import ComposedRun
from sparring.spec.core.model import Page
from sparring.spec.core.runs import RUNS, LocalRun, Message, PieceRun, Run, Step, summed, worded

__all__ = ["ComposedRun", "LocalRun", "Message", "PieceRun", "Run", "Step", "run", "summed", "worded"]


def run(page: Page, xs: Sequence[Any], state: Any = None) -> Run:
    """Run ``page`` on ``xs``, one a rank: a list or an array with elementwise ``+``, or what a page of lists takes.

    ``state``: of a composition or a selector, what the call before left.

    Raises InputError unless there is at least one rank and all vectors have one length;
    iterating raises ScheduleFault where the formulas make no schedule, or ranks part ways.
    """
    if page.composed:
        return ComposedRun(page, xs, state)
    return LocalRun(page, page.selector, xs, state) if page.selector else RUNS.get(page.data, PieceRun)(page, xs)
