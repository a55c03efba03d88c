"""Which receive gets which message: by communicator, source and tag, first come first served."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import count

from sparring.proofs.world.constants import ANY_SOURCE, ANY_TAG
from sparring.proofs.world.operations import Receive, Send

Key = tuple[int, int]  # source and tag, both possibly ANY in a receive


class Mailbox:
    """The unmatched messages to, and the unmatched receives of, one rank in one communicator."""

    def __init__(self) -> None:
        self.sends: dict[Key, deque[Send]] = {}
        self.receives: dict[Key, deque[Receive]] = {}


class Matching:
    """All mailboxes.  ``choose(n)`` decides between ``n`` sources where a receive names none."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        self._boxes: dict[tuple[int, int], Mailbox] = {}
        self._choose = choose
        self._clock = count()

    def post_send(self, send: Send) -> Receive | None:
        """The receive that ``send`` meets: among those that admit it, the one posted first."""
        box = self._box(send.context, send.peer)
        send.sequence = next(self._clock)
        source, tag = send.rank.number, send.tag
        keys = ((source, tag), (source, ANY_TAG), (ANY_SOURCE, tag), (ANY_SOURCE, ANY_TAG))
        queues = [q for key in keys if (q := box.receives.get(key))]
        if not queues:
            box.sends.setdefault((source, tag), deque()).append(send)
            return None
        return min(queues, key=lambda q: q[0].sequence).popleft()

    def post_receive(self, receive: Receive) -> Send | None:
        """The message that ``receive`` meets: of its source, the one posted first."""
        box = self._box(receive.context, receive.rank.number)
        receive.sequence = next(self._clock)
        queue = self._oldest(box, receive.source, receive.tag)
        if queue:
            return queue.popleft()
        box.receives.setdefault((receive.source, receive.tag), deque()).append(receive)
        return None

    def left(self) -> Iterator[Send | Receive]:
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
        return queues[self._choose(len(queues))] if queues else None

    def _box(self, context: int, rank: int) -> Mailbox:
        return self._boxes.setdefault((context, rank), Mailbox())
