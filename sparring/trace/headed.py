"""Sparse messages that name one of four encodings in their header, read by what the pages say of the form.

A message has a header of 8 bytes, a little-endian integer with the encoding in the top byte and the number ``m`` of
entries below; the ``m`` values; and their positions.  These are left out (1, all of a chunk), have 4 or 8 bytes each
(2), or 16 low bits each after a table of how many there are in each block of 65536 but the last (3), or are a bit for
each entry of the chunk (4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.trace.divergence import Expected
from sparring.trace.events import Event, Trace

Array: TypeAlias = NDArray[Any]
HEADER = 8
BLOCK = 1 << 16
DENSE, PAIRS, OFFSETS, BITMAP = range(1, 5)


@cache
def entry(width: int, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of an entry: an index of so many bytes, and a value."""
    return np.dtype([("index", f"i{width}"), ("value", dtype)])


@cache
def dtype_name(kind: np.dtype[Any]) -> str:
    """Return a dtype's name, which numpy takes long to find."""
    return str(kind)


class Headed(NamedTuple):
    """The form of such messages, with values of ``dtype``."""

    dtype: np.dtype[Any]

    @property
    def kind(self) -> np.dtype[Any]:
        """The dtype of an entry."""
        return entry(8, self.dtype)

    def narrowed(self, entries: Array) -> Array:
        """Return the page's entries as they are."""
        return entries

    def same(self, event: Event, entries: Array) -> bool:
        """Tell whether ``event``, as :meth:`read`, sends these entries, up to zeros' signs and NaNs' bits."""
        has = event.payload
        if has is None or has.dtype != self.kind:
            return False
        if has.dtype == entries.dtype and has.tobytes() == entries.tobytes():  # as nearly always
            return True
        alike = np.array_equal(has["value"], entries["value"], equal_nan=self.dtype.kind == "f")
        return np.array_equal(has["index"], entries["index"]) and alike

    def read(self, trace: Trace) -> Trace:
        """Return the trace with messages counted by entries, and these in place of bytes."""
        return Trace(trace.ranks, [self.entries(event) for event in trace.events])

    def unread(self, event: Event, like: Array) -> Event:
        """Return a message as it was read."""
        return event

    def entries(self, event: Event) -> Event:
        """Return a message so; any other event, and what has no such form, as it is."""
        found = None if event.op != "send" or event.payload is None else self.unpacked(event.payload.tobytes())
        if found is None:
            return event
        return event._replace(count=found.size, nbytes=found.nbytes, dtype=dtype_name(self.kind), payload=found)

    def unpacked(self, message: bytes) -> Array | None:
        """Return the entries of a message; None where it has another form."""
        code, m = divmod(int.from_bytes(message[:HEADER], "little"), 1 << 56)
        cut = HEADER + m * self.dtype.itemsize
        at = positions(code, m, message[cut:]) if len(message) >= max(HEADER, cut) else None
        if at is None or at.size != m:
            return None
        entries = np.empty(m, self.kind)
        entries["index"], entries["value"] = at, np.frombuffer(message[HEADER:cut], self.dtype)
        return entries


def positions(code: int, m: int, told: bytes) -> Array | None:
    """Return where the entries are; None where so many bytes do not say it."""
    if code == DENSE and not told:
        return np.arange(m)
    if code == PAIRS and len(told) in (4 * m, 8 * m):
        return np.frombuffer(told, f"u{len(told) // m}" if m else "u4").astype(np.int64)
    if code == OFFSETS and len(told) >= 2 * m and (len(told) - 2 * m) % 4 == 0:
        table = np.frombuffer(told[: len(told) - 2 * m], "u4").astype(np.int64)
        held = [*table, m - table.sum()]
        if held[-1] < 0:
            return None
        blocks: Array = np.repeat(np.arange(len(held)) * BLOCK, held)
        blocks += np.frombuffer(told[len(told) - 2 * m :], "u2")
        return blocks
    if code == BITMAP:
        return np.flatnonzero(np.unpackbits(np.frombuffer(told, "u1"), bitorder="little"))
    return None


def headed(wanted: Sequence[Expected], trace: Trace) -> Headed | None:
    """Return this form, if it reads some message of the run as one of the page's on its channel; else None."""
    for dtype in {m.entries.dtype["value"] for m in wanted}:
        form, sent = Headed(dtype), defaultdict[tuple[int, int], list[Event]](list)
        for event in map(form.entries, trace.sends()):
            sent[event.rank, event.peer].append(event)
        if any(form.same(event, m.entries) for m in wanted for event in sent[m.src, m.dst]):
            return form
    return None
