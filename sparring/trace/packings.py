"""Reads how a message carries a page's list of entries, an index and a value each.

It reads messages that hold a list's entries and nothing else, a value of the vectors' dtype and an index of 4 or 8
bytes each: all values before all indices, all indices before all values, or in pairs.  If the messages of a run name
their form, and were kept, :mod:`sparring.trace.headed` reads them; any other run is read in the one of these forms in
which most of its messages are the page's.  Where a page sends all of a chunk without indices, so must the run.  Other
forms (a bitmap alone, indices as floats) are not read: then messages can only be counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.spec.core.sparse import NOTHING, SparseLike
from sparring.trace.divergence import Expected
from sparring.trace.events import Event, Trace, digest
from sparring.trace.headed import Headed, dtype_name, entry, headed

Array: TypeAlias = NDArray[Any]
PACKED = "an index of 4 or 8 bytes and a value each"
"""The form of an entry in a message that can be read."""
SIGNS = 4
"""The most zeros of which all signs are tried, where a run has only digests."""
ORDERS = ("values first", "indices first", "pairs")


def listed(x: SparseLike, dtype: np.dtype[Any]) -> Array:
    """Return a list's entries as an array of pairs."""
    return np.array([*zip(x.indices, unlisted(x, dtype))], entry(8, dtype))


def unlisted(x: SparseLike, dtype: np.dtype[Any]) -> Array:
    """Return the values alone; an entry that adds nothing is -0.0, or 0 for integers."""
    return np.array([dtype.type(-0.0) if v is NOTHING else v for v in x.values], dtype)


