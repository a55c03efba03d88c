"""Judges whether a trace is a run of a page: message by message, or by its volume.

Level "steps": on every directed channel (source, destination) the k-th message sent is the page's
k-th, in the order of posting, whatever communicators and tags carry them; lengths and bytes are equal.
Level "volume": every rank sends as many messages and bytes as in the page, in whatever order.

On both levels a message without entries may be left out, as where there are fewer entries than ranks.  -0.0 and +0.0
count as equal, since an implementation may turn one into the other early, and so do any two NaNs.  Where only a digest
is known, it must be that of the page's entries, or of these with +0.0 for every -0.0; entries with a NaN are then
judged by their length.  Collective calls are not compared.

Lists that a page sends, of sparse vectors or of selected entries, are compared in the form that
:mod:`sparring.trace.packings` reads.  In any other form messages are only counted, on each channel at level "steps" and
of each rank at level "volume", and their contents are not compared.

A stateful page is run for each call, and its steps are numbered on from call to call.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.page_runs import runs
from sparring.spec.core.blocks import Chunks
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run
from sparring.spec.core.schedule import step_sends
from sparring.spec.core.sparse import SparseVector
from sparring.trace.divergence import Divergence, Expected, missing, other, surplus
from sparring.trace.events import NOBODY, Event, Trace
from sparring.trace.headed import Headed
from sparring.trace.packings import Packing, digests, listed, same, spoken, unlisted
from sparring.trace.recorder import MAKERS

LEVELS = ("result", "volume", "steps")
IDLE = {*MAKERS.split(), "Barrier", "Ibarrier", "barrier", "Free", "free", "Disconnect"}
"""Collectives that carry no entries."""
NOTES, NOTE = 256, 32
"""The bytes, and those for each rank, in which a rank may tell others lengths, names and the like by collectives."""
Array: TypeAlias = NDArray[Any]
Same: TypeAlias = Callable[[Event, Array], bool]
Channel: TypeAlias = tuple[int, int]
Channels: TypeAlias = dict[Channel, deque[Event]]
"""The messages not yet matched, by source and destination, in the order of posting."""


def compare(
    page: Page, xs: Sequence[Any], trace: Trace, level: str, calls: Iterable[Run] | None = None
) -> Divergence | None:
    """Return the first point where ``trace`` is no run of ``page`` on ``xs``, one vector a rank; None if there is none.

    If the page is stateful, ``xs`` has for each rank an array whose rows are its vectors, one a call.  ``calls``: the
    page's runs on these, where they are known already.

    ``level``: "steps", "volume", or "result", which compares no message.  The first point has the smallest step, then
    the smallest source; messages that the page does not have come last.  Raises InputError for another level, or if
    ``trace`` has another number of ranks; and what :func:`sparring.spec.core.runner.run` raises.
    """
    if level not in LEVELS:
        raise InputError(f"no level {level!r}: there are {', '.join(LEVELS)}")
    if len(xs) != trace.ranks:
        raise InputError(f"a trace of {trace.ranks} ranks and {len(xs)} vectors: there must be one vector a rank")
    if level == "result":
        return None
    with np.errstate(all="ignore"):
        wanted = list(messages(page, xs, calls))
        if not page.listed:
            return volume(wanted, trace) if level == "volume" else steps(wanted, trace)
        return as_read(wanted, trace, level, spoken(wanted, trace))


def as_read(wanted: list[Expected], trace: Trace, level: str, packing: Packing | Headed | None) -> Divergence | None:
    """Return the first difference where the page sends lists, read in that form."""
    if packing is None:
        return volume(wanted, trace, read=False) if level == "volume" else counted(wanted, trace)
    lists = [m._replace(entries=packing.narrowed(m.entries)) for m in wanted]
    seen = packing.read(trace)
    return volume(lists, seen) if level == "volume" else steps(lists, seen, packing)


UNREAD = "no message reads as one of the page's, in any form that is known"


def unlike(page: Page, xs: Sequence[Any], trace: Trace, calls: Iterable[Run]) -> str:
    """Return as text the first message that carries something else, or that nothing can be read."""
    if not page.listed:
        return str(compare(page, xs, trace, "steps", calls) or "")
    with np.errstate(all="ignore"):
        wanted = list(messages(page, xs, calls))
        packing = spoken(wanted, trace)
        if first := as_read(wanted, trace, "steps", packing):
            return str(first)
    return UNREAD if packing is None and says(wanted, trace) else ""


def unknown(page: Page, xs: Sequence[Any], trace: Trace) -> bool:
    """Tell whether no message of ``trace`` reads as one of the page, which sends lists and has entries to send."""
    wanted = list(messages(page, xs))
    return says(wanted, trace) and spoken(wanted, trace) is None


def untold(page: Page, xs: Sequence[Any], trace: Trace) -> tuple[int, int]:
    """Return of how many messages no digest tells that they have the page's entries, and how many there are in all.

    If :func:`compare` finds no difference, these have the right lengths: there are NaNs in them, or too many zeros.
    """
    with np.errstate(all="ignore"):
        wanted = [m for m in messages(page, xs) if m.entries.size]
        packing = spoken(wanted, trace) if page.listed else None
        if page.listed and packing is None:
            return len(wanted), len(wanted)
        sent: dict[Channel, set[str]] = defaultdict(set)
        for event in trace.sends():
            sent[event.rank, event.peer].add(event.digest)
        form = packing if isinstance(packing, Packing) else None
        return sum(1 for m in wanted if sent[m.src, m.dst].isdisjoint(digests(m.entries, form))), len(wanted)


def says(wanted: Sequence[Expected], trace: Trace) -> bool:
    """Tell whether there are messages, and entries that these should have."""
    return any(trace.sends()) and any(m.entries.size for m in wanted)


def legible(page: Page, xs: Sequence[Any], trace: Trace) -> Trace:
    """Return ``trace`` with messages counted by entries, where the page sends lists and these can be read."""
    if not page.listed:
        return trace
    with np.errstate(all="ignore"):
        packing = spoken(list(messages(page, xs)), trace)
    if packing is None:
        return trace
    kind, words = str(packing.kind), f"{packing.dtype} with an index"
    events = packing.read(trace).events
    return Trace(trace.ranks, [event._replace(dtype=words) if event.dtype == kind else event for event in events])


def messages(page: Page, xs: Sequence[Any], calls: Iterable[Run] | None = None) -> Iterator[Expected]:
    """Yield the page's messages by step and source, call after call."""
    before = 0
    for ran in calls or runs(page, xs):
        for t, wire in enumerate(ran.trace):
            for (src, dst, entries), chunks in zip(wire, held(page, t, len(xs))):
                sent = content(page, entries, xs[src].dtype) if page.listed else np.asarray(entries)
                yield Expected(before + t, src, dst, chunks, sent)
        before += len(ran.trace)


