"""A hanging job as a document of the explorer: what its ranks called together, in order, and where that parts.

A collective stands as what each rank did about it, a message as an arrow.  It opens at the first divergence.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.flight_recorder.diagnosis import Diagnosis
from sparring.flight_recorder.diagnosis import Finding as Found
from sparring.flight_recorder.meetings import Call, Job, Meeting
from sparring.flight_recorder.telling import at, parted, printable, ranks_told
from sparring.present.explorer.document import Detail, Document, Finding, Message, Run, Stage, Step, Wait, positions
from sparring.present.explorer.observed import named_ranks, shortened, shown_finding

FINDINGS = 20
"""The most findings that a document has."""
WAITS = 64
"""The most ranks of which a finding says for whom they wait."""


def document(diagnosis: Diagnosis, name: str) -> Document:
    """Return the document of a job."""
    job = diagnosis.job
    meetings = in_order(job)
    places = {id(one): i for i, one in enumerate(meetings)}
    first = diagnosis.first
    others = [one for one in diagnosis.findings if one is not first]
    told = [finding(diagnosis, one, places) for one in ([first] if first else []) + others[: FINDINGS - 1]]
    run, before, note = shortened(Run([stage(one) for one in meetings]), told[0].step if told else None)
    last = positions(run.stages) - 1
    return Document(
        "dumps", f"{name}: {job.ranks} rank{'s' * (job.ranks > 1)}", job.ranks, [run],
        prose="What the ranks called together, in an order that fits each rank's own.",
        findings=[shown_finding(one, before, last) for one in told], notes=[*filter(None, [note]), *job.lost],
    )  # fmt: skip


def in_order(job: Job) -> list[Meeting]:
    """Return the meetings so that each rank's calls keep their order; what no rank orders stands by time.

    Where ranks disagree on the order, the earliest by their clocks comes first.
    """
    times = [began(one) for one in job.meetings]
    numbers = {id(one): i for i, one in enumerate(job.meetings)}
    later: defaultdict[int, list[int]] = defaultdict(list)
    before = [0] * len(times)
    for own in job.calls().values():
        for (one, _), (other, _) in pairwise(own):
            later[numbers[id(one)]].append(numbers[id(other)])
            before[numbers[id(other)]] += 1
    ready = [(times[i], i) for i, count in enumerate(before) if not count]
    heapq.heapify(ready)
    waiting = sorted(((time, i) for i, time in enumerate(times)), reverse=True)
    found: dict[int, Meeting] = {}
    while len(found) < len(times):
        if ready:
            _, i = heapq.heappop(ready)
        else:
            _, i = waiting.pop()
        if i in found:
            continue
        found[i] = job.meetings[i]
        for follower in later[i]:
            before[follower] -= 1
            if before[follower] == 0:
                heapq.heappush(ready, (times[follower], follower))
    return list(found.values())


def began(meeting: Meeting) -> int:
    """Return when the first rank came, in nanoseconds of its clock."""
    return min(entry.time_created_ns for call in meeting.calls.values() for entry in call.entries)


def stage(meeting: Meeting) -> Stage:
    """Return a collective as what each rank did about it, or a message as an arrow."""
    if not meeting.is_message:
        return Stage(str(meeting), text="\n".join(lines(meeting)))
    look = "" if meeting.ended and not meeting.missing else "wrong"
    sends = meeting.calls.get(meeting.src)
    detail = Detail(0, look=look, says="; ".join(lines(meeting)), where=sends.line if sends else "")
    return Stage(str(meeting), steps=[Step([Message(meeting.src, meeting.dst)], details=[detail])])


def lines(meeting: Meeting) -> Iterator[str]:
    """Say what each rank did: those that did not come first, then the others by what they called and where."""
    if meeting.missing:
        yield f"{ranks_told(meeting.missing)} did not come"
    for ranks, what in parted({rank: does(call) for rank, call in meeting.calls.items()}):
        yield f"{ranks_told(ranks)} {printable(what)}"


def does(call: Call) -> str:
    """Say what a rank called, where, and whether that came to its end."""
    return f"called {call.kind}{at(call.line)}, which {'ended' if call.done else 'did not end'}"


def finding(diagnosis: Diagnosis, found: Found, places: dict[int, int]) -> Finding:
    """Return a finding, at the first meeting that it is about."""
    about = [one for one in found.meetings if id(one) in places]
    first = min(about, key=lambda one: places[id(one)], default=None)
    gone = [rank for one in about for rank in one.missing]
    ranks = gone or named_ranks(found.sentence, diagnosis.job.ranks) or (sorted(first.calls) if first else [])
    line = next((call.line for call in first.calls.values() if call.line), "") if first else ""
    return Finding(
        f"{found.property}: {found.sentence}", 0, places[id(first)] if first else None, list(dict.fromkeys(ranks)),
        line, list(waits(diagnosis, about))[:WAITS],
    )  # fmt: skip


def waits(diagnosis: Diagnosis, meetings: Sequence[Meeting]) -> Iterator[Wait]:
    """Yield who waits in these meetings, for whom, and at which line."""
    for one in dict.fromkeys(meetings):
        on = list(dict.fromkeys(wait.rank for wait in diagnosis.waits.waits(one)))
        for rank, call in one.calls.items():
            if not call.done and on and rank not in on:
                yield Wait(rank, on, str(one), call.line)
