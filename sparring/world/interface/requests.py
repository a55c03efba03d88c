"""``MPI.Request`` and ``MPI.Prequest``: what a rank holds of an operation under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from sparring.world.core.constants import UNDEFINED, Local, MPIException, Unsupported
from sparring.world.core.findings import here
from sparring.world.core.leaks import end
from sparring.world.core.operations import Incoming, Send
from sparring.world.core.ranks import Operation, Question, Rank, running
from sparring.world.interface.status import Status

Requests = Sequence["Request"]
Answer = Sequence[tuple[Any, str, Sequence[Operation]]]
Answers = Callable[[Requests], Answer]
Statuses = Sequence[Status] | None
FEW = 4  # requests that are done, of which Waitsome may tell any


class Request(Local):
    """A handle on one operation; null once its completion was reported.

    The lower-case forms are as the others and give what was received, None for what is no object.
    """

    def __init__(self, request: Operation | Request | None = None) -> None:
        self._operation: Operation | None = request._operation if isinstance(request, Request) else request
        self._free = False

    def Wait(self, status: Status | None = None) -> bool:
        """Sleep until the operation is done."""
        self.wait(status)
        return True

    def wait(self, status: Status | None = None) -> Any:
        """Wait, and return what was received."""
        if operation := self._operation:
            operation.rank.world.begin(operation.rank, "Wait")
            operation.rank.world.sleep(operation.rank, "Wait", (operation,))
        else:
            _begin("Wait", ())
        return _finish(self, status)

    def Test(self, status: Status | None = None) -> bool:
        """Return whether it is done; then it is as after Wait."""
        return self.test(status)[0]

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Test, and return what was received."""
        done = _test("Test", [self])
        return done, _finish(self, status) if done else None

    def Get_status(self, status: Status | None = None) -> bool:
        """Return whether it is done; the request stays as it is."""
        done = _test("Get_status", [self])
        if done and status is not None:
            status._set(self._operation)
        return done

    get_status = Get_status

    @classmethod
    def Waitall(cls, requests: Requests, statuses: Statuses = None) -> bool:
        """Sleep until all are done."""
        cls.waitall(requests, statuses)
        return True

    @classmethod
    def waitall(cls, requests: Requests, statuses: Statuses = None) -> list[Any]:
        """Wait for all, and return what was received."""
        _wait("Waitall", requests)
        return _finish_all(requests, statuses)

    @classmethod
    def Testall(cls, requests: Requests, statuses: Statuses = None) -> bool:
        """Return whether all are done; then they are as after Waitall."""
        return cls.testall(requests, statuses)[0]

    @classmethod
    def testall(cls, requests: Requests, statuses: Statuses = None) -> tuple[bool, list[Any] | None]:
        """Test all, and return what was received."""
        done = _test("Testall", requests)
        return done, _finish_all(requests, statuses) if done else None

    @classmethod
    def Waitany(cls, requests: Requests, status: Status | None = None) -> int:
        """Sleep until one is done, and return its index, or UNDEFINED if all are null."""
        return cls.waitany(requests, status)[0]

    @classmethod
    def waitany(cls, requests: Requests, status: Status | None = None) -> tuple[int, Any]:
        """Wait for one, and return what was received."""
        return _finish_one(_asked("Waitany", requests, _each), requests, status)

    @classmethod
    def Testany(cls, requests: Requests, status: Status | None = None) -> tuple[int, bool]:
        """Return the index of one that is done, if one is; or UNDEFINED."""
        return cls.testany(requests, status)[:2]

    @classmethod
    def testany(cls, requests: Requests, status: Status | None = None) -> tuple[int, bool, Any]:
        """Test for one, and return what was received."""
        told = _asked("Testany", requests, _each, UNDEFINED)
        if told == UNDEFINED:
            return UNDEFINED, False, None
        index, message = _finish_one(told, requests, status)
        return index, True, message

    @classmethod
    def Waitsome(cls, requests: Requests, statuses: Statuses = None) -> list[int] | None:
        """Sleep until one is done, and return the indices of all that are, or None if all are null."""
        return cls.waitsome(requests, statuses)[0]

    @classmethod
    def waitsome(cls, requests: Requests, statuses: Statuses = None) -> tuple[list[int] | None, list[Any] | None]:
        """Wait for some, and return what was received."""
        return _finish_some(_asked("Waitsome", requests, _some), requests, statuses)

    @classmethod
    def Testsome(cls, requests: Requests, statuses: Statuses = None) -> list[int] | None:
        """Return the indices of all that are done, or None if all are null."""
        return cls.testsome(requests, statuses)[0]

    @classmethod
    def testsome(cls, requests: Requests, statuses: Statuses = None) -> tuple[list[int] | None, list[Any] | None]:
        """Test for some, and return what was received."""
        return _finish_some(_asked("Testsome", requests, _some, ()), requests, statuses)

    def Cancel(self) -> None:
        """Complete the operation without a message, unless it has met one; a Wait or a Free must follow."""
        rank, _ = _begin("Cancel", [self])
        rank.world.leave_fragment("Cancel")
        if self._operation is None:
            raise MPIException("Cancel of a request that is null or was not started", "REQUEST")
        if not isinstance(self._operation, Send | Incoming):
            raise Unsupported("Request.Cancel of a collective operation")
        operation = self._operation
        question = Question("Cancel", here(), lambda: [(True, "when nobody else can go on", (operation,))])
        rank.world.ask(rank, question, [operation])
        rank.world.network.cancel(operation)

    cancel = Cancel

    def Free(self) -> None:
        """Free the request; the operation goes on, and nobody will learn when it is done."""
        if not self:
            raise MPIException("Free of a null request", "REQUEST")
        if self._operation:
            _begin("Free", [self])[0].world.network.forget(self._operation)
        self._operation, self._free = None, True
        end(self)

    def free(self) -> None:
        """Free the request, unless it is null."""
        if self:
            self.Free()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Request) or not (self and other):
            return isinstance(other, Request) and not self and not other
        return bool(self._what() == other._what())

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._operation is not None

    def _what(self) -> Any:
        return self._operation


