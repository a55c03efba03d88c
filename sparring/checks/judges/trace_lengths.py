"""A trace's messages beside a page's, by their lengths and digests, where nobody has the vectors.

Lengths are compared with those of the page for vectors as long as the words sent suggest.
Digests tell agreement: messages that in the page have the same bits, whatever the vectors, must have
the same digest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.costs.derivation.counted import count
from sparring.spec.core.blocks import Chunks, named
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends
from sparring.trace.compare import messages, uncounted
from sparring.trace.divergence import Divergence, Expected, entries, surplus
from sparring.trace.events import Event, Trace

NO_TWINS = "in the page no two messages are alike"
LONG = 10**9
"""Entries of vectors so long that no chunk is empty."""
MESSAGES = 1 << 18
"""The most messages of a page that are compared, in a time that somebody can wait."""


def many(page: Page, p: int) -> bool:
    """Return whether the page may send too many messages to compare."""
    return p * number(page.steps(p)) > MESSAGES


class Planned(NamedTuple):
    """A message of the page, of ``words`` words."""

    step: int
    src: int
    dst: int
    chunks: Chunks
    words: int

    def __str__(self) -> str:
        return f"step {self.step}, {named(self.chunks)}"


class Matched(NamedTuple):
    """The page's messages with the run's, as far as they match, and in ``flaw`` the first that does not.

    ``divergence``: where that is.
    """

    pairs: list[tuple[Planned, Event | None]]
    flaw: str
    divergence: Divergence | None = None


def compared(page: Page, trace: Trace, width: int) -> tuple[dict[str, str], dict[str, str]]:
    """Say what is wrong with volume, steps and agreement, and why agreement is not judged, if it is not."""
    n = size(page, trace, width)
    wanted = list(planned(page, trace.ranks, n))
    matched = match(wanted, trace, width)
    flaws = {"volume": volume(wanted, trace, width, n)}
    if matched.flaw:
        flaws["steps"] = f"for vectors of {n} entries: {matched.flaw}"
        gaps = {"agreement": "messages are not those of the page"}
    else:
        alike = twins(likes(page, trace.ranks, matched.pairs))
        flaws["agreement"] = disagreement(alike)
        gaps = {} if alike else {"agreement": NO_TWINS}
    return {prop: why for prop, why in flaws.items() if why}, gaps


def size(page: Page, trace: Trace, width: int) -> int:
    """Return the length of vectors for which the page's messages are nearest to the run's.

    It tries the lengths for which all ranks, the first, or the last send as many words as in the run: so a
    run with one faulty rank is still compared with the page for vectors of the right length.
    """
    ranks = range(trace.ranks)
    seen = Counter((event.rank, event.peer, event.nbytes) for event in trace.sends())
    tried = {fitting(page, trace, width, among) for among in (ranks, ranks[:1], ranks[-1:])}

    def alike(n: int) -> int:
        own = Counter((m.src, m.dst, m.words * width) for m in planned(page, trace.ranks, n))
        return (own & seen).total()

    return max(sorted(tried), key=alike)


def fitting(page: Page, trace: Trace, width: int, among: Sequence[int]) -> int:
    """Return the largest length for which the ranks ``among`` send no more words than in the run."""
    whole = sum(event.nbytes for event in trace.sends() if event.rank in among) // width

    def few(n: int) -> bool:
        return words(n) <= whole

    def words(n: int) -> int:
        sent = count(page, trace.ranks, n, 0, paths=False).sent
        return sum(sent[r] for r in among)

    low = max(0, whole * LONG // max(1, words(LONG)) - 1)  # words grow in proportion, but for rounding of chunks
    step = 1
    while low and not few(low):
        low, step = max(0, low - step), 2 * step
    high, step = low + 1, 1
    while few(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if few(middle) else (low, middle)
    return low


def planned(page: Page, p: int, n: int) -> Iterator[Planned]:
    """Yield the page's messages by step and source."""
    for t in range(number(page.steps(p))):
        for src, dst, chunks in step_sends(page, t, p):
            yield Planned(t, src, dst, chunks, number(page.words(src, t, chunks.start, p, n, 0)))


