"""A send, a receive and a probe, from posting to completion, with what may go wrong between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.world.core.buffers import Buffer
from sparring.world.core.constants import ANY_SOURCE, ANY_TAG
from sparring.world.core.findings import Kind, Sent
from sparring.world.core.objects import Thing
from sparring.world.core.ranks import Operation, Rank

Group = Sequence[int]
"""A communicator's ranks, by their numbers in the world."""


class Send(Operation):
    """A message on its way to ``peer``: the payload as it was when the send was posted.

    ``standard``: MPI may copy the payload, and the send is complete before it is received.  ``ready``: its receive must
    wait already.  ``logged``: its line in the network's log.
    """

    __slots__ = ("buffer", "context", "finished", "logged", "payload", "peer", "ready", "sequence", "standard", "tag")

    def __init__(
        self, rank: Rank, call: str, where: str, context: int, peer: int, tag: int, buffer: Buffer | Thing
    ) -> None:
        super().__init__(rank, call, where)
        self.context, self.peer, self.tag, self.buffer = context, peer, tag, buffer
        self.payload: Any = buffer.read()
        self.finished = isinstance(buffer, Thing)  # an object may be changed at once: what travels is a copy
        self.sequence = 0
        self.standard = self.ready = False
        self.logged: Sent | None = None

    def __str__(self) -> str:
        return f"{self.call} to rank {self.peer}"

    def peers(self) -> Sequence[int]:
        return (self.peer,)

    def waits_for(self, peer: int) -> str:
        return str(self)

    def finish(self) -> None:
        self.check_untouched()
        self.finished = True

    def check_untouched(self) -> None:
        """Check that the buffer is unchanged: while the send is under way it belongs to MPI."""
        if not self.finished and self.buffer.read() != self.payload:
            text = f"rank {self.rank.number} changed the buffer of its {self} before it was complete ({self.where})"
            self.fail(Kind.TOUCHED, text)


class Incoming(Operation):
    """An operation that waits for a message from ``source``, a rank or ANY_SOURCE, of those in ``group``."""

    __slots__ = ("context", "group", "message", "sequence", "source", "tag")

    def __init__(self, rank: Rank, call: str, where: str, context: int, group: Group, source: int, tag: int) -> None:
        super().__init__(rank, call, where)
        self.context, self.group, self.source, self.tag = context, group, source, tag
        self.message: Send | None = None
        self.sequence = 0

    def __str__(self) -> str:
        return f"{self.call} from {'any rank' if self.source == ANY_SOURCE else f'rank {self.source}'}"

    def peers(self) -> Sequence[int]:
        others = [r for r in self.group if r != self.rank.number]
        return (others or self.group) if self.source == ANY_SOURCE else (self.source,)

    def waits_for(self, peer: int) -> str:
        return f"{self}, rank {peer} among them" if self.source == ANY_SOURCE else str(self)

    def admits(self, send: Send) -> bool:
        """Return whether it asks for this message."""
        return self.source in (send.rank.number, ANY_SOURCE) and self.tag in (send.tag, ANY_TAG)

    def accept(self, send: Send) -> None:
        """Take this message."""
        self.message = send

    def _met(self, send: Send) -> str:
        sent = f"{send.buffer} that rank {send.rank.number} sent ({send.where})"
        return f"rank {self.rank.number} receives {sent}"


class Probe(Incoming):
    """An operation that waits until there is a message; ``takes``: and keeps it from all other receives."""

    __slots__ = ("takes",)
    takes: bool


class Receive(Incoming):
    """A receive into memory, and later the send that it matched.

    Until its completion is learnt of, the buffer holds poison: NaNs, or a pattern that is no
    term.  What arrives is written then, and not before: MPI may do so at any time between.
    """

    __slots__ = ("before", "buffer", "poison")

    def __init__(
        self, rank: Rank, call: str, where: str, context: int, group: Group, source: int, tag: int, buffer: Buffer
    ) -> None:
        super().__init__(rank, call, where, context, group, source, tag)
        self.buffer = buffer
        self.before = buffer.read()
        self.poison = poisoned(buffer)

    def finish(self) -> None:
        if self.buffer.read() != self.poison:
            text = f"rank {self.rank.number} wrote to the buffer of its {self} before it was complete ({self.where})"
            self.fail(Kind.TOUCHED, text)
        payload = self.message.payload if self.message else b""
        self.buffer.write(payload + self.before[len(payload) :])

    def accept(self, send: Send) -> None:
        """Match ``send``; the buffer must be long enough and of the same type."""
        self.message = send
        if send.buffer.count and send.buffer.dtype != self.buffer.dtype:
            self.fail(Kind.DATATYPE, f"{self._met(send)} as {self.buffer.dtype} ({self.where})")
        if send.buffer.nbytes > len(self.before):
            self.fail(Kind.TRUNCATED, f"{self._met(send)} into {self.buffer} ({self.where})")


class ObjectReceive(Incoming):
    """A receive of an object, which is the rank's ``result`` once it is complete; None for empty memory."""

    __slots__ = ()

    def finish(self) -> None:
        if self.message and isinstance(self.message.buffer, Thing):
            thing = Thing()
            thing.write(self.message.payload)
            self.result = thing.value

    def accept(self, send: Send) -> None:
        self.message = send
        if not isinstance(send.buffer, Thing) and send.buffer.nbytes:
            self.fail(Kind.DATATYPE, f"{self._met(send)} as an object ({self.where})")


def poisoned(buffer: Buffer) -> bytes:
    """Overwrite ``buffer`` with what no rank may use, and return it."""
    poison = (b"\xff" if buffer.dtype.kind in "fc" else b"\xa5") * buffer.nbytes
    buffer.write(poison)
    return poison
