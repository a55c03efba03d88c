"""Messages between ranks: posted, checked, logged, matched, delivered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparring.proofs.core.terms import NEVER
from sparring.proofs.world.buffers import Buffer, simple
from sparring.proofs.world.findings import Kind, Sent
from sparring.proofs.world.matching import Matching
from sparring.proofs.world.objects import Thing
from sparring.proofs.world.operations import Incoming, Probe, Send
from sparring.proofs.world.ranks import Operation, World


class Network:
    """All messages of a world: ``log`` in the order of posting, the payloads too if ``record``.

    ``open`` holds the operations whose completion their ranks have not learnt of.
    """

    def __init__(self, world: World, record: bool) -> None:
        self.world, self.record = world, record
        self.matching = Matching(world.choose)
        self.log: list[Sent] = []
        self.open: dict[Operation, None] = {}

    def send(self, send: Send, *, eager: bool) -> None:
        """``send`` is under way; if ``eager`` it does not wait for its receive."""
        self._check_terms(send)
        self._log(send)
        self.opened(send)
        met = self.matching.post_send(send)
        if isinstance(met, Probe):
            self._found(send, met)
        elif met is not None:
            self.match(send, met)
        if eager and not send.done:
            self.world.complete(send)

    def receive(self, receive: Incoming) -> None:
        """``receive`` waits for its message."""
        self.opened(receive)
        send = self.matching.post_receive(receive)
        if send is not None:
            self.match(send, receive)

    def look(self, probe: Probe) -> bool:
        """Whether there is a message for ``probe`` now."""
        send = self.matching.look(probe)
        if send is not None:
            self._found(send, probe)
        return send is not None

    def opened(self, operation: Operation) -> None:
        """``operation`` is under way."""
        self.open[operation] = None
        self.world.stalled = 0

    def match(self, send: Send, receive: Incoming) -> None:
        """``receive`` gets ``send``."""
        send.check_untouched()
        receive.accept(send)
        if not send.done:
            self.world.complete(send)
        self.world.complete(receive)

    def finish(self, operation: Operation) -> None:
        """The rank learns that ``operation`` is done."""
        self.open.pop(operation, None)
        operation.finish()

    def forget(self, operation: Operation) -> None:
        """The rank does not want to learn when ``operation`` is done; it goes on by itself."""
        self.open.pop(operation, None)

    def cancel(self, operation: Send | Incoming) -> None:
        """It is done without a message, unless it has met one."""
        if self.matching.withdraw(operation):
            operation.cancelled = True
            self.world.complete(operation)

    def unmatched(self) -> Iterator[Send | Incoming]:
        """The messages that nobody received, the receives that got none."""
        return self.matching.left()

    def _found(self, send: Send, probe: Probe) -> None:
        probe.message = send
        self.world.complete(probe)

    def _check_terms(self, send: Send) -> None:
        known = self.world.terms if send.buffer.dtype == np.int64 else None
        table = known or send.buffer.table
        at = table.check(np.frombuffer(send.payload, np.int64)) if table and send.payload else None
        if at is not None:
            send.fail(Kind.NO_TERM, f"rank {send.rank.number} sends no term at entry {at}, {send.where}: {NEVER}")

    def _log(self, send: Send) -> None:
        where = (send.rank.number, send.peer, send.tag, send.context)
        shown: Buffer | Thing = send.buffer
        if isinstance(send.payload, np.ndarray) and not send.payload.dtype.hasobject:
            shown = simple(np.ascontiguousarray(send.payload))  # an array counts by its entries however it travels
        size = (shown.nbytes, shown.count, shown.dtype)
        self.log.append(Sent(len(self.log), *where, *size, send.where, _content(shown) if self.record else None))


def _content(shown: Buffer | Thing) -> np.ndarray[Any, Any]:
    """A copy of the entries; of an object there are no bytes."""
    return np.frombuffer(shown.read(), shown.dtype) if isinstance(shown, Buffer) else np.empty(0, np.uint8)
