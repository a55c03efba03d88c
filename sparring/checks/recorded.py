"""``check`` of a run that somebody recorded: a folder with each rank's trace, and the vector that it began with."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sparring.checks import judging, properties
from sparring.checks.examples import Example
from sparring.checks.question import CONTRACT, page_of
from sparring.checks.vectors import plain
from sparring.errors import InputError
from sparring.proofs.core.verdicts import NOT_COVERED, REFUTED, tested
from sparring.proofs.trace import files
from sparring.proofs.trace.compare import unknown
from sparring.report import Report, Result


def check(folder: Path, page: str, level: str, params: Mapping[str, Any]) -> Report:
    """Hold a recorded run against a page: ``rankR.jsonl`` is what rank ``R`` did, ``rankR.bin`` or ``.npz`` its vector.

    At level "result", where there is nothing to look at, "steps" is meant.  Raises InputError where
    a file is missing or is not as it must be, or no page is named.
    """
    from sparring.adapters import vectorfiles

    start = time.perf_counter()
    level = "steps" if level == "result" else level
    if level not in properties.LEVELS:
        raise InputError(f"level {level!r}: there are {', '.join(properties.LEVELS)}")
    found = page_of(page, params)
    if found is None:
        raise InputError(f"a trace is compared with an algorithm: --algorithm ALGO, not {CONTRACT!r}")
    if found.stateful:
        raise InputError(f"{found.name} keeps entries from call to call: a trace with one vector a rank has one call")
    trace = files.read(folder)
    xs = [vectorfiles.read(folder, r) for r in range(trace.ranks)]
    flaws = judging.messages(Example(xs, "result"), trace, found, level)
    unseen = judging.unclaimed(found)
    asked = [prop for prop in properties.meanings(sparse=found.sparse) if prop in properties.MESSAGES[level]]
    witness = {"p": trace.ranks, "n": xs[0].size, "inputs": [plain(x) for x in xs]}

    def result(prop: str) -> Result:
        if prop in flaws:
            return Result(str(folder), prop, REFUTED, flaws[prop], witness)
        if prop in unseen:
            return Result(str(folder), prop, NOT_COVERED, unseen[prop])
        return Result(str(folder), prop, tested(1), properties.meanings(sparse=found.sparse)[prop])

    results = [result(prop) for prop in asked]
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    if found.listed and unknown(found, xs, trace):
        gaps.append("steps and volume: messages were counted, their bytes or entries not compared")
    told = {"target": str(folder), "page": page, "level": level, "ranks": [trace.ranks], "on": "trace"}
    return Report("check", results, gaps, time.perf_counter() - start, {"check": told})
