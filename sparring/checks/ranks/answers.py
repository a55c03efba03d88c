"""Packs a rank's answer to an example, and puts the answers of all ranks together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.ranks import sparse_arrays
from sparring.checks.ranks.sockets import NUMBERS, Message
from sparring.errors import InputError
from sparring.refinement.playing import Played
from sparring.refinement.vectors import NoArray, Vector
from sparring.sparse import Sparse
from sparring.trace.events import Event, Trace

RECORD = 50_000
"""The most operations of one rank whose record can be sent."""


class Examined(NamedTuple):
    """One example, run to its end on every rank.

    ``ys``: results by call, then by rank; arrays of any shape and dtype, sparse vectors, or NoArray.
    ``inputs``: every rank's vector after the last call.  ``trace``: what was sent, where asked for.
    ``kept``: by call, then by rank, what a stateful target that got several vectors shows of what it keeps, by name.
    ``unseen``: property -> why such a run tells nothing of it.  ``roundings``: how many more
    roundings than additions an entry of a sum goes through.  ``remarks``: by rank, what else went wrong.
    """

    ys: list[list[Any]]
    inputs: list[Vector]
    trace: Trace | None
    kept: list[list[Mapping[str, Any]]]
    unseen: Mapping[str, str] = {}
    roundings: int = 0
    remarks: Sequence[Sequence[str]] = ()


def ask_for(xs: Sequence[Vector], size: int, calls: int) -> None:
    """Raise InputError for an example that does not fit ``size`` ranks, or is none."""
    if not 1 <= len(xs) <= size:
        raise InputError(f"{len(xs)} inputs for a group of {size} ranks: there must be 1 to {size}")
    if calls < 1:
        raise InputError(f"{calls} calls: there must be at least 1")
    if wrong := next((what for x in xs if (what := other(x))), ""):
        raise InputError(f"an input is {wrong}: inputs are arrays of numbers, or sparse vectors")


def pack_answer(played: Played, events: Sequence[Event] | None) -> Message:
    """Pack one rank's part of an example, with the record of what it did, if there is one.

    Raises InputError for a record that is too long.
    """
    if events is not None and len(events) > RECORD:
        raise InputError(f"{len(events)} operations of one rank: at most {RECORD} can be recorded in one example")
    found = [*played.ys, *(value for one in played.kept for value in one.values())]
    others = [other(y) for y in found]
    arrays = [y for y, what in zip(found, others) if not what]
    record = None if events is None else [event[:-1] for event in events]  # a payload stays where it is
    return Message(
        {
            "others": others,
            "calls": len(played.ys),
            "shown": [*played.kept[0]] if played.kept else [],
            "events": record,
            "remarks": [*played.remarks],
        },
        [*arrays, played.given],
    )


def other(y: Any) -> str:
    """Say what ``y`` is if it is neither an array of numbers nor a sparse vector of such arrays; else ""."""
    if isinstance(y, Sparse):
        why = sparse_arrays.unfit(y)
        return why and f"a Sparse with {why}"
    if not isinstance(y, np.ndarray):
        return type(y).__name__
    return "" if y.dtype.kind in NUMBERS else f"an array of {y.dtype}"


def examined(answers: Sequence[Message]) -> Examined:
    """Combine the answers of all ranks into one."""
    inputs = [answer.arrays[-1] for answer in answers]
    ys, kept = ([list(one) for one in zip(*parts)] for parts in zip(*map(results, answers)))
    records = [answer.header["events"] for answer in answers]
    trace = None
    if None not in records:
        trace = Trace(len(answers), [Event(*fields) for record in records for fields in record])
    return Examined(ys, inputs, trace, kept, remarks=[one.header["remarks"] for one in answers])


def results(answer: Message) -> tuple[list[Any], list[Mapping[str, Any]]]:
    """Return one rank's results by call, and by call what it shows of what it keeps."""
    arrays, calls, names = iter(answer.arrays), answer.header["calls"], answer.header["shown"]
    found = [NoArray(what) if what else next(arrays) for what in answer.header["others"]]
    left = (None if isinstance(value, NoArray) else value for value in found[calls:])
    return found[:calls], [dict(zip(names, one)) for one in zip(*[left] * len(names))]
