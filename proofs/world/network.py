"""Messages between ranks: posted, checked, logged, matched, delivered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from sparring.proofs.core.terms import NEVER
from sparring.proofs.world.findings import Kind, Sent
from sparring.proofs.world.matching import Matching, Pair
from sparring.proofs.world.operations import Receive, Send
from sparring.proofs.world.ranks import Operation, World


class Network:
    """All messages of a world: ``log`` in the order of posting, the payloads too if ``record``.

    ``open`` holds the operations whose completion their ranks have not learnt of.
    """

    def __init__(self, world: World, record: bool) -> None:
        self.world, self.record = world, record
        self.matching = Matching()
        self._copied: dict[tuple[int, int, int], list[Send]] = defaultdict(list)
        self.log: list[Sent] = []
        self.open: dict[Operation, None] = {}

    def send(self, send: Send) -> None:
        """``send`` is under way."""
        self._check_terms(send)
        self._log(send)
        self._opened(send)
        self._met(self.matching.post_send(send))
        if send.standard and self.world.depth and not send.done:
            self._channel(send).append(send)
            self._copy(send)

    def receive(self, receive: Receive) -> None:
        """``receive`` waits for its message."""
        self._opened(receive)
        self._met(self.matching.post_receive(receive))

    def take(self, receive: Receive, send: Send) -> None:
        """Of the messages that ``receive``, which is from any source, may get, it gets that of ``send``."""
        self._met(self.matching.take(receive, send))

    def finish(self, operation: Operation) -> None:
        """The rank learns that ``operation`` is done."""
        self.open.pop(operation, None)
        operation.finish()

    def unmatched(self) -> Iterator[Send | Receive]:
        """The messages that nobody received, the receives that got none."""
        return self.matching.left()

    def _opened(self, operation: Operation) -> None:
        self.open[operation] = None
        self.world.events += 1

    def _met(self, pairs: Sequence[Pair]) -> None:
        for receive, send in pairs:
            send.check_untouched()
            receive.accept(send)
            if send in (channel := self._channel(send)):
                channel.remove(send)
                self._copy(send)
            if not send.done:
                self.world.complete(send)
            self.world.complete(receive)

    def _channel(self, send: Send) -> list[Send]:
        """The standard sends from its rank to its peer that no receive has met, where MPI copies some."""
        return self._copied[send.context, send.rank.number, send.peer]

    def _copy(self, send: Send) -> None:
        """As many sends of the channel as MPI has room for are complete."""
        for waiting in self._channel(send)[: self.world.depth]:
            if not waiting.done:
                self.world.complete(waiting)

    def _check_terms(self, send: Send) -> None:
        known = self.world.terms if send.buffer.dtype == np.int64 else None
        table = known or send.buffer.table
        at = table.check(np.frombuffer(send.payload, np.int64)) if table and send.payload else None
        if at is not None:
            send.fail(Kind.NO_TERM, f"rank {send.rank.number} sends no term at entry {at}, {send.where}: {NEVER}")

    def _log(self, send: Send) -> None:
        buffer = send.buffer
        payload = np.frombuffer(send.payload, buffer.dtype) if self.record else None
        where = (send.rank.number, send.peer, send.tag, send.context)
        size = (len(send.payload), buffer.count, buffer.dtype)
        self.log.append(Sent(len(self.log), *where, *size, send.where, payload))
