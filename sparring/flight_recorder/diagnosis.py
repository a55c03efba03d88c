"""Why a job hangs: what is wrong with the calls of its ranks, and what was wrong first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sparring.flight_recorder.agreement import disagreement, shares
from sparring.flight_recorder.meetings import DEFAULT, Group, Job, Meeting
from sparring.flight_recorder.telling import at, parted, ranks_told
from sparring.flight_recorder.waiting import Wait, Waits


class Finding(NamedTuple):
    """What is wrong: the property that it falsifies, and the sentence.

    ``cause``: it follows from no other finding.  ``places``: where each rank was among its calls.  ``time``: when, in
    nanoseconds of the ranks' own clocks.  ``meetings``: the calls that it is about.
    """

    property: str
    sentence: str
    cause: bool
    places: Mapping[int, int]
    time: int
    meetings: tuple[Meeting, ...] = ()

    def before(self, other: Finding) -> bool:
        """Whether some rank came to this one before the other."""
        return any(place < other.places.get(rank, -1) for rank, place in self.places.items())


class Diagnosis:
    """The judgement on a job: all findings, the first divergence first."""

    def __init__(self, job: Job) -> None:
        self.job, self.waits = job, Waits(job)
        collectives = sorted((one for one in job.meetings if not one.is_message), key=lambda one: one.number)
        self.by_number = {(one.group, one.number): one for one in collectives}
        self.latest = {(one.group, rank): one.number for one in collectives for rank in one.calls}
        found = [*self.unlike(), *self.absences(), *self.silence(), *self.circles(), *self.stuck()]
        self.findings = in_order(found)

    @property
    def first(self) -> Finding | None:
        """The first divergence: earlier than the others, and not what follows from them."""
        causes = [one for one in self.findings if one.cause]
        return next(iter(in_order(causes) or self.findings), None)

    def of(self, prop: str) -> list[Finding]:
        return [one for one in self.findings if one.property == prop]

    def unlike(self) -> Iterator[Finding]:
        """Yield for each group the first collective whose calls do not fit together, and each such message."""
        seen: set[Group] = set()
        for one in sorted(self.job.meetings, key=lambda one: one.number):
            if one.is_message and (why := disagreement(one)):
                yield self.finding("messages", why, one)
            elif not one.is_message and one.group not in seen and (why := disagreement(one) or self.other(one)):
                seen.add(one.group)
                yield self.finding("calls", why + self.parting(one), one)

    def other(self, meeting: Meeting) -> str:
        """Name the ranks that called something else, which their dumps do not list; "" where there are none."""
        gone = [rank for rank in self.absent(meeting) if self.later(meeting, rank)]
        if not gone:
            return ""
        return (
            f"{meeting}: {ranks_told(gone)} called something that the recorder does not list, "
            f"{self.who(meeting)} called {next(iter(meeting.calls.values())).kind}"
        )

    def later(self, meeting: Meeting, rank: int) -> bool:
        """Whether the rank has later calls of the group."""
        return not meeting.is_message and self.latest.get((meeting.group, rank), -1) > meeting.number

    def absent(self, meeting: Meeting) -> list[int]:
        """Return the ranks that left a dump, but no call of this meeting."""
        return [rank for rank in self.job.dumps if rank in meeting.missing]

    def absences(self) -> Iterator[Finding]:
        """Yield for each group the first collective to which a rank did not come, and each message without an end."""
        seen: set[Group] = set()
        for one in sorted(self.job.meetings, key=lambda one: one.number):
            gone = [rank for rank in self.absent(one) if not self.later(one, rank)]
            if gone and (one.is_message or one.group not in seen):
                seen |= set() if one.is_message else {one.group}
                cause = any(self.waits.first_open(rank) is None for rank in gone)
                told = f"{self.did_not_come(one, gone)}{self.parting(one)}"
                yield self.finding("messages" if one.is_message else "arrival", told, one, cause=cause)

    def did_not_come(self, meeting: Meeting, gone: Sequence[int]) -> str:
        """Say who did not come, who did, and where the others are instead."""
        verb, came = "come to", "came to it"
        if meeting.is_message:
            verb, came = "send" if meeting.dst in meeting.calls else "receive", "was there for it"
        return f"{ranks_told(gone)} did not {verb} {meeting}; {self.who(meeting)} {came}{self.elsewhere(gone)}"

    def elsewhere(self, ranks: Iterable[int]) -> str:
        """Say where ranks are instead."""
        places = parted({rank: self.whereabouts(rank) for rank in ranks})
        return "".join(f"; {ranks_told(found)}: {place}" for found, place in places)

    def who(self, meeting: Meeting) -> str:
        """Name the ranks that came to a meeting, with their lines."""
        found = parted({rank: at(call.line) for rank, call in meeting.calls.items()})
        return ", ".join(f"{ranks_told(ranks)}{line}" for ranks, line in found)

    def whereabouts(self, rank: int) -> str:
        """Say where a rank is that did not come."""
        if inside := self.waits.first_open(rank):
            return f"still in {inside}{at(inside.calls[rank].line)}"
        now = f", now{at(line)}" if (line := self.job.now(rank)) else ""
        if last := self.waits.last(rank):
            return f"in no recorded call after {last[0]}{at(last[1].line)}{now}"
        return f"no call at all{now}"

    def parting(self, meeting: Meeting) -> str:
        """Say from which call on, up to this meeting, ranks came from different lines; "" where they did not."""
        if meeting.is_message:
            return ""
        found, number = None, meeting.number - 1
        while (one := self.by_number.get((meeting.group, number))) and lines_differ(one):
            found, number = one, number - 1
        if found is None:
            return ""
        told = shares(found.calls, dict.fromkeys(found.calls, "came"))
        return f"; their lines part at {found}, to which {told}"

    def silence(self) -> Iterator[Finding]:
        """Yield a finding if ranks left no dump, with the first call that does not end without them."""
        if not (silent := self.job.silent):
            return
        told = f"{ranks_told(silent)} left no dump: dead, or without time to write one"
        lonely = [one for one in self.waits.open if set(silent) & set(one.missing)]
        if not lonely:
            yield Finding("dumps", told, True, {}, 0)
            return
        one = min(lonely, key=lambda one: one.number)
        without = ranks_told(set(silent) & set(one.missing))
        yield self.finding("dumps", f"{told}; without {without} {self.still(one)}", one)

    def circles(self) -> Iterator[Finding]:
        """Yield a finding if ranks wait for one another in a circle."""
        if circle := self.waits.circle():
            places = {rank: call.at for wait in circle for rank, call in wait.meeting.calls.items()}
            times = [e.time_created_ns for wait in circle for c in wait.meeting.calls.values() for e in c.entries]
            meetings = tuple(wait.meeting for wait in circle)
            yield Finding("deadlock", "; ".join(map(waiting, circle)), True, places, min(times), meetings)

    def stuck(self) -> Iterator[Finding]:
        """Yield the calls in which ranks still are; a cause is one to which all came in the same way."""
        for one in self.waits.open:
            alone = not one.missing and not self.waits.found[id(one)] and not disagreement(one)
            why = self.still(one) + (self.unexplained(one) if alone else "")
            yield self.finding("completion", why, one, cause=alone)

    def unexplained(self, meeting: Meeting) -> str:
        """Say what is known of a call to which all ranks came in the same way, and which did not end."""
        if meeting.unknown:
            where = self.elsewhere(rank for rank in meeting.unknown if rank in self.job.dumps)
            return f"; whether {ranks_told(meeting.unknown)} came, the dumps do not tell{where}"
        if meeting.group.certain or meeting.group.desc == DEFAULT:
            return "; all its ranks came in the same way, so look at the network and the devices"
        others = [rank for rank in self.job.dumps if rank not in meeting.calls and self.waits.first_open(rank)]
        return f"; which other ranks the group has, the dumps do not tell{self.elsewhere(others)}"

    def still(self, meeting: Meeting) -> str:
        """Say for whom a meeting did not end."""
        found = parted({rank: at(call.line) for rank, call in meeting.calls.items() if not call.done})
        waiting = ", ".join(f"{ranks_told(ranks)}{line}" for ranks, line in found)
        return f"{meeting} did not end for {waiting}"

    def finding(self, prop: str, why: str, meeting: Meeting, *, cause: bool = True) -> Finding:
        """Make a finding; a rank that did not come is behind all of its calls."""
        places = {rank: len(self.job.dumps[rank].entries) for rank in self.absent(meeting)}
        places |= {rank: call.at for rank, call in meeting.calls.items()}
        time = min(entry.time_created_ns for call in meeting.calls.values() for entry in call.entries)
        return Finding(prop, why, cause, places, time, (meeting,))


def lines_differ(meeting: Meeting) -> bool:
    """Whether the ranks of a meeting came from different source lines, all of which are known."""
    lines = {call.line for call in meeting.calls.values()}
    return len(lines) > 1 and "" not in lines


def waiting(wait: Wait) -> str:
    """Say who waits for whom, and where."""
    came = [rank for rank, call in wait.meeting.calls.items() if not call.done and rank != wait.rank]
    lines = parted({rank: at(wait.meeting.calls[rank].line) for rank in came})
    who = ", ".join(f"{ranks_told(ranks)}{line}" for ranks, line in lines) or "its ranks"
    return f"in {wait.meeting} {who} waited for rank {wait.rank}"


ORDERED = 100
"""The most findings that are put in order."""


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Sort findings: a rank's calls have an order, what no rank tells apart goes by time."""
    by_time = sorted(findings, key=lambda one: (not one.cause, one.time))
    head = by_time[:ORDERED]
    return sorted(head, key=lambda one: sum(other.before(one) for other in head)) + by_time[ORDERED:]
