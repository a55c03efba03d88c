"""Traces as files: JSON lines, a header first, then one event a line.  ``docs/reference/trace.md`` says it in full."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sparring.errors import InputError
from sparring.rules import Object, parsed
from sparring.trace.events import Event, Trace
from sparring.trace.rules import FORMAT, VERSION, check_event, check_header

BYTES, LINE, EVENTS = 1 << 28, 1 << 12, 1 << 20
"""The most bytes of a file, bytes of a line, and events of a trace."""
FIELDS = Event._fields[:-1]
Turns = Counter[int]
"""The number of events read so far, by rank."""


def write(trace: Trace, path: Path) -> None:
    """Write ``trace`` as one file, without payloads.  Raises InputError for what :func:`read` would refuse."""
    _write(path, None, trace.ranks, trace.events)


def write_rank(rank: int, ranks: int, events: Iterable[Event], folder: Path) -> None:
    """Write what rank ``rank`` of ``ranks`` did as its file in ``folder``, which must exist."""
    _write(_own(folder, rank), rank, ranks, events)


def read(path: Path) -> Trace:
    """Read a trace from a file, or from a folder with one for every rank: ``rank0.jsonl``, ``rank1.jsonl``, ....

    Nothing in it is trusted: a violation of the format raises InputError with file and line.
    """
    if not path.is_dir():
        ranks, events = _read(path, None, EVENTS)
        return Trace(ranks, events)
    ranks, events = _read(_own(path, 0), 0, EVENTS)
    for rank in range(1, ranks):
        others, more = _read(_own(path, rank), rank, EVENTS - len(events))
        if others != ranks:
            raise InputError(f"{_own(path, rank)}:1: ranks is {others}, in rank 0's file {ranks}: they must be equal")
        events += more
    if (further := _own(path, ranks)).exists():
        raise InputError(f"{further}: a rank too many, in rank 0's file there are {ranks}: a folder is one trace")
    return Trace(ranks, events)


def encode(event: Event) -> Object:
    """Return ``event`` as the object of its line."""
    return {field: getattr(event, field) for field in FIELDS}


def decode(data: object, ranks: int) -> Event:
    """Return the event that an object describes.  Raise InputError for what is no event of ``ranks`` ranks."""
    return Event(**check_event(data, ranks))


def _own(folder: Path, rank: int) -> Path:
    return folder / f"rank{rank}.jsonl"


def _write(path: Path, rank: int | None, ranks: int, events: Iterable[Event]) -> None:
    own = {} if rank is None else {"rank": rank}
    header = {"format": FORMAT, "version": VERSION, "ranks": ranks, **own}
    check_header(header, rank)
    turns: Turns = Counter()
    with path.open("w", encoding="ascii") as file:
        for line in (header, *(encode(_in_turn(decode(encode(event), ranks), rank, turns)) for event in events)):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def _read(path: Path, rank: int | None, limit: int) -> tuple[int, list[Event]]:
    """Number of ranks and events of rank ``rank``'s own file, or of a whole trace's if that is None."""
    ranks = 0
    events: list[Event] = []
    turns: Turns = Counter()
    for number, line in enumerate(_lines(path), 1):
        with _at(f"{path}:{number}"):
            data = _parsed(line)
            if number == 1:
                ranks = check_header(data, rank)
            elif len(events) == limit:
                raise InputError(f"more than {EVENTS} events: so many a trace may have")
            else:
                events.append(_in_turn(decode(data, ranks), rank, turns))
    if not ranks:
        raise InputError(f"{path}:1: the file is empty: the first line must be a header")
    return ranks, events


def _in_turn(event: Event, rank: int | None, turns: Turns) -> Event:
    """Return ``event``, which must be the next of its rank, and of ``rank`` unless that is None."""
    if rank is not None and event.rank != rank:
        raise InputError(f"rank is {event.rank}: it must be {rank} in the file of that rank")
    if event.seq != turns[event.rank]:
        raise InputError(f"seq is {event.seq}: the next of rank {event.rank} must be {turns[event.rank]}")
    turns[event.rank] += 1
    return event


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the file's lines; of one that is too long, its beginning."""
    try:
        if not path.is_file():  # opening a pipe would wait
            raise InputError(f"{path}: there is no such file; a trace must be one, or a folder with rank0.jsonl")
        if (size := path.stat().st_size) > BYTES:
            raise InputError(f"{path} has {size} bytes: a trace may have {BYTES}")
        with path.open("rb") as file:
            yield from iter(lambda: file.readline(LINE + 1), b"")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _parsed(line: bytes) -> object:
    if len(line) > LINE:
        raise InputError(f"the line has more than {LINE} bytes, the most that are read")
    try:
        return parsed(line.decode())
    except ValueError as error:
        raise InputError(f"no JSON, {error}: a line must be one JSON object") from None


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Add the place to the errors in the block."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
