"""The world: its ranks, each a greenlet, and who sleeps until what.

Exactly one rank runs at a time.  A rank that has to wait switches to the *hub*, the greenlet
that started the world, which wakes the next one; every choice is the schedule's.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from greenlet import GreenletExit, getcurrent, greenlet

from sparring.errors import InputError
from sparring.proofs.core.terms import NEVER, NoTerm, Table
from sparring.proofs.world import waits
from sparring.proofs.world.constants import MPIException, Unsupported
from sparring.proofs.world.findings import HERE, Called, Finding, Kind, Outcome, Sent, here, raised_at
from sparring.proofs.world.matching import Matching
from sparring.proofs.world.operations import Operation, Receive, Send
from sparring.proofs.world.schedules import Schedule

PATIENCE = 1000  # fruitless tests per rank, in a row, before a world that only tests counts as stuck
OBJECTIONS = 100  # MPI calls that a rank may still make, in vain, after the end
undead: list[greenlet] = []  # ranks that refused to end: kept asleep, since collecting them would wake them


class NoTarget(InputError):
    """There is nothing of that name to run."""


class Wait(NamedTuple):
    """What a sleeping rank waits for, and in which call."""

    call: str
    operations: Sequence[Operation]


class Rank:
    """One process: its number, its greenlet, and what MPI keeps for it."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.greenlet = greenlet(self._live, world.hub)
        self.result: Any = None
        self.wait: Wait | None = None
        self.needs = 0  # operations still to be done before it can go on
        self.objections = 0
        self.keyvals: dict[int, Any] = {}
        self.world_comm: Any = None

    def _live(self, main: Callable[[Rank], Any]) -> None:
        try:
            self.result = main(self)
        except (GreenletExit, NoTarget) as end:
            if isinstance(end, NoTarget):
                raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the target raises is a finding
            self.world.raised(self, error)
        self.world.stalled = 0


