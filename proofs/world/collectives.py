"""Collective operations: all ranks meet, then the data moves at once.

Every collective here makes everybody wait for everybody, as MPI permits; a program that is right
only when, say, a broadcast's root may run ahead is not portable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from sparring.proofs.core.terms import NEVER, Table
from sparring.proofs.world.buffers import Buffer
from sparring.proofs.world.findings import Called, Kind
from sparring.proofs.world.ranks import Operation, Rank


class Op:
    """A reduction, elementwise on arrays."""

    def __init__(self, name: str, fold: Callable[[Any, Any], Any]) -> None:
        self.name, self.fold = name, fold

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


OPS = {
    name: Op(name, fold)
    for name, fold in (
        *(("SUM", np.add), ("PROD", np.multiply), ("MAX", np.maximum), ("MIN", np.minimum)),
        *(("LAND", np.logical_and), ("LOR", np.logical_or), ("LXOR", np.logical_xor)),
        *(("BAND", np.bitwise_and), ("BOR", np.bitwise_or), ("BXOR", np.bitwise_xor)),
    )
}


class Arrival(Operation):
    """One rank's part: ``gives[r]`` goes to rank ``r``, ``takes[r]`` is for what rank ``r`` gives.

    ``detail`` is what all ranks have to agree on besides the call: the root, the reduction.
    """

    __slots__ = ("detail", "gives", "meeting", "result", "takes")

    def __init__(
        self, rank: Rank, call: str, where: str, detail: str, gives: Sequence[Buffer], takes: Sequence[Buffer]
    ) -> None:
        super().__init__(rank, call, where)
        self.detail, self.gives, self.takes = detail, gives, takes
        self.meeting: list[Arrival] = []
        self.result = 0

    def __str__(self) -> str:
        return f"{self.call}{self.detail} ({self.where})"

    def peers(self) -> Sequence[int]:
        here = {arrival.rank.number for arrival in self.meeting}
        return [r for r in range(self.rank.world.p) if r not in here]

    def waits_for(self, peer: int) -> str:
        return f"{self.call} for rank {peer}"


Conclusion = Callable[[list[Arrival]], None]


def meet(context: int, turn: int, arrival: Arrival, conclude: Conclusion) -> None:
    """Come to the ``turn``-th meeting in ``context``, and wait for the others; the last one concludes it."""
    rank, world = arrival.rank, arrival.rank.world
    contributed = sum(buffer.memory.nbytes for buffer in {id(b): b for b in arrival.gives}.values())
    world.collectives.append(Called(rank.number, arrival.call, context, contributed, arrival.where))
    world.events += 1
    meeting: list[Arrival] = world.meetings.setdefault((context, turn), [])
    arrival.meeting = meeting
    _agree(meeting, arrival)
    meeting.append(arrival)
    if len(meeting) == world.p:
        meeting.sort(key=lambda a: a.rank.number)
        conclude(meeting)
        for a in meeting:
            world.complete(a)
        del world.meetings[context, turn]
    world.sleep(rank, arrival.call, [arrival])


def nothing(arrivals: list[Arrival]) -> None:
    """A barrier moves no data."""


def new_context(arrivals: list[Arrival]) -> None:
    """All get the number of the same new communicator."""
    number = next(arrivals[0].rank.world.contexts)
    for arrival in arrivals:
        arrival.result = number


def exchange(arrivals: list[Arrival]) -> None:
    """Everyone takes from everyone what that one gives them."""
    copies = {id(buffer): buffer.copy() for arrival in arrivals for buffer in arrival.gives}
    for taker in arrivals:
        for giver, take in zip(arrivals, taker.takes):
            give = copies[id(giver.gives[taker.rank.number])]
            _fit(giver, give, taker, take)
            take.memory[:] = give.memory


def broadcast(root: int) -> Conclusion:
    """All take what ``root`` gives."""

    def conclude(arrivals: list[Arrival]) -> None:
        giver = arrivals[root]
        for taker in arrivals:
            if taker is not giver:
                _fit(giver, giver.gives[0], taker, taker.takes[0])
                taker.takes[0].memory[:] = giver.gives[0].memory

    return conclude


def allreduce(op: Op) -> Conclusion:
    """All take the reduction of what all give: in the order of ranks; on terms, in an order not told."""

    def conclude(arrivals: list[Arrival]) -> None:
        first = arrivals[0]
        for arrival in arrivals:
            _fit(first, first.gives[0], arrival, arrival.gives[0])
            _fit(arrival, arrival.gives[0], arrival, arrival.takes[0])
        table, parts = first.gives[0].table, [arrival.gives[0].array() for arrival in arrivals]
        total = _unordered(table, arrivals) if table else np.array(reduce(op.fold, parts), first.gives[0].dtype)
        for arrival in arrivals:
            arrival.takes[0].array()[:] = total

    return conclude


def _unordered(table: Table, arrivals: list[Arrival]) -> list[int]:
    parts = [arrival.gives[0].array().tolist() for arrival in arrivals]
    for arrival, ids in zip(arrivals, parts):
        if (at := table.check(ids)) is not None:
            text = f"rank {arrival.rank.number} gives no term at entry {at} to {arrival.call}, {arrival.where}: {NEVER}"
            arrival.fail(Kind.NO_TERM, text)
    return [table.unordered(column) for column in zip(*parts)]


def _agree(meeting: list[Arrival], arrival: Arrival) -> None:
    if meeting and (meeting[0].call, meeting[0].detail) != (arrival.call, arrival.detail):
        first = meeting[0]
        text = f"rank {arrival.rank.number} calls {arrival} where rank {first.rank.number} calls {first}"
        arrival.fail(Kind.COLLECTIVE, text)


def _fit(giver: Arrival, give: Buffer, taker: Arrival, take: Buffer) -> None:
    if give.count != take.count or (give.count and give.dtype != take.dtype):
        text = (
            f"rank {taker.rank.number} has {take} in {taker} "
            f"where rank {giver.rank.number} has {give} in {giver}: they must be the same"
        )
        taker.fail(Kind.COLLECTIVE, text)
