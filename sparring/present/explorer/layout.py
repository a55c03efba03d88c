"""Places the messages of a run without a page in steps: what a rank sends after a receive comes a step later.

So a run in lock step looks as its page does, and what one rank receives stands in the order in which it came.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

from sparring.trace.events import NOBODY, Trace
from sparring.world.core.findings import Sent

BLOCKING = {"Recv", "recv", "Sendrecv", "sendrecv", "Mrecv", "mrecv"}
"""The calls after which a rank has its message; of others a trace does not tell when they end."""


class Turn(NamedTuple):
    """What a rank does next: it sends, or else has received, the message of this number."""

    message: int
    sends: bool


def of_world(sent: Sequence[Sent], p: int) -> list[int]:
    """Return the step of each message of a simulated run, which tells what was received when."""
    turns: list[list[tuple[tuple[int, bool, int], Turn]]] = [[] for _ in range(p)]
    for i, message in enumerate(sent):
        turns[message.src].append(((i, True, 0), Turn(i, sends=True)))
        if message.received:
            posted, number = message.received
            turns[message.dst].append(((posted, False, number), Turn(i, sends=False)))
    return steps([(m.src, m.dst) for m in sent], [[turn for _, turn in sorted(own)] for own in turns])


def of_trace(trace: Trace) -> list[int]:
    """Return the step of each message of a recorded run; the k-th blocking receive from a rank takes its k-th one."""
    ends: list[tuple[int, int]] = []
    channels: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)
    numbers: dict[tuple[int, int], int] = {}
    for event in trace.sends():
        channels[event.rank, event.peer].append(len(ends))
        numbers[event.rank, event.seq] = len(ends)
        ends.append((event.rank, event.peer))
    turns: list[list[Turn]] = [[] for _ in range(trace.ranks)]
    for event in trace.events:
        if event.op == "send":
            turns[event.rank].append(Turn(numbers[event.rank, event.seq], sends=True))
        elif event.op == "receive" and event.peer != NOBODY and (channel := channels[event.peer, event.rank]):
            came = channel.popleft()
            if event.call in BLOCKING:
                turns[event.rank].append(Turn(came, sends=False))
    return steps(ends, turns)


def steps(ends: Sequence[tuple[int, int]], turns: Sequence[Sequence[Turn]]) -> list[int]:
    """Return the step of each message: ``ends[i]`` are its ranks, ``turns[r]`` what rank ``r`` does, in order.

    >>> steps([(0, 1), (1, 2)], [[Turn(0, True)], [Turn(0, False), Turn(1, True)], [Turn(1, False)]])
    [0, 1]
    """
    found = [-1] * len(ends)
    queues = [deque(own) for own in turns]
    ready, came = [0] * len(turns), [-1] * len(turns)
    latest: dict[tuple[int, int], int] = {}
    waiting: dict[int, int] = {}  # the rank that waits for a message
    going = deque(range(len(turns)))
    while going or any(queues):
        if not going:  # receives of what nobody sends: not a run, but a file may say so
            going.extend(rank for rank, queue in enumerate(queues) if queue and queue.popleft())
            continue
        rank = going.popleft()
        while queues[rank]:
            message, sends = queues[rank][0]
            if not sends and found[message] < 0:
                waiting[message] = rank
                break
            queues[rank].popleft()
            if sends:
                found[message] = latest[ends[message]] = max(ready[rank], latest.get(ends[message], -1) + 1)
                going.extend([waiting.pop(message)] if message in waiting else ())
            else:
                found[message] = came[rank] = max(found[message], came[rank] + 1)
                ready[rank] = max(ready[rank], found[message] + 1)
    return found
