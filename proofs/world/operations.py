"""A send and a receive, from posting to completion, with what may go wrong between."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.world.buffers import Buffer
from sparring.proofs.world.constants import ANY_SOURCE
from sparring.proofs.world.findings import Kind
from sparring.proofs.world.ranks import Operation, Rank


class Send(Operation):
    """A message on its way to ``peer``: the payload as it was when the send was posted.

    ``standard``: MPI may copy the payload, and the send is complete before it is received.
    """

    __slots__ = ("buffer", "context", "finished", "payload", "peer", "sequence", "standard", "tag")

    def __init__(self, rank: Rank, call: str, where: str, context: int, peer: int, tag: int, buffer: Buffer) -> None:
        super().__init__(rank, call, where)
        self.context, self.peer, self.tag, self.buffer = context, peer, tag, buffer
        self.payload = buffer.memory.tobytes()
        self.finished = False
        self.standard = call not in ("Ssend", "Issend")
        self.sequence = 0

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
        """While the send is under way its buffer belongs to MPI."""
        if not self.finished and self.buffer.memory.tobytes() != self.payload:
            text = f"rank {self.rank.number} changed the buffer of its {self} before it was complete ({self.where})"
            self.fail(Kind.TOUCHED, text)


class Receive(Operation):
    """A receive, and later the send that it matched.

    Until its completion is learnt of, the buffer holds poison: NaNs, or a pattern that is no
    term.  What arrives is written then, and not before: MPI may do so at any time between.
    """

    __slots__ = ("before", "buffer", "context", "message", "poison", "sequence", "source", "tag")

    def __init__(self, rank: Rank, call: str, where: str, context: int, source: int, tag: int, buffer: Buffer) -> None:
        super().__init__(rank, call, where)
        self.context, self.source, self.tag, self.buffer = context, source, tag, buffer
        self.message: Send | None = None
        self.sequence = 0
        self.before = buffer.memory.tobytes()
        self.poison = (b"\xff" if buffer.dtype.kind in "fc" else b"\xa5") * len(self.before)
        buffer.memory[:] = self.poison

    def __str__(self) -> str:
        return f"{self.call} from {'any rank' if self.source == ANY_SOURCE else f'rank {self.source}'}"

    def peers(self) -> Sequence[int]:
        others = [r for r in range(self.rank.world.p) if r != self.rank.number]
        return others if self.source == ANY_SOURCE else (self.source,)

    def waits_for(self, peer: int) -> str:
        return f"{self}, rank {peer} among them" if self.source == ANY_SOURCE else str(self)

    def finish(self) -> None:
        if self.buffer.memory.tobytes() != self.poison:
            text = f"rank {self.rank.number} wrote to the buffer of its {self} before it was complete ({self.where})"
            self.fail(Kind.TOUCHED, text)
        payload = self.message.payload if self.message else b""
        self.buffer.memory[:] = payload + self.before[len(payload) :]

    def accept(self, send: Send) -> None:
        """Match ``send``; the buffer must be long enough and of the same type."""
        self.message = send
        if send.buffer.count and send.buffer.dtype != self.buffer.dtype:
            self.fail(Kind.DATATYPE, f"{self._met(send)} as {self.buffer.dtype} ({self.where})")
        if len(send.payload) > len(self.before):
            self.fail(Kind.TRUNCATED, f"{self._met(send)} into {self.buffer} ({self.where})")

    def _met(self, send: Send) -> str:
        sent = f"{send.buffer} that rank {send.rank.number} sent ({send.where})"
        return f"rank {self.rank.number} receives {sent}"