class Prequest(Request):
    """A request whose operation ``start`` begins again and again; between, it is inactive."""

    def __init__(self, start: Callable[[], Operation] | Prequest) -> None:
        super().__init__(start if isinstance(start, Prequest) else None)
        self._start: Callable[[], Operation] = start._start if isinstance(start, Prequest) else start

    def Start(self) -> None:
        """Begin the operation."""
        if self._operation or self._free:
            raise MPIException("Start of a request that is " + ("null" if self._free else "active"), "REQUEST")
        self._operation = self._start()

    @classmethod
    def Startall(cls, requests: list[Prequest]) -> None:
        for request in requests:
            request.Start()

    def __bool__(self) -> bool:
        return not self._free

    def _what(self) -> Any:
        return self._start


def _live(requests: Requests) -> list[Operation]:
    return [q._operation for q in requests if q._operation]


def _begin(call: str, requests: Requests) -> tuple[Rank, list[Operation]]:
    """Begin a call of the rank about those of the requests that are active."""
    live = _live(requests)
    rank = live[0].rank if live else running()
    rank.world.begin(rank, call)
    return rank, live


def _wait(call: str, requests: Requests) -> None:
    rank, live = _begin(call, requests)
    rank.world.sleep(rank, call, live)


def _asked(call: str, requests: Requests, answers: Answers, otherwise: Any = None) -> Any:
    """Return what MPI answers about those of ``requests`` that are active; None if none is."""
    rank, live = _begin(call, requests)
    if not live:
        return None
    rank.world.leave_fragment(call)
    return rank.world.ask(rank, Question(call, here(), lambda: answers(requests), otherwise), live)


def _test(call: str, requests: Requests) -> bool:
    """Return whether all are done, as far as MPI tells."""
    return _asked(call, requests, _all, otherwise=False) is not False


def _all(requests: Requests) -> Answer:
    done = all(operation.done for operation in _live(requests))
    return [(True, "True", ())] if done else []


def _each(requests: Requests) -> Answer:
    return [(i, str(i), ()) for i in _done(requests)]


def _some(requests: Requests) -> Answer:
    """Return all that are done, or fewer; of more than ``FEW`` all, or one."""
    done = _done(requests)
    sizes = range(len(done), 0, -1) if len(done) <= FEW else (len(done), 1)
    return [(chosen, str([*chosen]), ()) for size in sizes for chosen in combinations(done, size)]


def _done(requests: Requests) -> list[int]:
    return [i for i, q in enumerate(requests) if q._operation and q._operation.done]


def _finish(request: Request, status: Status | None) -> Any:
    operation, request._operation = request._operation, None
    if operation:
        operation.rank.world.network.finish(operation)
    if status is not None:
        status._set(operation)
    return operation.result if operation else None


def _finish_one(index: int | None, requests: Requests, status: Status | None) -> tuple[int, Any]:
    if index is None:
        if status is not None:
            status._set(None)
        return UNDEFINED, None
    return index, _finish(requests[index], status)


def _finish_some(
    done: Sequence[int] | None, requests: Requests, statuses: Statuses
) -> tuple[list[int] | None, list[Any] | None]:
    if done is None:
        return None, None
    return [*done], _finish_all([requests[i] for i in done], statuses)


def _finish_all(requests: Requests, statuses: Statuses) -> list[Any]:
    """Finish all, as mpi4py: a list of statuses, but no other sequence, grows to the number of requests."""
    if isinstance(statuses, list):
        statuses += [Status() for _ in requests[len(statuses) :]]
    told = [*(statuses or ()), *[None] * len(requests)]
    return [_finish(request, status) for request, status in zip(requests, told)]
