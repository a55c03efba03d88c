"""The steps of a recorded run: which messages a trace lets be judged as if a page had sent them.

A trace tells when operations are posted and not when they are waited for.  It is read so: a blocking
call is over when it returns; operations that do not block are waited for once a send and a receive
are posted, or once a blocking call has followed them, and before anything else is posted.  That is
how ``impl`` exchanges; whoever posts further ahead lets more messages meet than are found here.
Collectives are passed over.

Messages are numbered by steps as they go if sends are synchronous: in a step of the run goes every
rank whose own next step is its partners' next step as well.  Since what happens before what depends
on the order of each rank's steps and on who sends to whom, and on nothing else, any such numbering
gives the same overlaps; only what counts as one step, and so the load, is a matter of the numbering.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.proofs.contention.traffic import Numbers, Traffic
from sparring.proofs.trace.events import NOBODY, Event, Trace

BLOCKING = frozenset(("Send", "Ssend", "Bsend", "Rsend", "Recv", "Sendrecv"))
WAITED = frozenset(("Isend", "Issend", "Ibsend", "Irsend", "Irecv"))

Ranks = NDArray[np.bool_]
Channels = dict[tuple[int, int], list[tuple[int, int]]]
"""By source and destination, the places in a Half and the turns of their messages, in the order of posting."""


class Half(NamedTuple):
    """For each step of each rank, one rank after the other, one of its operations.

    ``peer``: with whom, -1 with nobody; ``turn``: the peer's own step that has the other half.
    """

    peer: Numbers
    turn: Numbers


def traffic(trace: Trace) -> Traffic:
    """The messages of a trace, step by step.

    Raises InputError where it does not tell what is waited for when, where a message has no receive,
    and where the run could not end with synchronous sends.
    """
    own = [list(steps(events, rank)) for rank, events in enumerate(by_rank(trace))]
    first = np.cumsum([0, *map(len, own)])
    sends, receives = halves(own, first)
    src = np.arange(trace.ranks)
    now, found = np.zeros(trace.ranks, np.int64), []
    while (busy := now < np.diff(first)).any():
        at = np.where(busy, first[:-1] + now, 0)
        goes = ready(busy, now, [Half(half.peer[at], half.turn[at]) for half in (sends, receives)])
        if not goes.any():
            stuck = int(np.flatnonzero(busy)[0])
            raise InputError(f"rank {stuck} waits for ever if sends are synchronous: no steps to judge")
        sent = goes & (sends.peer[at] >= 0)
        found.append(np.stack([src[sent], sends.peer[at][sent]], axis=1))
        now += goes
    return Traffic(trace.ranks, found)


def by_rank(trace: Trace) -> list[list[Event]]:
    """Each rank's messages, in the order of posting."""
    found: list[list[Event]] = [[] for _ in range(trace.ranks)]
    for event in trace.events:
        if event.op != "collective":
            found[event.rank].append(event)
    return found


def steps(events: list[Event], rank: int) -> Iterator[dict[str, int]]:
    """A rank's own steps: the peers of its send and of its receive, by operation."""
    step: dict[str, int] = {}
    for event in events:
        here = f"rank {rank}, {event.call} at {event.where}"
        if event.call not in BLOCKING | WAITED:
            raise InputError(f"{here}: a trace does not tell when this call is over")
        if event.peer == NOBODY:
            raise InputError(f"{here}: from any source, so that timing decides which message comes")
        if event.op in step:
            raise InputError(f"{here}: a second {event.op}, and a trace does not tell whether the first is over")
        step[event.op] = event.peer
        if len(step) == 2 or (event.call in BLOCKING and event.call != "Sendrecv"):
            yield step
            step = {}
    if step:
        yield step


def halves(own: list[list[dict[str, int]]], first: Numbers) -> tuple[Half, Half]:
    """All sends and all receives, matched: on each channel the k-th of the ones with the k-th of the others."""
    queues: dict[str, Channels] = {"send": defaultdict(list), "receive": defaultdict(list)}
    for rank, turns in enumerate(own):
        for turn, step in enumerate(turns):
            for op, peer in step.items():
                queues[op][(rank, peer) if op == "send" else (peer, rank)].append((int(first[rank]) + turn, turn))
    size = int(first[-1]) + 1  # one more, for ranks that have ended
    sends, receives = (Half(np.full(size, -1), np.full(size, -1)) for _ in range(2))
    for src, dst in {**queues["send"], **queues["receive"]}:
        posted, expected = queues["send"][src, dst], queues["receive"][src, dst]
        if len(posted) != len(expected):
            raise InputError(
                f"rank {src} sends {len(posted)} messages to rank {dst}, which receives {len(expected)} from it: "
                "a trace of the simulated world has no receives, one that is recorded has"
            )
        for (at, turn), (there, other) in zip(posted, expected):
            sends.peer[at], sends.turn[at] = dst, other
            receives.peer[there], receives.turn[there] = src, turn
    return sends, receives


def ready(busy: Ranks, now: Numbers, both: list[Half]) -> Ranks:
    """The ranks that go: whose partners' next step has the other half, and go too."""
    goes = busy.copy()
    while True:
        held = goes.copy()
        for half in both:
            held &= (half.peer < 0) | ((now[half.peer] == half.turn) & goes[half.peer])
        if (held == goes).all():
            return goes
        goes = held
