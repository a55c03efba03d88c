"""Who waits for whom: from a call that does not end to the ranks that did not come, and to where those are instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sparring.flight_recorder.meetings import Call, Job, Meeting


class Wait(NamedTuple):
    """Those who came to ``meeting`` wait for ``rank``, which is still in ``inside``; None: in no call."""

    meeting: Meeting
    rank: int
    inside: Meeting | None


class Waits:
    """All waits of a job, seen from the calls in which ranks still are."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.calls = job.calls()
        self.inside = {
            rank: next((one for one, call in own if not call.done), None) for rank, own in self.calls.items()
        }
        self.open = list({id(one): one for one in self.inside.values() if one}.values())
        """The meetings in which ranks still are: of each rank the first that did not end."""
        self.found = {id(one): list(self.waits(one)) for one in self.open}

    def waits(self, meeting: Meeting) -> Iterator[Wait]:
        """Yield what a meeting waits for: ranks that did not come, or else ranks that had to end other calls first."""
        for rank in meeting.missing:
            yield Wait(meeting, rank, self.first_open(rank))
        if not meeting.missing:
            for rank, call in meeting.calls.items():
                before = self.first_open(rank)
                if not call.done and before and before.calls[rank].at < call.at:
                    yield Wait(meeting, rank, before)

    def first_open(self, rank: int) -> Meeting | None:
        """Return the first meeting in which the rank still is; None where it is in none, or left no dump."""
        return self.inside.get(rank)

    def last(self, rank: int) -> tuple[Meeting, Call] | None:
        """Return what the rank called last."""
        return self.calls[rank][-1] if self.calls.get(rank) else None

    def circle(self) -> list[Wait]:
        """Return waits that lead from one to the next and at last to the first; none where there is no circle."""
        settled: set[int] = set()
        for start in self.open:
            path: list[Wait] = []
            on_path = {id(start): 0}
            turns = [iter(self.found[id(start)])]
            while turns:
                wait = next((w for w in turns[-1] if w.inside and id(w.inside) not in settled), None)
                if wait is None or wait.inside is None:
                    turns.pop()
                    settled.add(id(path[-1].inside if path else start))
                    if path:
                        on_path.pop(id(path.pop().inside), None)
                elif id(wait.inside) in on_path:
                    return [*path[on_path[id(wait.inside)] :], wait]
                else:
                    path.append(wait)
                    on_path[id(wait.inside)] = len(path)
                    turns.append(iter(self.found[id(wait.inside)]))
        return []
