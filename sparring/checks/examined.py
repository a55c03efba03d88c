"""What came of an example: as the ranks tell it, and as the driver puts it together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.checks.line import NUMBERS, Message
from sparring.errors import InputError
from sparring.proofs.trace.events import Event, Trace

RECORD = 50_000
"""Operations of one rank whose record can travel."""


class NoArray(NamedTuple):
    """Stands where a rank returned anything but an array of numbers: ``what`` it was, ``NoneType`` for instance."""

    what: str


class Examined(NamedTuple):
    """One example, run to its end on every rank.

    ``ys``: results by call, then by rank; arrays of numbers of any shape and dtype, or NoArray.
    ``inputs``: every rank's vector after the last call.  ``trace``: what was sent, where asked for.
    """

    ys: list[list[Any]]
    inputs: list[NDArray[Any]]
    trace: Trace | None


def ask_for(xs: Sequence[NDArray[Any]], size: int, calls: int) -> None:
    """Raises InputError where an example does not fit ``size`` ranks, or is none."""
    if not 1 <= len(xs) <= size:
        raise InputError(f"{len(xs)} inputs for a group of {size} ranks: there must be 1 to {size}")
    if calls < 1:
        raise InputError(f"{calls} calls: there must be at least 1")
    if wrong := next((what for x in xs if (what := other(x))), ""):
        raise InputError(f"an input is {wrong}: inputs are arrays of numbers")


def told(ys: Sequence[Any], given: NDArray[Any], events: Sequence[Event] | None) -> Message:
    """One rank's results by call, its vector after the last one, and what it did, where recorded.

    Raises InputError for a record that is too long.
    """
    if events is not None and len(events) > RECORD:
        raise InputError(f"{len(events)} operations of one rank: at most {RECORD} can be recorded in one example")
    others = [other(y) for y in ys]
    arrays = [y for y, what in zip(ys, others) if not what]
    record = None if events is None else [event[:-1] for event in events]  # a payload stays where it is
    return Message({"others": others, "events": record}, [*arrays, given])


def other(y: Any) -> str:
    """What ``y`` is, if no array of numbers."""
    if not isinstance(y, np.ndarray):
        return type(y).__name__
    return "" if y.dtype.kind in NUMBERS else f"an array of {y.dtype}"


def examined(answers: Sequence[Message]) -> Examined:
    """All ranks' answers as one."""
    inputs = [answer.arrays[-1] for answer in answers]
    by_rank = [results(answer) for answer in answers]
    records = [answer.header["events"] for answer in answers]
    trace = None
    if None not in records:
        trace = Trace(len(answers), [Event(*fields) for record in records for fields in record])
    return Examined([list(ys) for ys in zip(*by_rank)], inputs, trace)


def results(answer: Message) -> list[Any]:
    """One rank's results by call."""
    arrays = iter(answer.arrays)
    return [NoArray(what) if what else next(arrays) for what in answer.header["others"]]
