"""Sends and receives, as mpi4py spells them."""

from __future__ import annotations

from typing import Any

from sparring.proofs.world import operations
from sparring.proofs.world.buffers import simple
from sparring.proofs.world.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sparring.proofs.world.findings import here
from sparring.proofs.world.handle import Handle, valid_tag
from sparring.proofs.world.ranks import Operation
from sparring.proofs.world.requests import Request, Status


class PointToPoint(Handle):
    """Blocking and nonblocking; ``Send`` and ``Isend`` are complete when the world's buffers say so."""

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        self._finish("Send", self._send("Send", buf, dest, tag))

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:
        self._finish("Ssend", self._send("Ssend", buf, dest, tag))

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Isend", buf, dest, tag))

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Issend", buf, dest, tag))

    def Recv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> None:
        receive = self._receive("Recv", buf, source, tag)
        self._finish("Recv", receive)
        if status is not None:
            status._set(receive)

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        return Request(self._receive("Irecv", buf, source, tag))

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        send = self._send("Sendrecv", sendbuf, dest, sendtag)
        receive = self._receive("Sendrecv", recvbuf, source, recvtag)
        self._finish("Sendrecv", send, receive)
        if status is not None:
            status._set(receive)

    def _send(self, call: str, buf: Any, dest: int, tag: int) -> operations.Send:
        rank, peer = self._begin(call), self._peer(dest, "dest")
        buffer = simple(b"" if peer == PROC_NULL and buf is None else buf)
        send = operations.Send(rank, call, here(), self._context, peer, valid_tag(tag), buffer)
        if peer == PROC_NULL:
            send.done = True
        else:
            rank.world.network.send(send)
        return send

    def _receive(self, call: str, buf: Any, source: int, tag: int) -> operations.Receive:
        rank, peer = self._begin(call), self._peer(source, "source")
        buffer = simple(bytearray() if peer == PROC_NULL and buf is None else buf, writable=True)
        receive = operations.Receive(rank, call, here(), self._context, peer, valid_tag(tag, ANY_TAG), buffer)
        if peer == ANY_SOURCE and rank.world.p > 1:
            rank.world.leave_fragment(f"{call} from any source")
        if peer == PROC_NULL:
            receive.done = True
        else:
            rank.world.network.receive(receive)
        return receive

    def _finish(self, call: str, *pending: Operation) -> None:
        rank = self._alive()
        rank.world.sleep(rank, call, pending)
        for operation in pending:
            rank.world.network.finish(operation)
