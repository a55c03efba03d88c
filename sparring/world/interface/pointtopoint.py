"""Sends and receives, as mpi4py spells them."""

from __future__ import annotations

from typing import Any

from sparring.world.core import operations
from sparring.world.core.buffers import Buffer, simple
from sparring.world.core.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sparring.world.core.findings import here
from sparring.world.core.leaks import makes
from sparring.world.core.objects import Thing
from sparring.world.core.ranks import Operation, finished
from sparring.world.interface.handle import Handle, valid_tag
from sparring.world.interface.requests import Prequest, Request
from sparring.world.interface.status import Status

SYNCHRONOUS = ("ssend", "issend", "ssend_init")
READY = ("rsend", "irsend", "rsend_init")
BUFFERED = ("bsend", "ibsend", "bsend_init")


class PointToPoint(Handle):
    """Blocking and nonblocking calls; ``Send`` and ``Isend`` are complete when the world's buffers say so.

    ``Rsend`` is as ``Send``, but for a finding where no receive waits for it.  Lower-case methods send objects.
    """

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        finished("Send", self._send("Send", buf, dest, tag))

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:
        finished("Ssend", self._send("Ssend", buf, dest, tag))

    def Bsend(self, buf: Any, dest: int, tag: int = 0) -> None:
        finished("Bsend", self._send("Bsend", buf, dest, tag))

    def Rsend(self, buf: Any, dest: int, tag: int = 0) -> None:
        finished("Rsend", self._send("Rsend", buf, dest, tag))

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Isend", buf, dest, tag))

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Issend", buf, dest, tag))

    def Ibsend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Ibsend", buf, dest, tag))

    def Irsend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("Irsend", buf, dest, tag))

    def Recv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> None:
        finished("Recv", self._receive("Recv", buf, source, tag), status)

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        return Request(self._receive("Irecv", buf, source, tag))

    @makes("persistent request")
    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        return self._persistent("Send_init", buf, dest, tag)

    @makes("persistent request")
    def Ssend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        return self._persistent("Ssend_init", buf, dest, tag)

    @makes("persistent request")
    def Bsend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        return self._persistent("Bsend_init", buf, dest, tag)

    @makes("persistent request")
    def Rsend_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        return self._persistent("Rsend_init", buf, dest, tag)

    @makes("persistent request")
    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:
        self._peer(source, "source")
        return Prequest(lambda: self._receive("Recv_init", buf, source, tag))

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
        self._exchange("Sendrecv", sendbuf, dest, sendtag, recvbuf, source, recvtag, status)

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        self._exchange("Sendrecv_replace", buf, dest, sendtag, buf, source, recvtag, status)

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        finished("send", self._send("send", obj, dest, tag))

    def ssend(self, obj: Any, dest: int, tag: int = 0) -> None:
        finished("ssend", self._send("ssend", obj, dest, tag))

    def bsend(self, obj: Any, dest: int, tag: int = 0) -> None:
        finished("bsend", self._send("bsend", obj, dest, tag))

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("isend", obj, dest, tag))

    def issend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("issend", obj, dest, tag))

    def ibsend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        return Request(self._send("ibsend", obj, dest, tag))

    def recv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Any:
        """Receive an object; ``buf``, which mpi4py fills with what arrives, is not looked at."""
        return finished("recv", self._receive("recv", buf, source, tag), status)

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        return Request(self._receive("irecv", buf, source, tag))

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        return self._exchange("sendrecv", sendobj, dest, sendtag, recvbuf, source, recvtag, status)

    def _exchange(
        self, call: str, give: Any, dest: int, sendtag: int, take: Any, source: int, recvtag: int, status: Status | None
    ) -> Any:
        """Send and receive; both buffers are looked at before anything is sent."""
        to, come = self._peer(dest, "dest"), self._peer(source, "source")
        message, place = _place(call, give, to, writable=False), _place(call, take, come, writable=True)
        send = self._post(call, message.copy() if call == "Sendrecv_replace" else message, to, sendtag)
        return finished(call, self._await(call, place, come, recvtag), status, send)

    def _persistent(self, call: str, buf: Any, dest: int, tag: int) -> Prequest:
        self._peer(dest, "dest")
        valid_tag(tag)
        return Prequest(lambda: self._send(call, buf, dest, tag))

    def _send(self, call: str, buf: Any, dest: int, tag: int) -> Operation:
        peer = self._peer(dest, "dest")
        return self._post(call, _place(call, buf, peer, writable=False), peer, tag)

    def _receive(self, call: str, buf: Any, source: int, tag: int) -> operations.Incoming:
        peer = self._peer(source, "source")
        return self._await(call, _place(call, buf, peer, writable=True), peer, tag)

    def _post(self, call: str, message: Any, peer: int, tag: int) -> Operation:
        rank = self._begin(call)
        send = operations.Send(rank, call, here(), self._context, peer, valid_tag(tag), message)
        if peer == PROC_NULL:
            send.done = True
        elif call.lower() in BUFFERED:
            held: Operation = rank.attached.send(send)
            return held
        else:
            send.standard, send.ready = call.lower() not in SYNCHRONOUS, call.lower() in READY
            rank.world.network.send(send)
        return send

    def _await(self, call: str, place: Any, peer: int, tag: int) -> operations.Incoming:
        rank = self._begin(call)
        who = (rank, call, here(), self._context, self._peers, peer, valid_tag(tag, ANY_TAG))
        receive: operations.Incoming
        receive = operations.ObjectReceive(*who) if isinstance(place, Thing) else operations.Receive(*who, place)
        if peer == ANY_SOURCE and len(self._peers) > 1:
            rank.world.leave_fragment(f"{call} from any source")
        if peer == PROC_NULL:
            receive.done = True
        else:
            rank.world.network.receive(receive)
        return receive


def _place(call: str, buf: Any, peer: int, *, writable: bool) -> Buffer | Thing:
    """Return the place that is sent or received into: lower-case calls send objects; PROC_NULL needs no memory."""
    if call.islower():
        return Thing(buf)
    return simple(bytearray() if peer == PROC_NULL else buf, writable)
