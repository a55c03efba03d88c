"""Which receive gets which message: by communicator, source and tag, first come first served."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from sparring.proofs.world.constants import ANY_SOURCE, ANY_TAG
from sparring.proofs.world.operations import Incoming, Probe, Send

Key = tuple[int, int]  # source and tag, both possibly ANY in a receive


class Mailbox:
    """The unmatched messages to, and the unmatched receives and the probe of, one rank in one communicator."""

    def __init__(self) -> None:
        self.sends: dict[Key, deque[Send]] = {}
        self.receives: dict[Key, deque[Incoming]] = {}
        self.probe: Probe | None = None


class Matching:
    """All mailboxes.  ``choose`` decides between the messages of several sources where a receive names none."""

    def __init__(self, choose: Callable[[str, Sequence[Any]], Any]) -> None:
        self._boxes: dict[tuple[int, int], Mailbox] = {}
        self._choose = choose
        self._clock = count()

    def post_send(self, send: Send) -> Incoming | None:
        """What ``send`` meets: of the receives that admit it the one posted first, else the probe that waits."""
        box = self._box(send.context, send.peer)
        send.sequence = next(self._clock)
        source, tag = send.rank.number, send.tag
        keys = ((source, tag), (source, ANY_TAG), (ANY_SOURCE, tag), (ANY_SOURCE, ANY_TAG))
        queues = [q for key in keys if (q := box.receives.get(key))]
        if queues:
            return min(queues, key=lambda q: q[0].sequence).popleft()
        probe = box.probe if box.probe and box.probe.admits(send) else None
        if probe:
            box.probe = None
        if not (probe and probe.takes):
            box.sends.setdefault((source, tag), deque()).append(send)
        return probe

    def post_receive(self, receive: Incoming) -> Send | None:
        """The message that ``receive`` meets: of its source, the one posted first."""
        box = self._box(receive.context, receive.rank.number)
        receive.sequence = next(self._clock)
        queue = self._oldest(box, receive.source, receive.tag)
        if queue:
            return queue.popleft()
        box.receives.setdefault((receive.source, receive.tag), deque()).append(receive)
        return None

    def look(self, probe: Probe) -> Send | None:
        """The message that ``probe`` finds now."""
        queue = self._oldest(self._box(probe.context, probe.rank.number), probe.source, probe.tag)
        if not queue:
            return None
        return queue.popleft() if probe.takes else queue[0]

    def post_probe(self, probe: Probe) -> None:
        """``probe`` waits: there is no message for it yet."""
        self._box(probe.context, probe.rank.number).probe = probe

    def withdraw(self, operation: Send | Incoming) -> bool:
        """Whether ``operation`` was unmatched, and is now as if it had never been posted."""
        if isinstance(operation, Send):
            sends = self._box(operation.context, operation.peer).sends
            return _removed(sends.get((operation.rank.number, operation.tag)), operation)
        receives = self._box(operation.context, operation.rank.number).receives
        return _removed(receives.get((operation.source, operation.tag)), operation)

    def left(self) -> Iterator[Send | Incoming]:
        """Everything still unmatched."""
        for box in self._boxes.values():
            for sends in box.sends.values():
                yield from sends
            for receives in box.receives.values():
                yield from receives

    def _oldest(self, box: Mailbox, source: int, tag: int) -> deque[Send] | None:
        if source != ANY_SOURCE and tag != ANY_TAG:
            return box.sends.get((source, tag))
        first: dict[int, deque[Send]] = {}  # of each source, the queue with its oldest message
        for (s, t), queue in box.sends.items():
            if queue and source in (s, ANY_SOURCE) and tag in (t, ANY_TAG):
                first[s] = min(first.get(s, queue), queue, key=lambda q: q[0].sequence)
        queues = sorted(first.values(), key=lambda q: q[0].sequence)
        chosen: deque[Send] | None = self._choose("source", queues) if queues else None
        return chosen

    def _box(self, context: int, rank: int) -> Mailbox:
        return self._boxes.setdefault((context, rank), Mailbox())


def _removed(queue: deque[Any] | None, operation: Any) -> bool:
    if queue is None or operation not in queue:
        return False
    queue.remove(operation)
    return True
