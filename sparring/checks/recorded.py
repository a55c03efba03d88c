"""``check`` of a run that somebody recorded: a folder with each rank's trace, and the vector that it began with."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.adapters import vectorfiles
from sparring.checks import trace_documents
from sparring.checks.contracts import ALLREDUCE
from sparring.checks.judges import judging, trace_counts
from sparring.checks.question import Question, page_alone
from sparring.checks.verdicts import held_against
from sparring.errors import InputError
from sparring.present.explorer import html
from sparring.present.explorer.observed import Beside
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, tested
from sparring.refinement.example import Example
from sparring.refinement.vectors import Vector, as_json
from sparring.report import Report, Result
from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.trace import files
from sparring.trace.compare import compare, unknown, untold
from sparring.trace.events import Trace

ALONE = "where vectors lie beside a trace, its messages alone are judged, entry by entry"

COUNTED = {"steps": trace_counts.COUNTED, "volume": "as many messages as the page; how long they are was not compared"}
"""What holds where no message could be read."""
SIZED = "message by message as long as the page's, in its order"
UNTOLD = "of {} of {} messages the lengths alone, since no digest tells NaNs, or zeros where there are many"


def is_recorded(target: Any) -> bool:
    """Return whether the target is a folder in which vectors lie beside the trace."""
    return any(vectors(Path(target)))


def vectors(folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield the files with vectors in a folder, each with its rank."""
    named = (
        (re.fullmatch(r"rank(\d+)\.(bin|npz)", path.name, re.ASCII), path) for path in sorted(folder.glob("rank*"))
    )
    return ((int(match[1]), path) for match, path in named if match)


def report(
    target: Any, page: str, *, level: str, topology: str, expected: Mapping[str, str],
    only: Sequence[str] | None, params: Mapping[str, Any],
) -> Report:  # fmt: skip
    """Compare a recorded run with a page: ``rankR.jsonl`` is what rank ``R`` did, ``rankR.bin`` or ``.npz`` its vector.

    Level "result", at which there is nothing to judge, counts as "steps".  Raises InputError if
    a file is missing or malformed, or no page is named.
    """
    start, folder = time.perf_counter(), Path(target)
    found = page_alone(page, params)
    if found is None:
        raise InputError(f"vectors beside a trace are for an algorithm to be compared with, not {ALLREDUCE!r}")
    if found.stateful:
        raise InputError(f"{found.name} keeps entries from call to call: a trace with one vector a rank has one call")
    level = "steps" if level == "result" else level
    only = tuple(only or ())
    question = Question(str(target), found, level=level, only=only, topology=topology, sparse=found.sparse)
    question.expects(expected)
    trace = files.read(folder)
    if further := next((path for r, path in vectors(folder) if r >= trace.ranks), None):
        raise InputError(f"{further}: a rank too many, the trace has {trace.ranks}: a folder is one run")
    example = Example([vectorfiles.read(folder, r, trace.ranks) for r in range(trace.ranks)], "result")
    fitting(found, example.xs)
    results = [held_against(expected, one) for one in compared(question, example, trace)]
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    others = [prop for prop in question.asked if prop not in question.watched]
    gaps += [f"{prop}: {ALONE}" for prop in others]
    if found.listed and unknown(found, example.xs, trace):
        gaps.append("steps and volume: messages were counted, their bytes or entries not compared")
    told = {"target": str(target), "page": page, "level": level, "ranks": [trace.ranks], "on": "trace"}
    told |= {"topology": topology, "judged": [r.property for r in results if r.verdict != NOT_COVERED]}

    def shown() -> str:
        divergence = compare(found, example.xs, trace, "steps") or compare(found, example.xs, trace, "volume")
        beside = Beside.of_inputs(found, example.xs, trace, divergence) if divergence else None
        refuted = {one.property for one in results if one.verdict == REFUTED}
        met = judging.crowded(trace, found, topology) if "contention" in refuted else None
        return html.page(trace_documents.document(folder.name, trace, results, beside, topology, met))

    extra = {"check": told}
    return Report("check", results, gaps, time.perf_counter() - start, extra, explorers={"": shown})


def fitting(page: Page, xs: Sequence[Vector]) -> None:
    """Raise InputError for vectors of a kind that the page does not take, or of several dtypes."""
    for r, x in enumerate(xs):
        if isinstance(x, Sparse) != page.sparse:
            wanted = "a sparring.Sparse, with indices and values" if page.sparse else "an array"
            raise InputError(f"rank {r} has a {type(x).__name__} beside the trace: {page.name} takes {wanted}")
        if x.dtype != xs[0].dtype:
            raise InputError(f"rank {r} has {x.dtype}, rank 0 {xs[0].dtype}: all vectors need one dtype")


def compared(question: Question, example: Example, trace: Trace) -> Iterator[Result]:
    """Yield the verdict on each property that is about messages."""
    page = question.page
    flaws = judging.messages(example, trace, page, question)
    unseen = judging.unclaimed(example, trace, page, question)
    witness = {"p": trace.ranks, "n": example.xs[0].size, "inputs": [as_json(x) for x in example.xs]}
    for prop in question.watched:
        if prop in unseen:
            yield Result(question.name, prop, NOT_COVERED, unseen[prop])
        elif prop in flaws:
            yield Result(question.name, prop, REFUTED, flaws[prop], witness)
        else:
            yield Result(question.name, prop, tested(1), held(question, example, trace, prop))


def held(question: Question, example: Example, trace: Trace, prop: str) -> str:
    """Return what it means that a property of messages holds of this trace: no more than what was compared."""
    page, words = question.page, question.meanings[prop]
    if page is None or prop not in COUNTED:
        return words
    if page.listed and unknown(page, example.xs, trace):
        return COUNTED[prop]
    open_, all_ = untold(page, example.xs, trace) if prop == "steps" else (0, 0)
    if not open_:
        return words
    return f"{words if open_ < all_ else SIZED}; {UNTOLD.format(open_, all_)}"
