"""What a trace file may say: the values of a header and of an event, each with its rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from reprlib import repr as brief
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError
from sparring.proofs.trace.events import NOBODY, OPS

Object = dict[str, Any]
FORMAT, VERSION, RANKS = "sparring trace", 1, 1 << 12
NATIVE = [np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"]
SIZES = {str(dtype): dtype.itemsize for native in NATIVE for dtype in (native, native.newbyteorder())}
"""What entries may be, and their bytes; besides them there is ``object``, which travels pickled."""


class Rule(NamedTuple):
    """What a value must be, and the words for it."""

    holds: Callable[[Any], bool]
    words: str


def whole(low: int, high: int = (1 << 63) - 1) -> Rule:
    """An integer from ``low`` to ``high``; true and false are none."""
    words = str(low) if low == high else f"an integer from {low} to {high}"
    return Rule(lambda x: type(x) is int and low <= x <= high, words)


def text(pattern: str, words: str) -> Rule:
    """A string of this form, without control characters."""
    return Rule(lambda x: isinstance(x, str) and x.isprintable() and bool(re.fullmatch(pattern, x)), words)


def one_of(*options: str) -> Rule:
    """One of these strings."""
    return Rule(lambda x: isinstance(x, str) and x in options, f"one of {', '.join(options)}")


IDENTITY = {
    "format": one_of(FORMAT),
    "version": Rule(lambda x: type(x) is int and x == VERSION, f"{VERSION}, the only version that is known here"),
}
HEADER = {**IDENTITY, "ranks": whole(1, RANKS)}
EVENT = {
    "seq": whole(0),
    "op": one_of(*OPS),
    "call": text("[A-Za-z_]{1,40}", "the name of an MPI call"),
    "tag": whole(NOBODY),
    "context": whole(0),
    "step": Rule(lambda x: x is None or whole(0).holds(x), "null, or an integer from 0 on"),
    "count": whole(0),
    "dtype": one_of(*SIZES, "object"),
    "nbytes": whole(0),
    "digest": text("([0-9a-f]{16})?", "16 hexadecimal digits, or empty"),
    "where": text(".{1,300}", "file:line"),
}


@cache
def event_rules(ranks: int) -> dict[str, Rule]:
    """The rules of an event where there are so many ranks."""
    return {"rank": whole(0, ranks - 1), "peer": whole(NOBODY, ranks - 1), **EVENT}


def check(data: object, rules: Mapping[str, Rule]) -> Object:
    """``data``, which must be an object with exactly these fields; raises InputError for what it is not."""
    if not isinstance(data, dict):
        raise InputError(f"{brief(data)} is no object: it must have the fields {', '.join(rules)}")
    if missing := [name for name in rules if name not in data]:
        raise InputError(f"there is no {missing[0]}: it must be {rules[missing[0]].words}")
    if unknown := [name for name in data if name not in rules]:
        raise InputError(f"the field {brief(unknown[0])} is unknown: there are {', '.join(rules)}")
    for name, rule in rules.items():
        if not rule.holds(data[name]):
            raise InputError(f"{name} is {brief(data[name])}: it must be {rule.words}")
    return data


def check_header(data: object, rank: int | None) -> int:
    """How many ranks a header tells of; it must be of rank ``rank``'s own file, or of a whole trace if that is None."""
    if isinstance(data, dict):  # another version may have other fields
        check({name: data[name] for name in IDENTITY if name in data}, IDENTITY)
        if rank is None and "rank" in data:
            raise InputError("this is one rank's file: read the folder that has the files of all")
    own = {} if rank is None else {"rank": whole(rank, rank)}
    return int(check(data, HEADER | own)["ranks"])


def check_event(data: object, ranks: int) -> Object:
    """``data``, which must be an event of one of so many ranks; raises InputError for what it is not."""
    event = check(data, event_rules(ranks))
    op, dtype, count = event["op"], event["dtype"], event["count"]
    if dtype in SIZES and event["nbytes"] != count * SIZES[dtype]:
        right = f"{count} entries of {dtype} have {count * SIZES[dtype]}"
        raise InputError(f"nbytes is {event['nbytes']}: {right}")
    if op == "send" and event["peer"] == NOBODY:
        raise InputError(f"peer is {NOBODY}: a send must name its destination")
    if op == "collective" and event["peer"] != NOBODY:
        raise InputError(f"peer is {event['peer']}: a collective must have {NOBODY}")
    if bool(event["digest"]) != (op == "send"):
        raise InputError(f"digest is {event['digest']!r}: a send must have one, nothing else may")
    return event