def held(page: Page, t: int, p: int) -> Iterable[Chunks | None]:
    """Return which chunks the messages of a step have, in their order; None for each message of a program."""
    return repeat(None) if page.composed else (chunks for _, _, chunks in step_sends(page, t, p))


def content(page: Page, entries: SparseVector, dtype: np.dtype[Any]) -> Array:
    """Return a message's entries, with their indices unless it has none."""
    whole = page.encoded(len(entries.indices), entries.n, dtype.itemsize) == "values"
    return unlisted(entries, dtype) if whole else listed(entries, dtype)


def empty(page: Page, xs: Sequence[Any]) -> set[tuple[int, int, int]]:
    """Return the page's messages without entries, which a run may leave out, as steps, sources and destinations."""
    with np.errstate(all="ignore"):
        return {m[:3] for m in messages(page, xs) if not m.entries.size}


def steps(page: list[Expected], trace: Trace, packing: Packing | Headed | None = None) -> Divergence | None:
    """Return the first message that is not the page's; the trace is read in ``packing``, if there is one."""
    channels, alike = queues(trace), packing.same if packing else same
    for i, message in enumerate(page):
        channel = channels[message.src, message.dst]
        if channel and alike(channel[0], message.entries):
            channel.popleft()
        elif message.entries.size:
            sent = instead(page[i:], channels, alike)
            sent = packing.unread(sent, message.entries) if packing and sent else sent
            return other(message, sent) if sent else missing(message, *silence(trace, message.src, message.dst))
    left = [channel[0] for channel in channels.values() if channel]
    return surplus(min(left, key=lambda event: (event.rank, event.seq)), end(page)) if left else None


def queues(trace: Trace) -> Channels:
    """Return the messages of each channel."""
    channels: Channels = defaultdict(deque)
    for event in trace.sends():
        channels[event.rank, event.peer].append(event)
    return channels


def end(page: list[Expected]) -> int:
    """Return the number of steps."""
    return page[-1].step + 1 if page else 0


