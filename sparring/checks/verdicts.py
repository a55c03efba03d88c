"""Turns what was found in all places into the results of a report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from sparring.checks import reproducer
from sparring.checks.findings import Findings
from sparring.checks.properties import AMONG, BAD, LEVELS, MESSAGES
from sparring.checks.question import Question
from sparring.present.explorer.document import Document
from sparring.proofs.logic.verdicts import EXPECTED, NOT_COVERED, REFUTED, UNDECIDED, Verdict, tested
from sparring.refinement.example import Example
from sparring.refinement.vectors import as_json
from sparring.report import Result
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int
from sparring.trace.compare import compare, empty, legible
from sparring.trace.packings import PACKED

ENDED = "every run ended in time, with the buffers that its MPI has"
"""The meaning of no deadlock on real ranks, whose sends may be buffered."""

LONELY = "one rank alone shows nothing of it: --ranks 1-8 tries more"

TOLD = 1_000
"""The most entries of a vector that is part of a report."""


class Found(NamedTuple):
    """The findings about a target by place, of those asked for ``on``; ``missing``: why one place has none.

    ``documents``: property -> what the explorer shows of its refutation.
    """

    seen: Mapping[str, Findings]
    on: str
    missing: str
    documents: Mapping[str, Document]


def verdict_on(question: Question, prop: str, found: Found) -> Result:
    """Return the verdict on one property from all places."""
    for where, findings in found.seen.items():
        if prop in findings.smallest:
            example, why = findings.smallest[prop]
            return refuted(question, prop, where, found, example, "; ".join(filter(None, (why, findings.shared))))
    if max(question.ranks) < 2 and prop in AMONG and prop in question.judged:
        return Result(question.name, prop, NOT_COVERED, LONELY)
    real = "simulated" not in found.seen
    seen = [] if real and prop == "hygiene" else [f for f in found.seen.values() if not (f.refused or f.shared)]
    wanted, judged = sum(f.wanted[prop] for f in seen), sum(f.judged[prop] for f in seen)
    if not wanted:
        return Result(question.name, prop, *uncovered(question, prop, found))
    missed = next((f"{judged} of {wanted} examples came to it; {f.missed[prop]}" for f in seen if prop in f.missed), "")
    if 2 * judged < wanted:
        return Result(question.name, prop, UNDECIDED, missed)
    if missed and max(question.ranks) > 1 and not any(prop in f.together for f in seen):
        return Result(question.name, prop, UNDECIDED, f"{missed}; those that did are of one rank alone")
    meaning = next((f.meanings[prop] for f in seen if prop in f.meanings), question.meanings[prop])
    meaning = ENDED if real and prop == "deadlock" else meaning
    convention = next((f.convention for f in seen if f.convention and prop in ("steps", "volume")), "")
    meaning += f", with its chunks {convention}" if convention else ""
    counted = sum(f.unread for f in seen) if prop in ("steps", "volume") else 0
    meaning += f"; in {counted} examples messages were counted alone" if counted else ""
    return Result(question.name, prop, tested(judged), f"{meaning}; {missed}" if missed else meaning)


def refuted(question: Question, prop: str, where: str, found: Found, example: Example, why: str) -> Result:
    """Return the verdict with the smallest example that falsifies a property, and write that as files too."""
    run = reproducer.write(question, where, prop, example, why, found.documents[prop])
    under = "under mpiexec " if where == "mpi" and found.on == "both" else ""
    witness = {"p": example.p, "n": example.n, **example.params, **inputs(example)}
    return Result(question.name, prop, REFUTED, f"{example.place}: {under}{why}{run}", witness)


def inputs(example: Example) -> dict[str, Any]:
    """Return the example's vectors for the witness, unless they are long."""
    return {"inputs": [as_json(x) for x in example.xs]} if example.n <= TOLD else {}


