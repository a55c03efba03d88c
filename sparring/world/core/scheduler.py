"""The world's scheduler: who runs, who sleeps until what, and how a run ends.

Exactly one rank runs at a time.  A rank that has to wait switches to the *hub*, the greenlet
that started the world, which wakes the next one; every choice is the schedule's.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from sparring.proofs.logic.terms import NoTerm, Table
from sparring.world.core import choices, waits
from sparring.world.core.buffered_send import Attached
from sparring.world.core.constants import MPIException, Unsupported
from sparring.world.core.findings import HERE, Called, Finding, Kind, Outcome, Taken, here, raised_at
from sparring.world.core.leaks import Lost
from sparring.world.core.network import Network
from sparring.world.core.ranks import Operation, Question, Rank, Wait, worlds
from sparring.world.core.schedules import Schedule

PATIENCE = 1000  # fruitless answers per rank, in a row, before a world that only asks counts as stuck
OBJECTIONS = 100  # MPI calls that a rank may still make, in vain, after the end
undead: list[greenlet] = []  # ranks that refused to end: kept asleep, since collecting them would wake them


class Scheduler:
    """A world of ``p`` ranks, their messages and findings.

    ``depth``: so many messages of a channel MPI copies, whose standard sends are then complete at
    once; ``copies``: beyond that it may or may not.  ``terms``: the table that every 64-bit payload
    must be made of.  ``enter(r)`` is called before rank ``r`` runs.  ``node``: so many ranks, one after
    the other, are on one machine; 0: all.
    """

    def __init__(
        self,
        p: int,
        schedule: Schedule,
        enter: Callable[[int], None],
        depth: int,
        copies: bool,
        *,
        record: bool,
        terms: Table | None,
        budget: int,
        node: int = 0,
    ) -> None:
        self.p, self.schedule, self.enter, self.node = p, schedule, enter, node or p
        self.depth, self.copies, self.terms, self.budget = depth, copies, terms, budget
        self.hub = getcurrent()
        self.ranks = [Rank(self, r, Attached()) for r in range(p)]
        self.ready = list(self.ranks)
        self.now: Rank | None = None
        self.network = Network(self, record)
        self.contexts: Iterator[int] = count(1)
        self.meetings: dict[Any, Any] = {}
        self.calls = self.events = self.denied = 0
        self.taken: list[Taken] = []
        self.over = False
        self.findings: list[Finding] = []
        self.collectives: list[Called] = []
        self.lost: list[Lost] = []
        self.why_not: dict[str, None] = {}

    def run(self, main: Callable[[Rank], Any]) -> Outcome:
        """Let every rank run ``main`` to its end, or until one finding ends all."""
        worlds.append(self)
        try:
            while not self.over and (self.ready or self._decides()):
                if not self.ready:  # the way woke nobody
                    continue
                rank = self.ready.pop(self.schedule.pick(len(self.ready)))
                self._resume(rank, rank.greenlet.switch, *(() if rank.greenlet else (main,)))
            self.findings += waits.last(self)
        finally:
            self._end()
            worlds.pop()
        results, why_not = [rank.result for rank in self.ranks], tuple(self.why_not)
        found, taken = tuple(self.findings), tuple(self.taken)
        return Outcome(results, found, self.network.log, self.collectives, not why_not, why_not, taken)

    def begin(self, rank: Rank, call: str) -> None:
        """Begin an MPI call of a rank."""
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

    def sleep(self, rank: Rank, call: str, operations: Sequence[Operation]) -> None:
        """Let ``rank`` wait until all of ``operations`` are done."""
        pending = [operation for operation in operations if not operation.done]
        if not pending:
            return
        rank.wait, rank.needs = Wait(call, pending), len(pending)
        for operation in pending:
            operation.awaited = True
        self.hub.switch()
        for operation in pending:
            operation.awaited = False
        rank.wait = None

    def ask(self, rank: Rank, question: Question, operations: Sequence[Operation]) -> Any:
        """Let ``rank`` wait for an answer about ``operations``."""
        rank.wait, rank.question = Wait(question.call, operations), question
        rank.asked += 1
        self.hub.switch()
        rank.wait = rank.question = None
        return rank.answer

    def answer(self, rank: Rank, answer: Any) -> None:
        """Give ``rank`` its answer, with which it can go on."""
        rank.answer = answer
        self.ready.append(rank)

    def deny(self, rank: Rank, question: Question) -> None:
        """Tell ``rank`` that there is nothing; if that is all that happens for long, nothing else ever will."""
        self.denied = self.denied + 1 if rank.heard == self.events else 0
        rank.heard = self.events
        if self.denied > PATIENCE * self.p:
            self.fail(waits.livelock(self, rank, question))
        self.answer(rank, question.otherwise)

    def complete(self, operation: Operation) -> None:
        """Mark ``operation`` as done; its rank wakes if that was the last that it needed."""
        operation.done = True
        self.events += 1
        if operation.awaited:
            operation.rank.needs -= 1
            if not operation.rank.needs:
                self.ready.append(operation.rank)

    def leave_fragment(self, call: str) -> None:
        """Note a call after which one run does not speak for all schedules: ``proofs/coq/mpi.v`` excludes it."""
        self.why_not[f"{call} ({here()})"] = None

    def fail(self, finding: Finding) -> None:
        """End the run with ``finding``."""
        self.findings.append(finding)
        self.over = True
        raise GreenletExit

    def raised(self, rank: Rank, error: BaseException) -> None:
        """Note that ``rank`` ended with ``error``; the others go on."""
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

    def _decides(self) -> bool:
        """Take a way on where no rank can run; return whether there is one."""
        ways = choices.ways(self)
        if not ways:
            return False
        chosen = self.schedule.choose(ways)
        if len(ways) > 1:
            self.taken.append(Taken(chosen, len(ways), ways[chosen].text, ways[chosen].place))
        with suppress(GreenletExit):  # the way itself may show a finding
            ways[chosen].take()
        return not self.over

    def _resume(self, rank: Rank, switch: Callable[..., Any], *arguments: Any) -> None:
        self.now = rank
        self.enter(rank.number)
        switch(*arguments)

    def _pause(self, rank: Rank) -> None:
        self.ready.append(rank)
        self.hub.switch()

    def _object(self, rank: Rank) -> None:
        """Object to a call after the run is over, perhaps from an ``except:`` in a loop."""
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
    """Return the traceback, from the first frame outside the world on."""
    at = error.__traceback__
    while at and at.tb_frame.f_code.co_filename.startswith(HERE):
        at = at.tb_next
    return "".join(traceback.format_exception(type(error), error, at))
