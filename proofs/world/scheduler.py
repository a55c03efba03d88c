"""The world's scheduler: who runs, who sleeps until what, and how a run ends.

Exactly one rank runs at a time.  A rank that has to wait switches to the *hub*, the greenlet
that started the world, which wakes the next one; every choice is the schedule's.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from sparring.proofs.core.terms import NoTerm, Table
from sparring.proofs.world import waits
from sparring.proofs.world.constants import MPIException, Unsupported
from sparring.proofs.world.findings import HERE, Called, Finding, Kind, Outcome, here, raised_at
from sparring.proofs.world.network import Network
from sparring.proofs.world.ranks import Operation, Rank, Wait
from sparring.proofs.world.schedules import Schedule

PATIENCE = 1000  # fruitless tests per rank, in a row, before a world that only tests counts as stuck
OBJECTIONS = 100  # MPI calls that a rank may still make, in vain, after the end
undead: list[greenlet] = []  # ranks that refused to end: kept asleep, since collecting them would wake them
_worlds: list[Scheduler] = []


def running() -> Rank:
    """The rank that runs now.  Raises MPIException outside of every world."""
    if not _worlds or _worlds[-1].now is None:
        raise MPIException("no simulated world is running: start one with sparring.world.run")
    return _worlds[-1].now


class Scheduler:
    """A world of ``p`` ranks, their messages and findings.

    ``eager``: a standard send is complete at once, else when its receive is found.  ``terms``: the
    table that every 64-bit payload must be made of.  ``enter(r)`` is called before rank ``r`` runs.
    """

    def __init__(
        self,
        p: int,
        schedule: Schedule,
        enter: Callable[[int], None],
        *,
        eager: bool,
        record: bool,
        terms: Table | None,
        budget: int,
    ) -> None:
        self.p, self.schedule, self.enter = p, schedule, enter
        self.eager, self.terms, self.budget = eager, terms, budget
        self.hub = getcurrent()
        self.ranks = [Rank(self, r) for r in range(p)]
        self.ready = list(self.ranks)
        self.now: Rank | None = None
        self.network = Network(self, record)
        self.contexts: Iterator[int] = count(1)
        self.meetings: dict[tuple[int, int], Any] = {}
        self.calls = self.stalled = 0
        self.over = False
        self.findings: list[Finding] = []
        self.collectives: list[Called] = []
        self.why_not: dict[str, None] = {}

    def run(self, main: Callable[[Rank], Any]) -> Outcome:
        """Let every rank run ``main`` to its end, or until one finding ends all."""
        _worlds.append(self)
        try:
            while self.ready and not self.over:
                rank = self.ready.pop(self.schedule.pick(len(self.ready)))
                self._resume(rank, rank.greenlet.switch, *(() if rank.greenlet else (main,)))
            self.findings += waits.last(self)
        finally:
            self._end()
            _worlds.pop()
        results, why_not = [rank.result for rank in self.ranks], tuple(self.why_not)
        return Outcome(results, tuple(self.findings), self.network.log, self.collectives, not why_not, why_not)

    def begin(self, rank: Rank, call: str) -> None:
        """A rank makes an MPI call."""
        if self.over:
            self._object(rank)
        if self.now is not rank:
            other = self.now.number if self.now else "?"
            raise MPIException(f"rank {other} uses what belongs to rank {rank.number}: memory shared between ranks")
        self.calls += 1
        if self.calls > self.budget:
            text = f"rank {rank.number} makes MPI call number {self.calls} of this run, {call} ({here()}): over budget"
            self.fail(Finding(Kind.BUDGET, rank.number, call, here(), text))
        if self.schedule.yields():
            self._pause(rank)

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

    def complete(self, operation: Operation) -> None:
        """``operation`` is done; its rank wakes if that was the last that it needed."""
        operation.done = True
        self.stalled = 0
        if operation.awaited:
            operation.rank.needs -= 1
            if not operation.rank.needs:
                self.ready.append(operation.rank)

    def tested_in_vain(self, rank: Rank, call: str) -> None:
        """The others go first; if none of them moves for long, nothing ever will."""
        self.stalled += 1
        if self.stalled > PATIENCE * self.p:
            self.fail(waits.livelock(self, rank, call, here()))
        self._pause(rank)

    def leave_fragment(self, call: str) -> None:
        """Note a call after which one run does not speak for all schedules: one that ``proofs/coq/mpi.v`` excludes."""
        self.why_not[f"{call} ({here()})"] = None

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

    def _resume(self, rank: Rank, switch: Callable[..., Any], *arguments: Any) -> None:
        self.now = rank
        self.enter(rank.number)
        switch(*arguments)

    def _pause(self, rank: Rank) -> None:
        self.ready.append(rank)
        self.hub.switch()

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
                    self._resume(rank, rank.greenlet.throw)
            if not rank.greenlet.dead:
                undead.append(rank.greenlet)


def _story(error: BaseException) -> str:
    """The traceback, from the first frame outside the world on."""
    at = error.__traceback__
    while at and at.tb_frame.f_code.co_filename.startswith(HERE):
        at = at.tb_next
    return "".join(traceback.format_exception(type(error), error, at))