def uncovered(question: Question, prop: str, found: Found) -> tuple[Verdict, str]:
    """Say why there is no verdict on a property: not covered or undecided, and the reason."""
    if prop not in question.judged:
        return NOT_COVERED, left_out(question, prop)
    if refused := next((f.refused or f.shared for f in found.seen.values() if f.refused or f.shared), ""):
        return NOT_COVERED, refused
    if prop == "hygiene" and "simulated" not in found.seen:
        return NOT_COVERED, "only the simulated world sees it"
    if found.missing and not found.seen:
        return UNDECIDED, found.missing
    unseen = next((f.unseen[prop] for f in found.seen.values() if prop in f.unseen), "")
    return NOT_COVERED, unseen or "no example came to it"


def left_out(question: Question, prop: str) -> str:
    """Say why a property is not judged."""
    if prop == BAD:
        return "no such examples are drawn for targets that keep state"
    levels = " or ".join(f"--level {level}" for level in LEVELS if prop in MESSAGES[level])
    topology = " or --topology NAME" if prop == "contention" else ""
    return f"level {question.level!r} does not look at it ({levels}{topology} does)"


def held_against(expected: Mapping[str, str], result: Result) -> Result:
    """Return the result in view of expected failures: one that is refuted is as expected, one that holds is refuted."""
    reason = expected.get(result.property)
    if reason is None or result.verdict in (NOT_COVERED, UNDECIDED):
        return result
    if result.verdict == REFUTED:
        return result._replace(verdict=EXPECTED, detail=f"{reason} ({result.detail})")
    return result._replace(verdict=REFUTED, detail=f"expected to fail ({reason}), but it holds: drop the expectation")


def unread(question: Question, seen: Mapping[str, Findings]) -> list[str]:
    """List what was not judged because messages could only be counted."""
    judged = [prop for prop in ("steps", "volume") if prop in question.watched]
    number = sum(findings.unread for findings in seen.values())
    if not judged or not number:
        return []
    what = f"in {number} examples no message reads as a list of the page, {PACKED}"
    return [f"{' and '.join(judged)}: {what}; there messages were counted, not their bytes or entries compared"]


def pictured(question: Question, seen: Mapping[str, Findings]) -> Callable[[int], Any] | None:
    """Draw the first divergence from the page: for a terminal, and beside the reproducers as SVG and as TikZ."""
    for findings in seen.values():
        if "steps" not in findings.smallest:
            continue
        example, _ = findings.smallest["steps"]
        page, trace = question.page_for(example), findings.seen["steps"][0].trace
        divergence = compare(page, example.xs, trace, "steps") if page and trace else None
        if page and trace and divergence and not page.composed:
            from sparring.present import divergence as present
            from sparring.present.figures import divergence as figure
            from sparring.present.figures.tikz import tikz

            file = reproducer.FOLDER / "steps.svg"
            drawn, trace = repeated(page, len(example.calls)), legible(page, example.xs, trace)
            silent = empty(page, example.xs)
            with suppress(OSError):  # the refutation itself says that the folder cannot be written
                file.parent.mkdir(exist_ok=True)
                file.write_text(present.svg(drawn, trace, divergence, empty=silent), encoding="utf-8")
                source = tikz(figure.sheet(drawn, trace, divergence, empty=silent))
                file.with_suffix(".tex").write_text(source, encoding="utf-8")
            return functools.partial(present.terminal, drawn, trace, divergence, empty=silent)
    return None


def repeated(page: Page, calls: int) -> Page:
    """Return the page with its schedule repeated ``calls`` times."""
    if calls == 1:
        return page

    carries: Any = page.carries

    def step(t: Int, p: Int) -> Int:
        return t % page.steps(p)

    return replace(
        page,
        steps=lambda p: calls * page.steps(p),
        dst=lambda r, t, p, *j: page.dst(r, step(t, p), p, *j),
        src=lambda r, t, p, *j: page.src(r, step(t, p), p, *j),
        chunk=lambda r, t, p, *j: page.chunk(r, step(t, p), p, *j),
        count=lambda r, t, p: page.count(r, step(t, p), p),
        carries=page.carries and (lambda r, c, t, p: carries(r, c, step(t, p), p)),
        messages=lambda t, p: page.messages(step(t, p), p),
        adds=lambda t, p: page.adds(step(t, p), p),
        active=lambda r, t, p, *j: page.active(r, step(t, p), p, *j),
    )
