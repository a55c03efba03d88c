"""A run as a report: an implementation beside its reference, and what it sent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from sparring import run_inputs, runs, traffic
from sparring.errors import InputError
from sparring.job import launched
from sparring.present.timelines import timeline as timelines
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, tested
from sparring.report import Report, Result
from sparring.spec.core import runner
from sparring.spec.core.model import Page
from sparring.verification.algorithm import implementation

EQUAL = "on every rank the reference's bits"
COUNTED = f"{EQUAL} and bytes"


def run_report(
    algo: str, ranks: int | None = None, *, size: int | None = None, file: str | Path | None = None,
    key: str | None = None, density: str | float | Fraction | None = None, keep: int | None = None,
    allow_nan: bool = True, on: str = "simulated", selector: str | None = None, params: Mapping[str, Any] | None = None,
    perfetto: Path | None = None, machine: str | None = None,
) -> Report | None:  # fmt: skip
    """Run an implementation beside its reference; return None on the ranks of a real job other than 0.

    ``file``: a path, or for the shipped gradients the text ``digits`` or ``transformer``, or with ``:KEY``.  For an
    algorithm that takes sparse vectors the largest entries of each are taken: the part ``density``,
    ``0.01`` or ``"1%"``, or ``keep`` of them; or what ``selector`` takes that aims at so many.  For one that selects
    by itself ``selector`` says what of the vectors enters; ``params`` are its own, too.  ``perfetto``: a file for the
    timeline of the messages, which take a millisecond each, or what they take on ``machine``.
    """
    if machine and not perfetto:
        raise InputError("--machine says how long messages take in a timeline; right: with --perfetto FILE")
    start = time.perf_counter()
    job = launched()
    options = run_inputs.Options(size, file, key, density, keep, allow_nan)

    def prepared() -> tuple[Page, list[Any]]:
        if job and ranks not in (None, job[1]):
            raise InputError(f"--ranks {ranks}, but mpiexec started {job[1]} ranks")
        page, taking = run_inputs.find_page(algo, selector, params or {})
        return page, run_inputs.vectors(page, job[1] if job else ranks or 4, options._replace(selector=taking))

    page, xs = runs.on_all_ranks(prepared) if job else prepared()
    target = implementation(page)
    place, ran = runs.ran(page, target, xs, on, job)
    if ran is None:
        return None
    if perfetto:
        timelines.write(runs.timeline(page, xs, place, machine), perfetto)
    told = described(page, xs, run_inputs.described(file), place, ran)
    told |= {"selector": selector} if selector else {}
    found = [judged(page, target, place, ran)]
    return Report("run", found, seconds=time.perf_counter() - start, extra={"run": told})


def judged(page: Page, target: str | None, place: str, ran: runs.Ran) -> Result:
    """Return the verdict on the run of ``target``, the implementation if there is one."""
    if ran.flaws:
        return Result(page.name, "result", REFUTED, ran.flaws[0].detail)
    if target is None:
        return Result(page.name, "result", NOT_COVERED, "there is no implementation of this name")
    counted = place == "simulated" and page.sparse
    return Result(page.name, "result", tested(1), COUNTED if counted else EQUAL)


def described(page: Page, xs: Sequence[Any], source: str, place: str, ran: runs.Ran) -> dict[str, Any]:
    """Return what the report says of a run: its vectors and their source, its place, and what was sent."""
    told = {
        "ranks": len(xs),
        "size": xs[0].size,
        "dtype": str(xs[0].dtype),
        "on": place,
        "input": source,
        "steps": len(runner.run(page, xs).trace) if page.composed else page.steps(len(xs)),
        "messages": ran.messages,
        "words": ran.words,
        "bytes": ran.bytes,
        "seconds": round(ran.seconds, 6),
    }
    return told | ({"sparse": traffic.report_traffic(page, xs, ran.words, ran.bytes)} if page.sparse else {})