def instead(rest: list[Expected], channels: Channels, same: Same) -> Event | None:
    """Return what is sent in place of the first message of ``rest``.

    It is the next message on its channel, unless its source first sends another rank something that the page does not
    have there either: then it is that.
    """
    src, dst = rest[0].src, rest[0].dst
    sent = min((c[0] for (s, _), c in channels.items() if s == src and c), key=lambda e: e.seq, default=None)
    if sent is None or sent.peer == dst:
        return sent
    planned = next((m for m in rest if (m.src, m.dst) == (src, sent.peer) and m.entries.size), None)
    if planned is None or not same(sent, planned.entries):
        return sent
    return channels[src, dst][0] if channels[src, dst] else None


def counted(page: list[Expected], trace: Trace) -> Divergence | None:
    """Return the first message that a channel has too few or too many of, whatever its content."""
    channels = queues(trace)
    planned: defaultdict[Channel, list[Expected]] = defaultdict(list)
    for message in page:
        planned[message.src, message.dst].append(message)
    found: list[Divergence] = []
    for src, dst in {**planned, **channels}:
        sent, most = channels[src, dst], planned[src, dst]
        least = [message for message in most if message.entries.size]
        if len(sent) < len(least):
            found.append(missing(least[len(sent)], *silence(trace, src, dst)))
        elif len(sent) > len(most):
            found.append(surplus(sent[len(most)], end(page)))
    return min(found, key=lambda divergence: divergence[:2], default=None)


def volume(page: list[Expected], trace: Trace, *, read: bool = True) -> Divergence | None:
    """Return the first rank whose messages or bytes are not as many as the page's; bytes only if ``read``."""
    for rank in range(trace.ranks):
        wanted = [m.entries for m in page if m.src == rank]
        sent = [event for event in trace.sends() if event.rank == rank]
        needed = sum(1 for entries in wanted if entries.size)
        total = sum(entries.nbytes for entries in wanted) if read else None
        bulk = sum(event.nbytes for event in sent) if read else None
        if needed <= len(sent) <= len(wanted) and total == bulk:
            continue
        observed, where = silence(trace, rank)
        if sent:
            observed, where = amount(len(sent), bulk), sent[0].where
        return Divergence(-1, rank, NOBODY, None, amount(len(wanted), total), observed, where)
    return None


def amount(messages: int, nbytes: int | None) -> str:
    of = "" if nbytes is None else f" of {nbytes} bytes"
    return f"sends {messages} message{'' if messages == 1 else 's'}{of} in all"


def silence(trace: Trace, rank: int, dst: int = NOBODY) -> tuple[str, str]:
    """Return in words that ``rank`` sends nothing (more to ``dst``), and where it calls which collectives instead."""
    if any(event.rank == rank for event in trace.sends()):
        return f"sends no further message to rank {dst}", ""
    calls = collectives(trace, rank)
    return (f"sends nothing; it calls {inside(trace, rank)}", calls[0].where) if calls else ("sends nothing", "")


def collectives(trace: Trace, rank: int) -> list[Event]:
    """Return the rank's calls of collectives that carry something."""
    return [e for e in trace.events if e.rank == rank and e.op == "collective" and e.call not in IDLE]


def uncounted(trace: Trace, calls: Sequence[Run] = ()) -> str:
    """Say which rank hands a part of its vector to collectives, whose messages nobody sees; "" if none does.

    That is more than notes, and what the page itself tells apart from messages in these ``calls``, and more than a
    small share of what it sends in messages.
    """
    for rank in range(trace.ranks) if trace.ranks > 1 else ():
        called = collectives(trace, rank)
        handed = sum(event.nbytes for event in called)
        sent = sum(event.nbytes for event in trace.sends() if event.rank == rank)
        told = sum(ran.apart[rank] for ran in calls if ran.apart)
        notes = (NOTES + NOTE * trace.ranks) * max(1, len(calls))
        if handed > notes + told and 4 * trace.ranks * handed >= sent:
            where = max(called, key=lambda event: event.nbytes).where
            return (
                f"rank {rank} also hands {handed} bytes to {inside(trace, rank)} ({where}), whose messages nobody "
                f"counts; {f'the page tells {told} bytes apart' if told else 'the page sends all that it sends itself'}"
            )
    return ""


def inside(trace: Trace, rank: int) -> str:
    """Return the names of these calls; empty where there are none."""
    return " and ".join(dict.fromkeys(event.call for event in collectives(trace, rank)))