class Packing(NamedTuple):
    """A form of messages: the bytes of an index, and how entries of ``dtype`` follow one another."""

    width: int
    order: str
    dtype: np.dtype[Any]

    @property
    def kind(self) -> np.dtype[Any]:
        """The dtype of an entry."""
        return entry(self.width, self.dtype)

    def narrowed(self, entries: Array) -> Array:
        """Return the same entries, with this width of indices, if they have any."""
        return entries if entries.dtype.names is None else entries.astype(self.kind, copy=False)

    def packed(self, entries: Array) -> bytes:
        """Return the message."""
        whole = self.narrowed(entries)
        if self.order == "pairs":
            return whole.tobytes()
        names = ("value", "index") if self.order == "values first" else ("index", "value")
        return b"".join([whole[name].tobytes() for name in names])

    def unpacked(self, message: Array) -> Array:
        """Return the entries of a message, which is a whole number of them."""
        kind, data = self.kind, message.tobytes()
        if self.order == "pairs":
            return np.frombuffer(data, kind)
        entries = np.empty(len(data) // kind.itemsize, kind)
        first = "value" if self.order == "values first" else "index"
        cut = entries.size * kind[first].itemsize
        for name, part in ((first, data[:cut]), ({"value": "index", "index": "value"}[first], data[cut:])):
            entries[name] = np.frombuffer(part, kind[name])
        return entries

    def digests(self, entries: Array) -> Iterator[str]:
        """Yield the digests that the message may have.

        They are its own, that with +0.0 for every -0.0, and those with zeros of any signs if they are not too many.
        """
        plain = entries.copy()
        plain["value"] += self.dtype.type(0)
        yield digest(self.packed(entries))
        if plain.tobytes() != entries.tobytes():
            yield digest(self.packed(plain))
        zeros = np.flatnonzero(plain["value"] == 0)
        if self.dtype.kind == "f" and 0 < zeros.size <= SIGNS:
            for signs in product((0.0, -0.0), repeat=zeros.size):
                plain["value"][zeros] = signs
                yield digest(self.packed(plain))

    def digested(self, event: Event, entries: Array) -> bool:
        """Tell whether the digest is that of these entries, or tells nothing since too many of their bits are open."""
        values = entries["value"]
        untold = self.dtype.kind == "f" and (np.isnan(values).any() or np.count_nonzero(values == 0) > SIGNS)
        return bool(untold) or event.digest in self.digests(entries)

    def same(self, event: Event, entries: Array) -> bool:
        """Tell whether ``event``, as :meth:`read`, sends these entries, up to zeros' signs and NaNs' bits."""
        if entries.dtype.names is None:
            return same(self.unread(event, entries), entries)
        if event.nbytes != entries.nbytes:
            return False
        if event.payload is None:
            return self.digested(event, entries)
        has, real = event.payload, self.dtype.kind == "f"
        return np.array_equal(has["index"], entries["index"]) and np.array_equal(
            has["value"], entries["value"], equal_nan=real
        )

    def read(self, trace: Trace) -> Trace:
        """Return the trace with messages counted by entries, and these in place of bytes where payloads are known."""
        return Trace(trace.ranks, [self.entries(event) for event in trace.events])

    def unread(self, event: Event, like: Array) -> Event:
        """Return a message as it was before it was read, where it should be like one of values without indices."""
        if like.dtype.names or event.nbytes % like.itemsize:
            return event
        payload = event.payload
        if payload is not None and payload.dtype.names:
            payload = np.frombuffer(self.packed(payload), like.dtype)
        return event._replace(count=event.nbytes // like.itemsize, dtype=str(like.dtype), payload=payload)

    def entries(self, event: Event) -> Event:
        """Return a message so; any other event, and what is no whole number of entries, as it is."""
        kind = self.kind
        if event.op != "send" or event.nbytes % kind.itemsize:
            return event
        payload = None if event.payload is None else self.unpacked(event.payload)
        return event._replace(count=event.nbytes // kind.itemsize, dtype=dtype_name(kind), payload=payload)


def same(event: Event, entries: Array) -> bool:
    """Tell whether ``event`` sends these values, up to zeros' signs and NaNs' bits."""
    if event.nbytes != entries.nbytes:
        return False
    if event.payload is not None:
        return np.array_equal(event.payload.view(entries.dtype), entries, equal_nan=entries.dtype.kind in "fc")
    return bool(np.isnan(entries).any()) or event.digest in digests(entries)


def digests(entries: Array, packing: Packing | None = None) -> list[str]:
    """Return the digests that a message of these values may have, or, in that ``packing``, of these entries."""
    if packing and entries.dtype.names:
        return list(packing.digests(packing.narrowed(entries)))
    return [digest(entries.tobytes()), digest((entries + entries.dtype.type(0)).tobytes())]


def spoken(wanted: Sequence[Expected], trace: Trace) -> Packing | Headed | None:
    """Return the form in which most messages are the page's; None if none is.

    Lists with only index 0 say little, since zeros look alike in many forms; they count only where the others do not
    decide.  Where no list has indices, any form will do.
    """
    full = [m for m in wanted if m.entries.size and m.entries.dtype.names]
    if not full:
        return next((Packing(4, ORDERS[0], m.entries.dtype) for m in wanted if m.entries.size), None)
    if told := headed(full, trace):
        return told
    sent: dict[tuple[int, int, int], set[str]] = defaultdict(set)
    for event in trace.sends():
        sent[event.rank, event.peer, event.nbytes].add(event.digest)
    telling = {i for i, m in enumerate(full) if m.entries["index"].any()} or {*range(len(full))}

    def sends(m: Expected, packing: Packing) -> bool:
        as_long = sent.get((m.src, m.dst, m.entries.size * packing.kind.itemsize))  # digests take long, lengths do not
        return as_long is not None and not as_long.isdisjoint(packing.digests(m.entries))

    def read(packing: Packing) -> tuple[int, int]:
        found = [i for i, m in enumerate(full) if sends(m, packing)]
        return len(telling.intersection(found)), len(found)

    much = dict[Packing, tuple[int, int]]()
    for packing in known(full):
        much[packing] = read(packing)
        if much[packing][1] == len(full):  # the others can read no more
            return packing
    best = max(much, key=much.__getitem__, default=None)
    return best if best and much[best][0] else None


def known(messages: Sequence[Expected]) -> Iterator[Packing]:
    """Yield all packings of such entries."""
    for dtype in {m.entries.dtype["value"] for m in messages}:
        yield from (Packing(width, order, dtype) for width in (4, 8) for order in ORDERS)
