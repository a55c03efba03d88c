"""Matches receives with messages: by communicator, source and tag, first come first served.

Where a receive names its source, MPI's rules leave nothing open and the two match as soon as both
are posted.  A receive from any source waits until the scheduler takes one of the ``open`` pairs;
what might be its message meets no later receive before.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import chain, count
from operator import attrgetter
from typing import Any

from sparring.world.core.constants import ANY_SOURCE, ANY_TAG
from sparring.world.core.operations import Incoming, Probe, Send

Key = tuple[int, int]  # source and tag, both possibly ANY in a receive
Pair = tuple[Incoming, Send]
by_age = attrgetter("sequence")


class Mailbox:
    """The unmatched messages to, and the unmatched receives of, one rank in one communicator.

    ``wild`` receives among them are from any source.
    """

    def __init__(self) -> None:
        self.sends: dict[int, dict[int, deque[Send]]] = {}  # by source and tag
        self.receives: dict[Key, deque[Incoming]] = {}
        self.wild = 0

    def add(self, operation: Send | Incoming) -> None:
        """Keep an operation that has met nothing yet."""
        if isinstance(operation, Send):
            self.sends.setdefault(operation.rank.number, {}).setdefault(operation.tag, deque()).append(operation)
        else:
            self.receives.setdefault((operation.source, operation.tag), deque()).append(operation)
            self.wild += operation.source == ANY_SOURCE

    def remove(self, receive: Incoming, send: Send) -> None:
        """Remove two operations that have met."""
        self.receives[receive.source, receive.tag].remove(receive)
        self.sends[send.rank.number][send.tag].remove(send)
        self.wild -= receive.source == ANY_SOURCE

    def waiting(self) -> list[Incoming]:
        """Return the receives, in the order of posting."""
        return sorted(chain(*self.receives.values()), key=by_age)

    def queues(self) -> Iterator[deque[Send]]:
        """Return the messages, by source and tag."""
        return chain.from_iterable(tags.values() for tags in self.sends.values())

    def oldest(self, source: int, tag: int) -> list[Send]:
        """Return the first message of each source that ``source`` and ``tag`` admit, the oldest of them first."""
        sources = self.sends if source == ANY_SOURCE else (source,)
        first = [send for s in sources if (send := self.first(s, tag))]
        return first if len(first) < 2 else sorted(first, key=by_age)

    def first(self, source: int, tag: int) -> Send | None:
        """Return the message from ``source`` that was posted first, of those that ``tag`` admits."""
        tags = self.sends.get(source, {})
        queues = tags.values() if tag == ANY_TAG else (tags.get(tag, ()),)
        oldest = [queue[0] for queue in queues if queue]
        return min(oldest, key=by_age, default=None) if len(oldest) != 1 else oldest[0]

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs that MPI's order allows: no earlier receive could take the message."""
        earlier: list[Incoming] = []
        for receive in self.waiting():
            for send in self.oldest(receive.source, receive.tag):
                if not any(r.admits(send) for r in earlier):
                    yield receive, send
            earlier.append(receive)


class Matching:
    """The mailboxes of all ranks and communicators."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[int, int], Mailbox] = defaultdict(Mailbox)  # by communicator and rank
        self._clock = count()

    def post_send(self, send: Send) -> list[Pair]:
        """Post ``send``, and return the pairs that meet now."""
        box = self._box(send.context, send.peer)
        send.sequence = next(self._clock)
        source = send.rank.number
        queues = [queue for tag in (send.tag, ANY_TAG) if (queue := box.receives.get((source, tag)))]
        if queues and not box.wild:
            queue = queues[0] if len(queues) == 1 else min(queues, key=lambda queue: queue[0].sequence)
            return [(queue.popleft(), send)]
        box.add(send)
        return self._forced(box) if box.wild else []

    def post_receive(self, receive: Incoming) -> list[Pair]:
        """Post ``receive``, and return the pairs that meet now."""
        box = self._box(receive.context, receive.rank.number)
        receive.sequence = next(self._clock)
        if not box.wild and receive.source != ANY_SOURCE and (send := box.first(receive.source, receive.tag)):
            return [(receive, box.sends[receive.source][send.tag].popleft())]
        box.add(receive)
        return self._forced(box) if box.wild else []

    def open(self) -> Iterator[Pair]:
        """Return the pairs of which a receive from any source may take one, the oldest message first."""
        wild = (pair for box in self._boxes.values() if box.wild for pair in box.pairs())
        yield from sorted((p for p in wild if p[0].source == ANY_SOURCE), key=lambda pair: pair[1].sequence)

    def awaited(self, send: Send) -> bool:
        """Return whether a receive waits that could take ``send``, which is not posted yet."""
        return any(receive.admits(send) for receive in self._box(send.context, send.peer).waiting())

    def take(self, receive: Incoming, send: Send) -> list[Pair]:
        """Let the two meet, and return them and the pairs that waited for that."""
        box = self._box(receive.context, receive.rank.number)
        box.remove(receive, send)
        return [(receive, send), *self._forced(box)]

    def visible(self, probe: Probe) -> list[Send]:
        """Return the messages that ``probe`` may find: no receive that waits already could take them."""
        box = self._box(probe.context, probe.rank.number)
        waiting = box.waiting()
        return [send for send in box.oldest(probe.source, probe.tag) if not any(r.admits(send) for r in waiting)]

    def withdraw(self, operation: Send | Incoming) -> list[Pair] | None:
        """Undo the posting of ``operation``, and return the pairs that meet then; None if it has met something."""
        sent = isinstance(operation, Send)
        box = self._box(operation.context, operation.peer if isinstance(operation, Send) else operation.rank.number)
        queues: Iterator[deque[Any]] = box.queues() if sent else iter(box.receives.values())
        queue = next((queue for queue in queues if operation in queue), None)
        if queue is None:
            return None
        queue.remove(operation)
        box.wild -= not isinstance(operation, Send) and operation.source == ANY_SOURCE
        return self._forced(box)

    def left(self) -> Iterator[Send | Incoming]:
        """Return all operations that are still unmatched."""
        for box in self._boxes.values():
            yield from chain(*box.queues(), *box.receives.values())

    def _forced(self, box: Mailbox) -> list[Pair]:
        """Return the pairs about which there is nothing to choose."""
        met = []
        while (pair := next((p for p in box.pairs() if p[0].source != ANY_SOURCE), None)) is not None:
            box.remove(*pair)
            met.append(pair)
        return met

    def _box(self, context: int, rank: int) -> Mailbox:
        return self._boxes[context, rank]
