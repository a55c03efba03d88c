"""The timeline of a recorded trace.

A trace has the order of each rank's operations, and no times.  So an operation takes one unit of time, and begins when
the one before it was posted; a blocking receive ends no sooner than its message can have come, and what follows
waits for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sparring.present.timelines.timeline import UNIT, Span, Timeline
from sparring.trace.events import NOBODY, Event, Trace

BLOCKING = ("Recv", "recv", "Sendrecv", "sendrecv", "Sendrecv_replace")
TIME = "a trace has no times: each operation takes a millisecond, receives wait for their messages"
TRACK = {"send": "sends", "receive": "receives", "collective": "calls"}


def of_trace(trace: Trace, title: str) -> Timeline:
    """Return the timeline of a trace.

    A trace of the simulated world has no receives: there a message is shown as received when it is sent.
    """
    events = trace.events
    sender = matched(events)
    starts = started(trace.ranks, events, sender)
    spans = [span(i, events, starts, sender) for i in range(len(events))]
    arrows = [(send, receive) for receive, send in sender.items()]
    if not any(event.op == "receive" for event in events):
        for i, event in enumerate(events):
            if event.op == "send":
                arrows.append((i, len(spans)))
                spans.append(spans[i]._replace(rank=event.peer, track="receives", name="not recorded"))
    return Timeline(title, TIME, trace.ranks, spans, sorted(arrows))


def matched(events: Sequence[Event]) -> dict[int, int]:
    """Return the send of each receive; none of receives from any source or of any tag, which the trace leaves open.

    On each channel the messages of one tag do not overtake one another.
    """
    sends: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    receives: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, event in enumerate(events):
        if event.op == "send":
            sends[event.rank, event.peer, event.context, event.tag].append(i)
        elif event.op == "receive" and NOBODY not in (event.peer, event.tag):
            receives[event.peer, event.rank, event.context, event.tag].append(i)
    return {receive: send for key, own in receives.items() for receive, send in zip(own, sends[key])}


def started(ranks: int, events: Sequence[Event], sender: Mapping[int, int]) -> dict[int, int]:
    """Return when each operation begins.

    Where all ranks wait for ever, which no run that came to its end does, the first goes on without its message.
    """
    own: list[list[int]] = [[] for _ in range(ranks)]
    for i, event in enumerate(events):
        own[event.rank].append(i)
    nexts, clock, starts = [0] * ranks, [0] * ranks, dict[int, int]()

    def advance(r: int, force: bool) -> bool:
        """Begin what rank ``r`` can begin; return whether there was anything."""
        begun = nexts[r]
        while nexts[r] < len(own[r]):
            i = own[r][nexts[r]]
            waits = i in sender and events[i].call in BLOCKING
            if waits and sender[i] not in starts and not force:
                break
            force = False
            starts[i] = clock[r]
            come = starts.get(sender[i], 0) if waits else 0
            clock[r] = max(clock[r], come) + UNIT
            nexts[r] += 1
        return nexts[r] > begun

    while sum(advance(r, force=False) for r in range(ranks)) or any(advance(r, force=True) for r in range(ranks)):
        pass
    return starts


def span(i: int, events: Sequence[Event], starts: Mapping[int, int], sender: Mapping[int, int]) -> Span:
    """Return the slice of an operation; a receive lasts until its message has come."""
    event, start = events[i], starts[i]
    end = max(start, starts[sender[i]] if i in sender else 0) + UNIT
    peer = {} if event.peer == NOBODY else {"to" if event.op == "send" else "from": event.peer}
    step = {} if event.step is None else {"step": event.step}
    size = {"bytes": event.nbytes, "count": event.count, "dtype": event.dtype}
    told = {**step, **peer, **size, "tag": event.tag, "communicator": event.context, "at": event.where}
    return Span(event.rank, TRACK[event.op], event.call, start, end, told)
