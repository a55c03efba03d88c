"""Buffered sends: they are complete at once, as long as there is room in the memory that the rank has attached."""

from __future__ import annotations

from typing import Any

from sparring.world.core.constants import BSEND_OVERHEAD, MPIException
from sparring.world.core.operations import Send
from sparring.world.core.ranks import Operation, Rank


class Attached:
    """The memory that one rank has attached, and the messages in it that nobody has received yet."""

    def __init__(self) -> None:
        self.memory: Any = None
        self.waiting: list[Send] = []

    def attach(self, memory: Any) -> None:
        """Attach the memory.  Raises MPIException if there is one already."""
        if self.memory is not None:
            raise MPIException("Attach_buffer: a buffer is attached already", "BUFFER")
        self.memory = memory

    def detach(self, rank: Rank) -> Any:
        """Wait until all messages have gone; return the memory, or None if there is none."""
        rank.world.begin(rank, "Detach_buffer")
        self.flush(rank, "Detach_buffer")
        memory, self.memory = self.memory, None
        return memory

    def flush(self, rank: Rank, call: str) -> None:
        """Wait until all messages have gone."""
        rank.world.sleep(rank, call, self.waiting)
        self.waiting.clear()

    def send(self, send: Send) -> Operation:
        """Begin ``send`` from a copy; the rank's own part in it is done.  Raises MPIException."""
        self.waiting = [other for other in self.waiting if not other.done]
        taken = sum(other.buffer.nbytes + BSEND_OVERHEAD for other in [*self.waiting, send])
        room = memoryview(self.memory).nbytes if self.memory is not None else 0
        if taken > room:
            raise MPIException(f"{send} ({send.where}): {taken} bytes are needed in a buffer that has {room}", "BUFFER")
        self.waiting.append(send)
        send.finished = True
        network = send.rank.world.network
        network.send(send)
        network.forget(send)
        held = Operation(send.rank, send.call, send.where)
        held.done = True
        return held
