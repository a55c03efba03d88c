"""The verdict on a job by what its flight recorders dumped."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.errors import InputError
from sparring.flight_recorder import documents, dumps
from sparring.flight_recorder.diagnosis import Diagnosis
from sparring.flight_recorder.meetings import Job, assemble
from sparring.present.explorer import html
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, tested
from sparring.report import Report, Result

if TYPE_CHECKING:
    from rich.table import Table

PROPERTIES: Mapping[str, str] = {
    "dumps": "every rank left a dump",
    "calls": "the ranks of a group make the same calls in the same order, with the same sizes and dtypes",
    "arrival": "every rank of a group came to each collective to which another came",
    "messages": "every send has its receive, and every receive its send, of the same size and dtype",
    "deadlock": "no ranks wait for one another in a circle",
    "completion": "every call came to an end, be it an error",
}
"""The properties that are judged of dumps, in the order in which they are shown."""
LATE = 0.1
"""The seconds from which on it is told who came last."""
SWITCHED_ON = "a job with TORCH_FR_BUFFER_SIZE (TORCH_NCCL_TRACE_BUFFER_SIZE in older torch) above 0"
NO_LINES = "lines: JSON dumps have no source lines; the pickles of torch._C._distributed_c10d._dump_fr_trace() do"


def check_dumps(folder: str | Path, ranks: int | None = None) -> Report:
    """Judge a job by its flight-recorder dumps, one file a rank, see :mod:`sparring.flight_recorder.dumps`.

    ``ranks``: how many the job had, where neither the dumps nor the names of their files tell.

    Raises InputError, one sentence, where a file is no dump.
    """
    start, folder = time.perf_counter(), Path(folder)
    read = dumps.read(folder)
    if not read:
        raise InputError(f"{folder} has no dumps; right: one a rank, whose names end in the ranks, such as trace_0")
    if not any(dump.entries for dump in read.values()):
        raise InputError(f"the dumps in {folder} have no calls; right: {SWITCHED_ON}")
    if ranks is not None and not max(read) < ranks <= dumps.RANKS:
        raise InputError(
            f"ranks = {ranks}, and the last dump is of rank {max(read)}; right: {max(read) + 1} to {dumps.RANKS}"
        )
    job = assemble(read, ranks)
    diagnosis = Diagnosis(job)
    results = [result(folder.name, prop, diagnosis) for prop in PROPERTIES]
    gaps = list(dict.fromkeys([f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED] + job.lost))
    if any(entry for dump in read.values() for entry in dump.entries) and not any(lines(job)):
        gaps.append(NO_LINES)
    told = {
        "target": str(folder),
        "on": "flight recorder",
        "ranks": [job.ranks],
        "judged": [r.property for r in results if r.verdict != NOT_COVERED],
    }
    first = diagnosis.first
    extra = {
        "check": told,
        "properties": dict(PROPERTIES),
        "stands": stands(diagnosis),
        "lateness": lateness(job),
        "first_divergence": {"property": first.property, "sentence": first.sentence} if first else None,
    }
    shown = {"": lambda: html.page(documents.document(diagnosis, folder.name))}
    return Report("check", results, gaps, time.perf_counter() - start, extra, lambda _: picture(extra), shown)


def result(name: str, prop: str, diagnosis: Diagnosis) -> Result:
    """Return the verdict on one property."""
    if found := diagnosis.of(prop):
        more = f"; {len(found) - 1} more" if len(found) > 1 else ""
        return Result(name, prop, REFUTED, found[0].sentence + more)
    count = judged(diagnosis.job, prop)
    if why := unjudged(diagnosis.job, prop, count):
        return Result(name, prop, NOT_COVERED, why)
    late = told_late(diagnosis.job) if prop == "arrival" else ""
    return Result(name, prop, tested(count), PROPERTIES[prop] + late)


def unjudged(job: Job, prop: str, count: int) -> str:
    """Say why a property that nothing falsifies is not judged; "" where it is."""
    if prop in {"messages", "deadlock"} and job.unlisted:
        return UNLISTED
    if prop == "deadlock" and not all(one.ended for one in job.meetings):
        return "no circle is seen, but calls did not end"
    lost = (told.partition(": ")[2] for told in job.lost if told.startswith(f"{prop}: "))
    return "" if count else next(lost, MISSING[prop])


UNLISTED = "gloo's recorder lists no sends and receives: if the job hangs, they may be why"
MISSING = {
    "calls": "no two ranks came to the same collective",
    "arrival": "no collectives in the dumps",
    "messages": "no sends and receives in the dumps",
    "deadlock": "no calls in the dumps",
    "completion": "no calls in the dumps",
}
"""Why there is nothing to judge."""


def judged(job: Job, prop: str) -> int:
    """Return how many dumps, collectives, messages or calls were looked at."""
    collectives = [one for one in job.meetings if not one.is_message]
    return {
        "dumps": len(job.dumps),
        "calls": sum(len(one.calls) > 1 for one in collectives),
        "arrival": sum(not one.unknown for one in collectives),
        "messages": sum(one.is_message and not one.unknown for one in job.meetings),
    }.get(prop, len(job.meetings))


def lines(job: Job) -> Iterator[str]:
    """Yield the source lines of all calls, empty ones too."""
    return (call.line for one in job.meetings for call in one.calls.values())


def lateness(job: Job) -> list[dict[str, Any]]:
    """Return for each rank to how many collectives it came last, and how late at most, by the ranks' own clocks."""
    last: dict[int, list[float]] = {rank: [] for rank in job.dumps}
    for one in job.meetings:
        times = {rank: call.entries[0].time_created_ns for rank, call in one.calls.items()}
        if len(times) > 1 and not one.is_message:
            latest = max(times, key=lambda rank: times[rank])
            last[latest].append((times[latest] - min(times.values())) / 1e9)
    return [{"rank": r, "last": len(late), "seconds": round(max(late), 3)} for r, late in last.items() if late]


def told_late(job: Job) -> str:
    """Say which rank came latest, if that is worth telling."""
    worst = max(lateness(job), key=lambda one: one["seconds"], default=None)
    if worst is None or worst["seconds"] < LATE:
        return ""
    return f"; rank {worst['rank']} came up to {worst['seconds']:.1f} s after the first, by the ranks' own clocks"


def stands(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """Return where each rank stood when it wrote its dump."""
    found: list[dict[str, Any]] = []
    for rank in range(diagnosis.job.ranks):
        inside, last = diagnosis.waits.first_open(rank), diagnosis.waits.last(rank)
        call = inside.calls[rank] if inside else last[1] if last else None
        where = inside or (last[0] if last else None)
        state = "in" if inside else "after" if last else "no calls" if rank in diagnosis.job.dumps else "no dump"
        found.append({"rank": rank, "state": state, "call": str(where or ""), "line": call.line if call else ""})
    return found


SHOWN = 16
"""The most ranks of which a table says where they stood."""


def picture(extra: Mapping[str, Any]) -> Table:
    """Draw where each rank stood, and the first divergence above it."""
    from rich.markup import escape
    from rich.table import Table

    first = extra["first_divergence"]
    title = f"first divergence: {escape(first['sentence'])}" if first else ""
    grid = Table(box=None, padding=(0, 2, 0, 0), title=title or None, title_justify="left", title_style="bold")
    for column in ("rank", "", "call", "line"):
        grid.add_column(column)
    for one in extra["stands"][:SHOWN]:
        grid.add_row(str(one["rank"]), one["state"], escape(one["call"]), escape(one["line"]))
    if (more := len(extra["stands"]) - SHOWN) > 0:
        grid.add_row("…", f"{more} more")
    return grid
