"""Outcomes of a simulated run: results, messages, and what went wrong where."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from sparring.errors import RankFailed, Refuted
from sparring.impl import core
from sparring.proofs.logic import terms

HERE = str(Path(__file__).parents[1])
INSIDE = (HERE, str(Path(core.__file__).parent))  # the transport makes calls for an algorithm, whose line is wanted


class Kind(StrEnum):
    """The kinds of findings, in words."""

    DEADLOCK = "deadlock"
    LIVELOCK = "livelock"
    BUDGET = "budget used up"
    RAISED = "raised"
    ABORTED = "abort"
    UNMATCHED = "unmatched message"
    INCOMPLETE = "request never completed"
    TOUCHED = "buffer touched too early"
    SHARED = "buffer given and taken"
    UNREADY = "ready send too early"
    TRUNCATED = "truncation"
    DATATYPE = "datatype mismatch"
    RACE = "race"
    COLLECTIVE = "collective mismatch"
    LEAK = "resource leak"
    NO_TERM = "not a term"
    UNSUPPORTED = "unsupported call"


class Waiting(NamedTuple):
    """A rank that waits for another rank: in which call, at which line of the user's."""

    rank: int
    peer: int
    call: str
    where: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: its kind, the rank and the call that show it, the user's ``file:line``, one sentence.

    ``call`` is an MPI call, or the name of the exception that a rank raised; ``traceback`` is that rank's.
    ``waits``: where nothing moves, who waits for whom; in a deadlock each for the next one.
    """

    kind: Kind
    rank: int
    call: str
    where: str
    text: str
    traceback: str = ""
    waits: tuple[Waiting, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass(slots=True)  # frozen ones take three times as long to make, and runs make many
class Sent:
    """A point-to-point message, numbered in the order of posting.

    ``context`` is the communicator's number (0: COMM_WORLD); ``count`` entries of ``dtype``, in
    all ``nbytes``; ``payload`` their copy if the run was recorded.  An object that is no array is
    one entry of dtype object, without bytes.  ``received``: how many messages had been posted, and how
    many received, when its receiver learnt of it; None where it never did.
    """

    sequence: int
    src: int
    dst: int
    tag: int
    context: int
    nbytes: int
    count: int
    dtype: np.dtype[Any]
    where: str
    payload: np.ndarray[Any, Any] | None
    received: tuple[int, int] | None = None


class Called(NamedTuple):
    """A rank's call of a collective operation, with the bytes that the rank contributes."""

    rank: int
    name: str
    context: int
    nbytes: int
    where: str


Place = tuple[int, str, str]
"""A rank, its MPI call and the user's ``file:line``."""


class Taken(NamedTuple):
    """A choice that MPI leaves open at ``place``: the ``number`` of the way taken, of ``of`` ways, in words."""

    number: int
    of: int
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that is known after a run.

    ``results``: what each rank returned, None where it did not get that far.  ``deterministic``:
    the run made only calls with which one complete run with synchronous sends decides result and
    deadlock for every schedule and all larger buffers, as proved in ``proofs/coq``; ``why_not``
    names the others (``mpi.v`` lists both).  That ranks read no clock is not looked at.
    ``taken``: the choices made.  ``shared``: what ranks had in common, though processes would not, and
    changed, so that the results may be wrong, or right by that alone.
    """

    results: list[Any]
    findings: tuple[Finding, ...]
    messages: list[Sent]
    collectives: list[Called]
    deterministic: bool
    why_not: tuple[str, ...]
    taken: tuple[Taken, ...] = ()
    shared: tuple[str, ...] = ()

    def raise_if_found(self) -> Self:
        """Return itself; raises RankFailed if a rank raised, Refuted if anything else was found."""
        for finding in self.findings:
            if finding.kind is Kind.RAISED:
                raise RankFailed(finding.rank, finding.traceback)
        if self.findings:
            raise Refuted("\n".join(map(str, self.findings)))
        return self


def here() -> str:
    """Return ``file:line`` of the call into the world: the innermost frame outside it and outside ``impl/core``."""
    frame: FrameType | None = sys._getframe(2)
    while frame and _inside(frame.f_code.co_filename):
        frame = frame.f_back
    return _place(frame.f_code.co_filename, frame.f_lineno) if frame else "?"


def raised_at(traceback: TracebackType | None) -> str:
    """Return ``file:line`` of the innermost frame outside the world, the terms and the import system."""
    place = "?"
    while traceback:
        name = traceback.tb_frame.f_code.co_filename
        if not name.startswith((HERE, terms.__file__, "<frozen")):
            place = _place(name, traceback.tb_lineno)
        traceback = traceback.tb_next
    return place


@lru_cache(maxsize=4096)
def _inside(filename: str) -> bool:
    return filename.startswith(INSIDE)


@lru_cache(maxsize=4096)
def _place(filename: str, line: int) -> str:
    return f"{Path(filename).name}:{line}"
