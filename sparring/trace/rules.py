"""The rules of trace files: the values that a header and an event may have."""

from __future__ import annotations

from functools import cache

import numpy as np

from sparring.errors import InputError
from sparring.rules import Object, Rule, check, integer, one_of, text
from sparring.trace.events import NOBODY, OPS

FORMAT, VERSION, RANKS = "sparring trace", 1, 1 << 12
NATIVE = [np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"]
SIZES = {str(dtype): dtype.itemsize for native in NATIVE for dtype in (native, native.newbyteorder())}
"""The dtypes of entries, and their bytes; besides these there is ``object``, which is pickled."""


IDENTITY = {
    "format": one_of(FORMAT),
    "version": Rule(lambda x: type(x) is int and x == VERSION, f"{VERSION}, the only version that is known here"),
}
HEADER = {**IDENTITY, "ranks": integer(1, RANKS)}
EVENT = {
    "seq": integer(0),
    "op": one_of(*OPS),
    "call": text("[A-Za-z_]{1,40}", "the name of an MPI call"),
    "tag": integer(NOBODY),
    "context": integer(0),
    "step": Rule(lambda x: x is None or integer(0).holds(x), "null, or an integer from 0 on"),
    "count": integer(0),
    "dtype": one_of(*SIZES, "object"),
    "nbytes": integer(0),
    "digest": text("([0-9a-f]{16})?", "16 hexadecimal digits, or empty"),
    "where": text(".{1,300}", "file:line"),
}


@cache
def event_rules(ranks: int) -> dict[str, Rule]:
    """Return the rules of an event among so many ranks."""
    return {"rank": integer(0, ranks - 1), "peer": integer(NOBODY, ranks - 1), **EVENT}


def check_header(data: object, rank: int | None) -> int:
    """Return the number of ranks that a header tells of.

    It must be the header of rank ``rank``'s own file, or of a whole trace if that is None.
    """
    if isinstance(data, dict):  # another version may have other fields
        check({name: data[name] for name in IDENTITY if name in data}, IDENTITY)
        if rank is None and "rank" in data:
            raise InputError("this is one rank's file: read the folder that has the files of all")
    own = {} if rank is None else {"rank": integer(rank, rank)}
    return int(check(data, HEADER | own)["ranks"])


def check_event(data: object, ranks: int) -> Object:
    """Return ``data`` if it is an event of one of so many ranks; else raise InputError, which says why."""
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