class World:
    """``p`` ranks, their messages and findings.

    ``eager``: a standard send is complete at once, else when its receive is found.  ``terms``: the
    table that every 64-bit payload must be made of.  ``enter(r)`` is called before rank ``r`` runs.
    """

    def __init__(self, p: int, schedule: Schedule, eager: bool, record: bool, terms: Table | None, budget: int) -> None:
        self.p, self.schedule, self.eager, self.record = p, schedule, eager, record
        self.terms, self.budget = terms, budget
        self.hub = getcurrent()
        self.ranks = [Rank(self, r) for r in range(p)]
        self.now: Rank | None = None
        self.ready = list(self.ranks)
        self.matching = Matching(schedule.pick)
        self.meetings: dict[tuple[int, int], Any] = {}
        self.contexts = count(1)
        self.open: dict[Operation, None] = {}
        self.calls = self.stalled = 0
        self.over = False
        self.findings: list[Finding] = []
        self.messages: list[Sent] = []
        self.collectives: list[Called] = []
        self.why_not: dict[str, None] = {}

    def run(self, main: Callable[[Rank], Any], enter: Callable[[int], None]) -> Outcome:
        """Let every rank run ``main`` to its end, or until one finding ends all."""
        self.enter_modules = enter
        _worlds.append(self)
        try:
            while self.ready and not self.over:
                self._resume(self.ready.pop(self.schedule.pick(len(self.ready))), main)
            self.findings += waits.last(self)
        finally:
            self._end()
            _worlds.pop()
        results = [rank.result for rank in self.ranks]
        why_not = tuple(self.why_not)
        return Outcome(results, tuple(self.findings), self.messages, self.collectives, not why_not, why_not)

    def begin(self, rank: Rank, call: str) -> None:
        """A rank makes an MPI call."""
        if self.over:
            self._object(rank)
        if rank is not self.now:
            other = self.now.number if self.now else "?"
            raise MPIException(f"rank {other} uses what belongs to rank {rank.number}: memory shared between ranks")
        self.calls += 1
        if self.calls > self.budget:
            text = f"rank {rank.number} makes MPI call number {self.calls} of this run, {call} ({here()}): over budget"
            self.fail(Finding(Kind.BUDGET, rank.number, call, here(), text))
        if self.schedule.yields():
            self._pause(rank)

    def fail(self, finding: Finding) -> None:
        """End the run with ``finding``."""
        self.findings.append(finding)
        self.over = True
        raise GreenletExit

    def raised(self, rank: Rank, error: BaseException) -> None:
        """``rank`` ended with ``error``; the others go on."""
        if self.over:
            return
        where, r = raised_at(error.__traceback__), rank.number
        match error:
            case NoTerm():
                finding = Finding(Kind.NO_TERM, r, "add", where, f"rank {r} {error.what}, {where}: {error.why}")
            case Unsupported():
                finding = Finding(Kind.UNSUPPORTED, r, error.call, where, f"rank {r}, {where}: {error}")
            case _:
                text = f"rank {r} raised {type(error).__name__}: {error} ({where})"
                finding = Finding(Kind.RAISED, r, type(error).__name__, where, text, _story(error))
        self.findings.append(finding)

    def leave_fragment(self, call: str) -> None:
        """Note a call after which one run does not speak for all schedules."""
        self.why_not[f"{call} ({here()})"] = None

    def post_send(self, send: Send, *, eager: bool) -> None:
        """``send`` is under way; if ``eager`` it does not wait for its receive."""
        self._check_terms(send)
        self._log(send)
        self.open[send] = None
        self.stalled = 0
        receive = self.matching.post_send(send)
        if receive is not None:
            self._match(send, receive)
        elif eager:
            self.complete(send)

    def post_receive(self, receive: Receive) -> None:
        """``receive`` waits for its message."""
        self.open[receive] = None
        self.stalled = 0
        send = self.matching.post_receive(receive)
        if send is not None:
            self._match(send, receive)

    def complete(self, operation: Operation) -> None:
        """``operation`` is done; its rank wakes if that was the last that it needed."""
        operation.done = True
        self.stalled = 0
        if operation.awaited:
            operation.rank.needs -= 1
            if not operation.rank.needs:
                self.ready.append(operation.rank)

    def sleep(self, rank: Rank, call: str, operations: Sequence[Operation], *, until_any: bool = False) -> None:
        """``rank`` waits until all of ``operations``, or one of them, are done."""
        pending = [operation for operation in operations if not operation.done]
        if not pending or (until_any and len(pending) < len(operations)):
            return
        rank.wait, rank.needs = Wait(call, pending), 1 if until_any else len(pending)
        for operation in pending:
            operation.awaited = True
        self.hub.switch()
        for operation in pending:
            operation.awaited = False
        rank.wait = None

    def test(self, rank: Rank, call: str) -> None:
        """``rank`` has tested in vain: the others go first."""
        self.stalled += 1
        if self.stalled > PATIENCE * self.p:
            self.fail(waits.livelock(self, rank, call, here()))
        self._pause(rank)

    def finish(self, operation: Operation) -> None:
        """The rank has learnt that ``operation`` is done."""
        self.open.pop(operation, None)
        operation.finish()

    def _match(self, send: Send, receive: Receive) -> None:
        send.check_untouched()
        send.matched = True
        receive.accept(send)
        if not send.done:
            self.complete(send)
        self.complete(receive)

    def _check_terms(self, send: Send) -> None:
        table = self.terms if self.terms and send.buffer.dtype == np.int64 else send.buffer.table
        at = table.check(np.frombuffer(send.payload, np.int64)) if table and send.payload else None
        if at is not None:
            send.fail(Kind.NO_TERM, f"rank {send.rank.number} sends no term at entry {at}, {send.where}: {NEVER}")

    def _log(self, send: Send) -> None:
        buffer, payload = send.buffer, None
        if self.record:
            payload = np.frombuffer(send.payload, buffer.dtype)
        where = (send.rank.number, send.peer, send.tag, send.context)
        size = (len(send.payload), buffer.count, buffer.dtype)
        self.messages.append(Sent(len(self.messages), *where, *size, send.where, payload))

    def _pause(self, rank: Rank) -> None:
        self.ready.append(rank)
        self.hub.switch()

    def _resume(self, rank: Rank, *main: Callable[[Rank], Any]) -> None:
        self.now = rank
        self.enter_modules(rank.number)
        rank.greenlet.switch(*(() if rank.greenlet else main))

    def _object(self, rank: Rank) -> None:
        """The run is over, but the rank calls on, perhaps from an ``except:`` in a loop."""
        rank.objections += 1
        if rank.objections > OBJECTIONS:
            self.hub.switch()
        raise GreenletExit

    def _end(self) -> None:
        """End the ranks that still sleep; none of their calls counts any more."""
        self.over = True
        for rank in self.ranks:
            for _ in range(3):
                if not rank.greenlet.dead:
                    self.now = rank
                    self.enter_modules(rank.number)
                    rank.greenlet.throw()
            if not rank.greenlet.dead:
                undead.append(rank.greenlet)


_worlds: list[World] = []


def running() -> Rank:
    """The rank that runs now.  Raises MPIException outside of every world."""
    if not _worlds or _worlds[-1].now is None:
        raise MPIException("no simulated world is running: start one with sparring.world.run")
    return _worlds[-1].now


def _story(error: BaseException) -> str:
    """The traceback, from the first frame outside the world on."""
    at = error.__traceback__
    while at and at.tb_frame.f_code.co_filename.startswith(HERE):
        at = at.tb_next
    return "".join(traceback.format_exception(type(error), error, at))
