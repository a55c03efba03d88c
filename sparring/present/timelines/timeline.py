"""A timeline: slices on the tracks of ranks and arrows between them, and how it becomes events of the format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

from sparring.errors import InputError
from sparring.present.timelines.events import Arrives, File, Leaves, Metadata, Slice, encoded

UNIT = 1_000_000
"""The nanoseconds of a step, or of an operation, where nothing says how long it takes."""
TRACKS = ("calls", "sends", "receives")
"""The tracks of a rank, from the top."""
IN_TRANSIT = "in transit"
"""The slice inside a receive that waited, once its message was sent."""


class Span(NamedTuple):
    """A slice: on a track of ``rank``, from ``start`` to ``end`` in nanoseconds."""

    rank: int
    track: str
    name: str
    start: int
    end: int
    args: Mapping[str, object] = {}


class Timeline(NamedTuple):
    """The slices, and the arrows: pairs of places in ``spans``.  ``time`` says what its times are."""

    title: str
    time: str
    ranks: int
    spans: Sequence[Span]
    arrows: Sequence[tuple[int, int]]


def write(timeline: Timeline, path: Path) -> None:
    """Write the timeline; raise InputError where the file cannot be written."""
    try:
        path.write_bytes(encoded(file(timeline)))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def file(timeline: Timeline) -> File:
    """Return the timeline as a file of the format.

    A rank is a process, a track a thread of it.  The format wants slices of a thread to nest.  Slices that overlap lie
    on tracks of the same name instead, one below the other.  Threads are numbered apart from processes, and nothing
    is numbered 0: Perfetto takes the thread 0 of any process for an idle processor.  It also turns an arrow round whose
    head's slice begins before its tail's.  So a receive that waited for its message has a slice inside, from when the
    message was sent, and the arrow ends there.
    """
    places = placed(timeline.spans)
    threads = {place: timeline.ranks + 1 + i for i, place in enumerate(sorted(set(places)))}
    found: list[Metadata | Slice | Leaves | Arrives] = [*names(timeline, threads)]
    for span, place in zip(timeline.spans, places):
        found.append(
            Slice(span.name, span.track, span.rank + 1, threads[place], micro(span.start), micro(span.end - span.start),
                  span.args)
        )  # fmt: skip
    for i, (tail, head) in enumerate(timeline.arrows, 1):
        sent, came = timeline.spans[tail], timeline.spans[head]
        if (at := max(sent.start, came.start)) >= came.end:
            continue  # by clocks that differ it came before it was sent
        own, row = ("message", "message", i), (came.rank + 1, threads[places[head]])
        if at > came.start:
            found.append(Slice(IN_TRANSIT, came.track, *row, micro(at), micro(came.end - at), {}))
        found.append(Leaves(*own, sent.rank + 1, threads[places[tail]], micro(sent.start)))
        found.append(Arrives(*own, *row, micro((at + came.end) // 2)))
    return File(found, "ns", {"title": timeline.title, "time": timeline.time})


Place = tuple[int, int, int]
"""A rank, its track, and which of the tracks of that name."""


def placed(spans: Sequence[Span]) -> list[Place]:
    """Return the place of each slice: the first track of its name that is free by then."""
    taken: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)  # heaps: until when, which
    free: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    found: dict[int, Place] = {}
    for i in sorted(range(len(spans)), key=lambda i: (spans[i].start, i)):
        one = spans[i]
        own = (one.rank, TRACKS.index(one.track))
        while taken[own] and taken[own][0][0] <= one.start:
            heappush(free[own], heappop(taken[own])[1])
        lane = heappop(free[own]) if free[own] else len(taken[own])
        heappush(taken[own], (one.end, lane))
        found[i] = (*own, lane)
    return [found[i] for i in range(len(spans))]


def names(timeline: Timeline, threads: dict[Place, int]) -> Iterator[Metadata]:
    """Yield the names of ranks and tracks, and their order."""
    for r in range(timeline.ranks):
        yield Metadata("process_name", r + 1, r + 1, {"name": f"rank {r}"})
        yield Metadata("process_sort_index", r + 1, r + 1, {"sort_index": r})
    for (rank, track, _), tid in threads.items():
        yield Metadata("thread_name", rank + 1, tid, {"name": TRACKS[track]})
        yield Metadata("thread_sort_index", rank + 1, tid, {"sort_index": tid})


def micro(nanoseconds: int) -> float:
    """Return nanoseconds in microseconds, the format's unit.

    >>> micro(1_500)
    1.5
    """
    return nanoseconds / 1000
