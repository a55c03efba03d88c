"""The timeline of a job by the dumps of its flight recorders: what each rank called, when, and what did not end."""

from __future__ import annotations

from collections.abc import Iterator

from sparring.flight_recorder.dumps import Entry
from sparring.flight_recorder.meetings import Call, Job, Meeting
from sparring.present.timelines.timeline import Span, Timeline

SHORT = 1000
"""The nanoseconds of a call whose end no dump tells, so that it is seen."""
TIME = "by the ranks' own clocks, from the first call on"


def of_job(job: Job, title: str) -> Timeline:
    """Return the timeline: a slice a call; what did not end lasts until the last time that any dump tells."""
    times = [time for one in job.meetings for call in one.calls.values() for time in known(call)]
    first, last = min(times, default=0), max(times, default=0)
    spans: list[Span] = []
    arrows: list[tuple[int, int]] = []
    for one in job.meetings:
        places = {rank: len(spans) + i for i, rank in enumerate(one.calls)}
        spans += [span(one, call, first, last) for call in one.calls.values()]
        if one.is_message and len(places) == 2:
            arrows.append((places[one.src], places[one.dst]))
    return Timeline(title, TIME, job.ranks, spans, arrows)


def known(call: Call) -> Iterator[int]:
    """Yield the times that a dump tells of a call."""
    for entry in call.entries:
        yield from (entry.time_created_ns, entry.time_discovered_completed_ns or entry.time_created_ns)


def span(one: Meeting, call: Call, first: int, last: int) -> Span:
    """Return the slice of a rank's call, with what the dumps say of it."""
    start = min(entry.time_created_ns for entry in call.entries)
    ends = [entry.time_discovered_completed_ns for entry in call.entries]
    told = [end for end in ends if end]
    state = "unfinished" if not call.done else "" if len(told) == len(ends) else "its end was not recorded"
    end = last if not call.done else max(told) if not state else start
    args: dict[str, object] = {"call": str(one), "state": state or "completed"}
    args |= {"sizes": sizes(call.entries), "at": call.line, "missing ranks": ", ".join(map(str, one.missing))}
    track = ("sends" if call.rank == one.src else "receives") if one.is_message else "calls"
    name = f"{call.kind} {one.number}" + (" (unfinished)" if not call.done else "")
    shown = {key: value for key, value in args.items() if value}
    return Span(call.rank, track, name, start - first, max(end, start + SHORT) - first, shown)


def sizes(entries: tuple[Entry, ...]) -> str:
    """Return the shapes and dtypes that went in, as text."""
    found = [f"{shape} {dtype}" for entry in entries for shape, dtype in zip(entry.input_sizes, entry.input_dtypes)]
    return ", ".join(found[:8])
