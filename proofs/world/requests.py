"""``MPI.Request`` and ``MPI.Status``: what a rank holds of an operation under way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.proofs.world.buffers import TYPES, Datatype
from sparring.proofs.world.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED, Named, unsupported
from sparring.proofs.world.findings import here
from sparring.proofs.world.operations import Receive
from sparring.proofs.world.ranks import Operation, Question, Rank
from sparring.proofs.world.scheduler import running


class Status:
    """What is known of a received message: ``source``, ``tag``, ``count`` in bytes."""

    def __init__(self) -> None:
        self.source, self.tag, self.count, self.error = ANY_SOURCE, ANY_TAG, 0, 0

    def Get_source(self) -> int:
        return self.source

    def Get_tag(self) -> int:
        return self.tag

    def Get_error(self) -> int:
        return self.error

    def Get_count(self, datatype: Datatype = TYPES["BYTE"]) -> int:
        """The entries of ``datatype`` received; UNDEFINED where the bytes are no multiple."""
        return UNDEFINED if self.count % datatype.size else self.count // datatype.size

    def __getattr__(self, name: str) -> Any:
        raise unsupported("Status", name)

    def _set(self, operation: Operation | None) -> None:
        self.source, self.tag, self.count = ANY_SOURCE, ANY_TAG, 0
        if isinstance(operation, Receive):
            if operation.message is None:
                self.source = PROC_NULL
            else:
                send = operation.message
                self.source, self.tag, self.count = send.rank.number, send.tag, len(send.payload)


class Request(metaclass=Named):
    """A handle on one operation; null once its completion was reported."""

    def __init__(self, operation: Operation | None = None) -> None:
        self._operation = operation

    def Wait(self, status: Status | None = None) -> bool:
        """Sleep until the operation is done."""
        _wait("Wait", [self])
        _finish(self, status)
        return True

    def Test(self, status: Status | None = None) -> bool:
        """Whether it is done; then it is as after Wait."""
        done = _test("Test", [self])
        if done:
            _finish(self, status)
        return done

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Sleep until all are done."""
        _wait("Waitall", requests)
        _finish_all(requests, statuses)
        return True

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Whether all are done; then they are as after Waitall."""
        done = _test("Testall", requests)
        if done:
            _finish_all(requests, statuses)
        return done

    @classmethod
    def Waitany(cls, requests: Sequence[Request], status: Status | None = None) -> int:
        """Sleep until one is done; its index, or UNDEFINED if all are null."""
        rank = _begin("Waitany", requests)

        def done() -> list[tuple[int, str]]:
            return [(i, str(i)) for i, q in enumerate(requests) if q._operation and q._operation.done]

        live = _live(requests)
        if not live:
            return UNDEFINED
        index: int = rank.world.ask(rank, Question("Waitany", here(), done), live)
        _finish(requests[index], status)
        return index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and (self is other or self._operation is other._operation is None)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._operation is not None

    def __getattr__(self, name: str) -> Any:
        raise unsupported("Request", name)


def _live(requests: Sequence[Request]) -> list[Operation]:
    return [q._operation for q in requests if q._operation]


def _begin(call: str, requests: Sequence[Request]) -> Rank:
    live = _live(requests)
    rank = live[0].rank if live else running()
    rank.world.begin(rank, call)
    return rank


def _wait(call: str, requests: Sequence[Request]) -> None:
    rank = _begin(call, requests)
    rank.world.sleep(rank, call, _live(requests))


def _test(call: str, requests: Sequence[Request]) -> bool:
    """Whether all are done, as far as MPI tells."""
    rank = _begin(call, requests)
    live = _live(requests)
    if not live:
        return True

    def done() -> list[tuple[bool, str]]:
        return [(True, "True")] if all(operation.done for operation in live) else []

    told: bool = rank.world.ask(rank, Question(call, here(), done, otherwise=False), live)
    return told


def _finish(request: Request, status: Status | None) -> None:
    operation, request._operation = request._operation, None
    if operation:
        operation.rank.world.network.finish(operation)
    if status is not None:
        status._set(operation)


def _finish_all(requests: Sequence[Request], statuses: list[Status] | None) -> None:
    """As mpi4py: a list of statuses grows to the number of requests."""
    if statuses is not None:
        statuses += [Status() for _ in requests[len(statuses) :]]
    for i, request in enumerate(requests):
        _finish(request, statuses[i] if statuses is not None else None)
