"""Runs of pages whose chunks are sparse: which entries go with each message, and which each copy has then."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sparring.present.explorer.contents import cell, changed, detail, goal, start
from sparring.present.explorer.document import Message, Stage, Step
from sparring.present.explorer.letters import lettered
from sparring.spec.core.model import Page
from sparring.spec.core.runs import ListRun, LocalRun, PieceRun, Run
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector, strung

Rows = list[list[SparseVector]]
"""By rank and chunk its copies."""


def stage(ran: Run, width: int, counted: Page | None = None) -> Stage:
    """Return a run as a stage: its messages and copies, step by step.

    ``width``: the bytes of a value; ``counted``: the page whose bytes count, where another one exchanges by this one.
    """
    run: Any = ran.inner if isinstance(ran, LocalRun) else ran
    page, p = run.page, len(run.xs)
    states = [begun(run), *(one.states for one in run)]
    states[-1] = returned(run, states[-1])
    every = [step(page, counted or page, t, *both, width) for t, both in enumerate(pairwise(states))]
    cells = [cell(r, c, x, p) for r, row in enumerate(states[0]) for c, x in enumerate(row)]
    return Stage(
        page=page.name, chunks=number(page.chunks(p)), start=start(page, p), goal=goal(page, p), sizes=sizes(run),
        cells=cells, steps=every,
    )  # fmt: skip


def begun(run: ListRun | PieceRun) -> Rows:
    """Return what ranks have of each chunk before the first step."""
    if isinstance(run, ListRun):
        return [[*row] for row in run.xs]
    page, p = run.page, len(run.xs)
    return [[page.selects(x, c, p, run.n, run.width) for c, x in enumerate(row)] for row in run.xs]


def returned(run: ListRun | PieceRun, rows: Rows) -> Rows:
    """Return what ranks have of each chunk in the end: what they would send then."""
    page, p = run.page, len(run.xs)
    if isinstance(run, ListRun):
        return rows
    end = number(page.steps(p))
    return [[page.sends(x, c, end, p, run.n, run.width) for c, x in enumerate(row)] for row in rows]


def sizes(run: ListRun | PieceRun) -> list[int]:
    """Return how many entries each chunk may have; a list has those of a whole vector."""
    return [run.given[0].n] * len(run.xs) if isinstance(run, ListRun) else [b - a for a, b in pairwise(run.bounds)]


def step(page: Page, counted: Page, t: int, before: Rows, after: Rows, width: int) -> Step:
    """Return a step: what is sent is made of the copies before it."""
    p, listed = len(before), page.data == "lists"
    n = before[0][0].n if listed else sum(x.n for x in before[0])
    adds, sends = truth(page.adds(t, p)), step_sends(page, t, p)
    parts = [[sent(page, before[r][c], c, t, p, n, width) for c in chunks] for r, _, chunks in sends]
    whole = [strung(lists, n if listed else sum(x.n for x in lists)) for lists in parts]
    found = Step(
        [Message(r, d, [*chunks], adds) for r, d, chunks in sends],
        t,
        details=[detail(counted, i, entries, width, p) for i, entries in enumerate(whole)],
        cells=[cell(r, c, after[r][c], p) for r, c in changed(before, after)],
    )
    return lettered(found, page, p)


def sent(page: Page, x: SparseVector, c: int, t: int, p: int, n: int, width: int) -> SparseVector:
    """Return what a rank sends of its chunk ``c``: of a list all."""
    return x if page.data == "lists" else page.sends(x, c, t, p, n, width)
