"""Messages between ranks: posted, checked, logged, matched, delivered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.proofs.logic.terms import NEVER
from sparring.world.core.buffers import Buffer, simple
from sparring.world.core.findings import Kind, Sent
from sparring.world.core.matching import Matching, Pair
from sparring.world.core.objects import Thing
from sparring.world.core.operations import Incoming, Send
from sparring.world.core.ranks import Operation

if TYPE_CHECKING:
    from sparring.world.core.scheduler import Scheduler as World


class Network:
    """All messages of a world: ``log`` in the order of posting, the payloads too if ``record``.

    ``open`` holds the operations whose completion their ranks have not learnt of.
    """

    def __init__(self, world: World, record: bool) -> None:
        self.world, self.record = world, record
        self.matching = Matching()
        self._copied: dict[tuple[int, int, int], list[Send]] = defaultdict(list)
        self.log: list[Sent] = []
        self.received = 0
        self.open: dict[Operation, None] = {}

    def send(self, send: Send) -> None:
        """Put ``send`` under way."""
        self._check_terms(send)
        if send.ready and not self.matching.awaited(send):
            send.fail(Kind.UNREADY, f"rank {send.rank.number} calls {send} before that one waits for it ({send.where})")
        self._log(send)
        self.opened(send)
        self._met(self.matching.post_send(send))
        if send.standard and self.world.depth and not send.done:
            self._channel(send).append(send)
            self._copy(send)

    def receive(self, receive: Incoming) -> None:
        """Let ``receive`` wait for its message."""
        self.opened(receive)
        self._met(self.matching.post_receive(receive))

    def take(self, receive: Incoming, send: Send) -> None:
        """Give ``receive``, which is from any source, the message of ``send``."""
        self._met(self.matching.take(receive, send))

    def hold(self, send: Send) -> None:
        """Keep this message, which a probe found, for a receive of its own."""
        self._met(self.matching.withdraw(send) or [])

    def opened(self, operation: Operation) -> None:
        """Put ``operation`` under way."""
        self.open[operation] = None
        self.world.events += 1

    def match(self, send: Send, receive: Incoming) -> None:
        """Give ``receive`` the message of ``send``."""
        send.check_untouched()
        receive.accept(send)
        if send in (channel := self._channel(send)):
            channel.remove(send)
            self._copy(send)
        if not send.done:
            self.world.complete(send)
        self.world.complete(receive)

    def finish(self, operation: Operation) -> None:
        """Tell the rank that ``operation`` is done."""
        self.open.pop(operation, None)
        operation.finish()
        if isinstance(operation, Incoming) and operation.message:
            self._learnt(operation.message)

    def forget(self, operation: Operation) -> None:
        """Let ``operation`` go on by itself: its rank does not want to learn when it is done."""
        self.open.pop(operation, None)

    def cancel(self, operation: Send | Incoming) -> None:
        """Complete the operation without a message, unless it has met one."""
        pairs = self.matching.withdraw(operation)
        if pairs is not None:
            operation.cancelled = True
            self.world.complete(operation)
            self._met(pairs)

    def unmatched(self) -> Iterator[Send | Incoming]:
        """Return the messages that nobody received, and the receives that got none."""
        return self.matching.left()

    def _met(self, pairs: Sequence[Pair]) -> None:
        for receive, send in pairs:
            self.match(send, receive)

    def _channel(self, send: Send) -> list[Send]:
        """Return the standard sends on the channel of ``send`` that no receive has met, where MPI copies some."""
        return self._copied[send.context, send.rank.number, send.peer]

    def _copy(self, send: Send) -> None:
        """Complete as many sends of the channel as MPI has room for."""
        for waiting in self._channel(send)[: self.world.depth]:
            if not waiting.done:
                self.world.complete(waiting)

    def _check_terms(self, send: Send) -> None:
        known = self.world.terms if send.buffer.dtype == np.int64 else None
        table = known or send.buffer.table
        at = table.check(memoryview(send.payload).cast("q").tolist()) if table and send.payload else None
        if at is not None:
            send.fail(Kind.NO_TERM, f"rank {send.rank.number} sends no term at entry {at}, {send.where}: {NEVER}")

    def _learnt(self, send: Send) -> None:
        """Note that the receiver knows of the message; one that a probe found counts once."""
        if send.logged and send.logged.received is None:
            send.logged.received = len(self.log), self.received
            self.received += 1

    def _log(self, send: Send) -> None:
        where = (send.rank.number, send.peer, send.tag, send.context)
        shown: Buffer | Thing = send.buffer
        if isinstance(send.payload, np.ndarray) and not send.payload.dtype.hasobject:
            shown = simple(np.ascontiguousarray(send.payload))  # an array counts by its entries however it travels
        size = (shown.nbytes, shown.count, shown.dtype)
        payload = _content(shown) if self.record else None
        send.logged = Sent(len(self.log), *where, *size, send.where, payload)
        self.log.append(send.logged)


def _content(shown: Buffer | Thing) -> np.ndarray[Any, Any]:
    """Return a copy of the entries; of an object there are no bytes."""
    return np.frombuffer(shown.read(), shown.dtype) if isinstance(shown, Buffer) else np.empty(0, np.uint8)
