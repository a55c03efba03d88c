"""The steps of a recorded run, so that its messages can be judged as if a page had sent them.

A trace says when operations are posted, and not when they are waited for.  It is read as follows: a blocking call is
over when it returns; operations that do not block are waited for once a send and a receive are posted, or once a
blocking call has followed them, and before anything else is posted.  That is how ``impl`` exchanges; in a program that
posts further ahead, more messages may meet than are found here.  Collectives are ignored.

Messages are numbered by the steps in which they would go with synchronous sends: a step of the run has every rank whose
own next step is its partners' next step as well.  What happens before what depends only on the order of each rank's
steps and on who sends to whom.  So any such numbering gives the same overlaps; only what counts as one step, and so the
load, depends on the numbering.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from sparring.errors import InputError
from sparring.proofs.contention.traffic import Traffic
from sparring.trace.events import NOBODY, Event, Trace

BLOCKING = frozenset(("Send", "Ssend", "Bsend", "Rsend", "Recv", "Sendrecv"))
WAITED = frozenset(("Isend", "Issend", "Ibsend", "Irsend", "Irecv"))

Turn = tuple[int, int]
"""A rank, and the number of one of its own steps."""


def traffic(trace: Trace) -> Traffic:
    """Return the messages of a trace, step by step.

    Raises InputError where the trace does not say when a rank waits for what, where a message has no receive, and where
    the run could not end with synchronous sends.
    """
    own = [list(steps(events, rank)) for rank, events in enumerate(by_rank(trace))]
    halves = matched(own)
    now, found = [0] * trace.ranks, []
    while busy := {(r, t) for r, t in enumerate(now) if t < len(own[r])}:
        if not (goes := ready(busy, halves)):
            raise InputError(f"rank {min(busy)[0]} waits for ever if sends are synchronous: no steps to judge")
        sent = [(r, own[r][t]["send"]) for r, t in sorted(goes) if "send" in own[r][t]]
        found.append(np.array(sent, np.int64).reshape(-1, 2))
        for r, _ in goes:
            now[r] += 1
    return Traffic(trace.ranks, found)


def by_rank(trace: Trace) -> list[list[Event]]:
    """Return each rank's messages, in the order of posting."""
    found: list[list[Event]] = [[] for _ in range(trace.ranks)]
    for event in trace.events:
        if event.op != "collective":
            found[event.rank].append(event)
    return found


def steps(events: list[Event], rank: int) -> Iterator[dict[str, int]]:
    """Yield a rank's own steps: the peers of its send and of its receive, by operation."""
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


def matched(own: list[list[dict[str, int]]]) -> Mapping[Turn, list[Turn]]:
    """Return for each step those that have the other halves: on each channel the k-th receive takes the k-th send."""
    ends: dict[tuple[int, int], dict[str, list[Turn]]] = defaultdict(lambda: {"send": [], "receive": []})
    for rank, turns in enumerate(own):
        for turn, step in enumerate(turns):
            for op, peer in step.items():
                ends[(rank, peer) if op == "send" else (peer, rank)][op].append((rank, turn))
    found: dict[Turn, list[Turn]] = defaultdict(list)
    for (src, dst), end in ends.items():
        if len(end["send"]) != len(end["receive"]):
            raise InputError(
                f"rank {src} sends {len(end['send'])} messages to rank {dst}, which receives {len(end['receive'])} "
                "from it: a trace of the simulated world has no receives, one that is recorded has"
            )
        for one, other in zip(end["send"], end["receive"]):
            found[one].append(other)
            found[other].append(one)
    return found


def ready(busy: set[Turn], halves: Mapping[Turn, list[Turn]]) -> set[Turn]:
    """Return the steps that can run: those whose other halves can run too."""
    goes = busy
    while (held := {turn for turn in goes if goes.issuperset(halves[turn])}) != goes:
        goes = held
    return goes