def volume(page: Sequence[Planned], trace: Trace, width: int, n: int) -> str:
    """Name the first rank whose number of messages or words is not the page's; "" if there is none."""
    for rank in range(trace.ranks):
        sent = [event.nbytes for event in trace.sends() if event.rank == rank and event.nbytes]
        wanted = [m.words * width for m in page if m.src == rank and m.words]
        if (len(sent), sum(sent)) != (len(wanted), sum(wanted)):
            return (
                f"rank {rank} sends {len(sent)} messages of {sum(sent)} bytes in all, the page {len(wanted)} "
                f"of {sum(wanted)} for vectors of {n} entries"
            )
    return uncounted(trace)


def match(page: Sequence[Planned], trace: Trace, width: int) -> Matched:
    """Match messages by channel, in the order of posting; a message without entries may be left out."""
    channels: defaultdict[tuple[int, int], list[Event]] = defaultdict(list)
    for event in trace.sends():
        channels[event.rank, event.peer].append(event)
    pairs: list[tuple[Planned, Event | None]] = []
    for message in page:
        channel = channels[message.src, message.dst]
        if channel and channel[0].nbytes == message.words * width:
            pairs.append((message, channel.pop(0)))
        elif message.words:
            return Matched(pairs, unlike(message, channel), parting(message, channel))
        else:
            pairs.append((message, None))
    left = [channel[0] for channel in channels.values() if channel]
    first = min(left, key=lambda event: (event.rank, event.seq), default=None)
    if first is None:
        return Matched(pairs, "")
    more = f"rank {first.rank} {sends(first)}, the page sends rank {first.peer} nothing more"
    return Matched(pairs, more, surplus(first, page[-1].step + 1 if page else 0))


def unlike(message: Planned, channel: Sequence[Event]) -> str:
    """Say what is on the channel in place of a message of the page."""
    does = sends(channel[0]) if channel else f"sends rank {message.dst} nothing more"
    return f"{message}: rank {message.src} {does}, the page {entries(message.words)}"


def parting(message: Planned, channel: Sequence[Event]) -> Divergence:
    """Return where the run has something else in place of a message of the page, or nothing."""
    does = f"{sends(channel[0]).removesuffix(f' ({channel[0].where})')}" if channel else "sends no further message"
    at = channel[0].where if channel else ""
    ends = message.step, message.src, message.dst, message.chunks
    return Divergence(*ends, f"sends {entries(message.words)}", does, at)


def expected(page: Page, p: int, n: int, dtype: np.dtype[Any]) -> list[Expected]:
    """Return the page's messages for vectors of ``n`` entries; their lengths are right, their entries are zeros."""
    return [Expected(*m[:4], np.broadcast_to(np.zeros(1, dtype), m.words)) for m in planned(page, p, n)]


def sends(event: Event) -> str:
    """Say what an event sends, to which rank, and where in the code."""
    return f"sends {entries(event.count)} to rank {event.peer} ({event.where})"


class Like(NamedTuple):
    """A message of the run: its step and chunks in the page, and its ``content`` there on vectors of random numbers."""

    message: object
    content: bytes
    event: Event


Twins = list[tuple[Like, Like]]


def likes(page: Page, p: int, pairs: Sequence[tuple[Planned, Event | None]]) -> Iterator[Like]:
    """Yield the run's messages with the contents of the page's, on vectors of random numbers."""
    rng = np.random.default_rng(0)
    n = 2 * number(page.chunks(p))  # every chunk has entries, by which it is recognized
    wanted = messages(page, [rng.standard_normal(n) for _ in range(p)])
    for expected, (message, event) in zip(wanted, pairs):
        if event is not None:
            yield Like(message, expected.entries.tobytes(), event)


def twins(found: Iterable[Like]) -> Twins:
    """Pair each message with the first one that has the same bits in the page."""
    first: dict[bytes, Like] = {}
    return [
        (one, like) for like in found if like.event.nbytes and (one := first.setdefault(like.content, like)) is not like
    ]


def disagreement(alike: Twins) -> str:
    """Name two messages whose digests differ, though they have the same bits in the page; "" if there are none."""
    for (before, _, sent), (message, _, event) in alike:
        if sent.digest != event.digest:
            return (
                f"{message}: rank {event.rank} {sends(event)} other bits than rank {sent.rank} in {before} "
                f"({sent.where}), in the page the same"
            )
    return ""
