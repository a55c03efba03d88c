"""Places each message of a run in a step of the page, and finds those that the page does not have."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Container, Iterator
from itertools import chain, count
from typing import NamedTuple, TypeAlias

from sparring.present.spacetime.history import NOTHING, Hop, Look
from sparring.trace.divergence import Divergence
from sparring.trace.events import Event, Trace

Empty: TypeAlias = Container[tuple[int, int, int]]
"""The page's messages that have no entries, by step, source and destination: a run may leave them out."""


class Seen(NamedTuple):
    """An arrow that is no plain message of the page: observed, expected or missing; ``says`` is its sentence."""

    t: int
    src: int
    dst: int
    look: Look
    label: str
    says: str
    chunk: int | None = None
    adds: bool | None = None

    def __str__(self) -> str:
        return self.says


class Placed(NamedTuple):
    """A message of a run in step ``t``; ``hop`` is the page's message in its place, if there is one."""

    t: int
    event: Event
    hop: Hop | None
    wrong: bool


def observed(wanted: list[Hop], trace: Trace, divergence: Divergence, empty: Empty) -> list[Hop | Seen]:
    """Return the arrows of a run: one is wrong or missing, or, for a wrong volume, all of its rank."""
    arrows = [seen(one, divergence) for one in placed(wanted, trace, divergence, empty)]
    if not any(one.look is Look.WRONG for one in arrows):
        absent = [hop for hop in wanted if meant(hop, divergence)]
        arrows += [Seen(*hop[:3], Look.MISSING, NOTHING, str(divergence)) for hop in absent]
    return sorted(arrows, key=lambda one: (one.t, one.src, one.dst))


def meant(hop: Hop, divergence: Divergence) -> bool:
    """Return whether the run differs from the page in this message; for a wrong volume, in all of its rank."""
    if divergence.dst < 0:
        return hop.src == divergence.src
    return (hop.t, hop.src, hop.dst) == divergence[:3]


def placed(wanted: list[Hop], trace: Trace, divergence: Divergence, empty: Empty) -> Iterator[Placed]:
    """Yield every message of the run in its step.

    MPI does not overtake: the k-th message of a channel is the page's k-th one there, though the run
    may leave out those of ``empty``.  The message that the divergence is about takes the step of the page's message
    that it replaces.  Any other is in its own step where that is known, else in that of its sender's message
    of the same number.
    """
    channels, turns = queues(wanted, divergence), numbered(wanted, trace.ranks)
    culprit = divergence.src, addressee(divergence)
    for event in trace.sends():
        queue, turn = channels[event.rank, event.peer], next(turns[event.rank])
        turn = turn if event.step is None else event.step
        while queue and event.count and queue[0][:3] in empty:
            queue.popleft()
        if (event.rank, event.peer) == culprit and not (queue and queue[0].t < divergence.step):
            culprit = divergence.src, None
            yield Placed(turn if divergence.chunks is None else divergence.step, event, None, True)
        else:
            hop = queue.popleft() if queue else None
            yield Placed(hop.t if hop else turn, event, hop, divergence.dst < 0 and event.rank == divergence.src)


def queues(wanted: list[Hop], divergence: Divergence) -> dict[tuple[int, int], deque[Hop]]:
    """Return the page's messages on each channel, but for the one that the run does not have."""
    channels: dict[tuple[int, int], deque[Hop]] = defaultdict(deque)
    for hop in wanted:
        if divergence.dst < 0 or not meant(hop, divergence):
            channels[hop.src, hop.dst].append(hop)
    return channels


def numbered(wanted: list[Hop], ranks: int) -> list[Iterator[int]]:
    """Return for each rank the steps of its messages in the page, and then those after the page's end."""
    steps: list[list[int]] = [[] for _ in range(ranks)]
    for hop in wanted:
        steps[hop.src].append(hop.t)
    return [chain(own, count(wanted[-1].t + 1 if wanted else 0)) for own in steps]


def addressee(divergence: Divergence) -> int | None:
    """Return the receiver of the message that the run has in place of the page's; only the sentence tells it."""
    found = re.search(r"to rank (\d+)$", divergence.observed)
    return int(found[1]) if found else None


def seen(one: Placed, divergence: Divergence) -> Hop | Seen:
    """Return a message as it is drawn: the page's up to the divergence, from there on with its number of entries."""
    t, event, hop, wrong = one
    if hop and (t, event.rank) < (divergence.step, divergence.src):
        return hop
    entries = f"{event.count} {'entry' if event.count == 1 else 'entries'} of {event.dtype}"
    says = f"step {t}: rank {event.rank} sends {entries} to rank {event.peer} at {event.where}"
    ends, label = (t, event.rank, event.peer), f"[{brief(event.count)}]"
    return Seen(*ends, Look.WRONG, f"{label}!", str(divergence)) if wrong else Seen(*ends, Look.OTHER, label, says)


def brief(n: int) -> str:
    """Return ``n`` in three characters, rounded down, in thousands or more.

    >>> brief(999), brief(12_345), brief(250_000), brief(7_000_000)
    ('999', '12k', '.2M', '7M')
    """
    power = min(len(str(n)) // 3, 4) if n >= 1000 else 0
    tenths = 10 * n // 1000**power
    return f"{f'.{tenths}' if n and tenths < 10 else tenths // 10}{' kMGT'[power].strip()}"
