"""``MPI.Message``: a message that a matched probe has taken out of the queue, and how it is received."""

from __future__ import annotations

from typing import Any

from sparring.world.core.buffers import simple
from sparring.world.core.constants import ANY_SOURCE, ANY_TAG, Local, MPIException
from sparring.world.core.findings import here
from sparring.world.core.operations import Incoming, ObjectReceive, Probe, Receive
from sparring.world.core.ranks import finished, running
from sparring.world.interface.requests import Request
from sparring.world.interface.status import Status


class Message(Local):
    """A message that ``probe`` found; null once its receive has begun.  ``nobody``: from PROC_NULL, ever again."""

    def __init__(self, probe: Probe | Message | None = None, *, nobody: bool = False) -> None:
        self._probe, self._nobody = probe, nobody
        if isinstance(probe, Message):
            self._probe, self._nobody = probe._probe, probe._nobody

    @classmethod
    def Probe(cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message:
        found: Message = comm.Mprobe(source, tag, status)
        return found

    @classmethod
    def Iprobe(
        cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message | None:
        found: Message | None = comm.Improbe(source, tag, status)
        return found

    probe, iprobe = Probe, Iprobe

    def Recv(self, buf: Any, status: Status | None = None) -> None:
        finished("Recv", self._receive("Recv", buf), status)

    def Irecv(self, buf: Any) -> Request:
        return Request(self._receive("Irecv", buf))

    def recv(self, status: Status | None = None) -> Any:
        return finished("recv", self._receive("recv"), status)

    def irecv(self) -> Request:
        return Request(self._receive("irecv"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self._probe, self._nobody) == (other._probe, other._nobody)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._nobody or self._probe is not None

    def _receive(self, call: str, buf: Any = None) -> Incoming:
        rank = running()
        rank.world.begin(rank, call)
        if not self:
            raise MPIException(f"{call} of a null message: it was received already", "REQUEST")
        probe, self._probe = self._probe, None
        place = (probe.context, probe.group, probe.source, probe.tag) if probe else (0, (), ANY_SOURCE, ANY_TAG)
        receive: Incoming = (
            ObjectReceive(rank, call, here(), *place)
            if call.islower()
            else Receive(rank, call, here(), *place, simple(b"" if self._nobody else buf, writable=not self._nobody))
        )
        if probe and probe.message:
            rank.world.network.opened(receive)
            rank.world.network.match(probe.message, receive)
        else:
            receive.done = True
        return receive
