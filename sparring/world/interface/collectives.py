"""Collective operations: all ranks meet, then the data moves at once.

Every collective here is complete only when all have come, as MPI permits; a program that is right
only when, say, a broadcast's root may run ahead is not portable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparring.proofs.logic.terms import NEVER, Table
from sparring.world.core.buffers import Buffer, overlapping
from sparring.world.core.constants import PROC_NULL, UNDEFINED
from sparring.world.core.findings import Called, Kind
from sparring.world.core.objects import Thing, bulk
from sparring.world.core.operations import poisoned
from sparring.world.core.ranks import Operation, Rank
from sparring.world.interface.reductions import Op

Place = Buffer | Thing
Places = Sequence[Place | None]


class Arrival(Operation):
    """A rank's part: ``gives[i]`` goes to rank ``i`` of ``group``, ``takes[i]`` is for what that one gives.

    ``detail`` is what all ranks have to agree on besides the call: the root, the reduction.
    ``result``: what else a rank brings, and then what it gets.  What arrives is written when the
    rank learns of the completion; until then, unless the rank sleeps, the memory holds poison.
    """

    __slots__ = (
        "arrived",
        "before",
        "detail",
        "error",
        "gives",
        "group",
        "lent",
        "meeting",
        "payloads",
        "poison",
        "takes",
    )

    def __init__(
        self, rank: Rank, call: str, where: str, group: Sequence[int], detail: str, gives: Places, takes: Places
    ) -> None:
        super().__init__(rank, call, where)
        self.group, self.detail, self.gives, self.takes = group, detail, gives, takes
        self.meeting: list[Arrival] = []
        self.payloads = {id(give): give.read() for give in gives if give}
        self.lent = call.startswith("I") or call.endswith("_init")
        places = {id(take): take for take in takes if self.lent and isinstance(take, Buffer)}.values()
        self.before = [(take, take.read()) for take in places]
        self.poison = {id(take): poisoned(take) for take in places}
        self.arrived: list[tuple[Place, Any]] = []
        self.error: Exception | None = None

    def __str__(self) -> str:
        return f"{self.call}{self.detail} ({self.where})"

    def peers(self) -> Sequence[int]:
        here = {arrival.rank.number for arrival in self.meeting}
        return [r for r in self.group if r not in here]

    def waits_for(self, peer: int) -> str:
        return f"{self.call} for rank {peer}"

    def payload(self, to: int = 0) -> Any:
        """Return what is given to rank ``to`` of the group."""
        return self.payloads[id(self.gives[to])]

    def array(self) -> np.ndarray[Any, Any]:
        """Return what is given to all, as an array."""
        return np.frombuffer(self.payload(), self.gives[0].dtype) if self.gives[0] else np.empty(0)

    def put(self, take: Place | None, payload: Any) -> None:
        """Let ``payload`` arrive at ``take``."""
        if take is not None:
            self.arrived.append((take, payload))

    def finish(self) -> None:
        if self.error:
            raise self.error
        if self.lent:
            self._check_untouched()
        for take, before in self.before:
            take.write(before)
        for place, payload in self.arrived:
            place.write(payload)

    def _check_untouched(self) -> None:
        for give in self.gives:
            if isinstance(give, Buffer) and id(give) not in self.poison and give.read() != self.payloads[id(give)]:
                self._touched("changed what it gives to its")
        for take, _ in self.before:
            if take.read() != self.poison[id(take)]:
                self._touched("wrote to the buffer of its")

    def _touched(self, what: str) -> None:
        text = f"rank {self.rank.number} {what} {self.call} before it was complete ({self.where})"
        self.fail(Kind.TOUCHED, text)


Conclusion = Callable[[list[Arrival]], None]


def meet(key: tuple[Any, ...], context: int, arrival: Arrival, conclude: Conclusion) -> None:
    """Come to the meeting called ``key``; the last one concludes it.  Nobody waits here."""
    rank, world = arrival.rank, arrival.rank.world
    given = {id(give): bulk(give.value) if isinstance(give, Thing) else give.nbytes for give in arrival.gives if give}
    world.collectives.append(Called(rank.number, arrival.call, context, sum(given.values()), arrival.where))
    world.network.opened(arrival)
    meeting: list[Arrival] = world.meetings.setdefault(key, [])
    arrival.meeting = meeting
    _agree(meeting, arrival)
    _apart(arrival)
    meeting.append(arrival)
    if len(meeting) == len(arrival.group):
        meeting.sort(key=lambda a: arrival.group.index(a.rank.number))
        del world.meetings[key]
        try:
            conclude(meeting)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, is for every rank
            for a in meeting:
                a.error = error
        for a in meeting:
            world.complete(a)


def nothing(arrivals: list[Arrival]) -> None:
    """Move no data, as a barrier."""


def gathered(arrivals: list[Arrival]) -> None:
    """Give all ranks the list of what all bring."""
    brought = [arrival.result for arrival in arrivals]
    for arrival in arrivals:
        arrival.result = brought


def new_context(arrivals: list[Arrival]) -> None:
    """Give all ranks the number of the same new communicator."""
    number = next(arrivals[0].rank.world.contexts)
    for arrival in arrivals:
        arrival.result = number


def split(arrivals: list[Arrival]) -> None:
    """Give each rank a number and the ranks of the colour that it brings, in the order of the keys that they bring."""
    number = next(arrivals[0].rank.world.contexts)
    brought = [arrival.result for arrival in arrivals]
    for arrival, (color, _) in zip(arrivals, brought):
        alike = [(key, i) for i, (other, key) in enumerate(brought) if other == color != UNDEFINED]
        arrival.result = number, [arrival.group[i] for _, i in sorted(alike)]


def exchange(arrivals: list[Arrival]) -> None:
    """Give each rank what every other one has for it."""
    for i, taker in enumerate(arrivals):
        for giver, take in zip(arrivals, taker.takes):
            if take is not None and (give := giver.gives[i]) is not None:
                _fit(giver, give, taker, take)
                taker.put(take, giver.payload(i))


def from_neighbours(arrivals: list[Arrival]) -> None:
    """Everyone brings its neighbours, and takes from each what that one gives to all; nothing from PROC_NULL."""
    for taker in arrivals:
        for neighbour, take in zip(taker.result, taker.takes):
            if neighbour != PROC_NULL:
                giver = arrivals[neighbour]
                _fit(giver, giver.gives[0], taker, take)
                taker.put(take, giver.payload())
        taker.result = None


def reduction(op: Op, count: Callable[[int, int], int], start: Callable[[int], int] = lambda _: 0) -> Conclusion:
    """Give rank ``i`` of ``p`` the reduction of the first ``count(i, p)`` parts, of it what begins at ``start(i)``.

    Parts are reduced in the order of ranks; terms, in an order not told.
    """

    def conclude(arrivals: list[Arrival]) -> None:
        first = arrivals[0].gives[0]
        for arrival in arrivals:
            _fit(arrivals[0], first, arrival, arrival.gives[0])
        counts = [count(i, len(arrivals)) for i in range(len(arrivals))]
        totals = {n: _total(op, arrivals[:n]) for n in set(counts) if n}
        for i, (arrival, n) in enumerate(zip(arrivals, counts)):
            take = arrival.takes[0] if arrival.takes else None
            if isinstance(take, Buffer) and n:
                arrival.put(take, totals[n][start(i) : start(i) + take.count].tobytes())

    return conclude


def _total(op: Op, arrivals: list[Arrival]) -> Any:
    table = arrivals[0].gives[0].table if arrivals[0].gives[0] else None
    parts = [arrival.array() for arrival in arrivals]
    if not table:
        return op.fold(parts)
    _check_terms(table, arrivals)
    return np.array([table.unordered(column) for column in zip(*(part.tolist() for part in parts))], np.int64)


def _check_terms(table: Table, arrivals: list[Arrival]) -> None:
    for arrival in arrivals:
        if (at := table.check(arrival.array())) is not None:
            text = f"rank {arrival.rank.number} gives no term at entry {at} to {arrival.call}, {arrival.where}: {NEVER}"
            arrival.fail(Kind.NO_TERM, text)


def _agree(meeting: list[Arrival], arrival: Arrival) -> None:
    if meeting and (meeting[0].call, meeting[0].detail) != (arrival.call, arrival.detail):
        first = meeting[0]
        text = f"rank {arrival.rank.number} calls {arrival} where rank {first.rank.number} calls {first}"
        arrival.fail(Kind.COLLECTIVE, text)


def _apart(arrival: Arrival) -> None:
    """Note memory that a rank both gives and takes, or takes twice, which is MPI's alone to write; in place is one."""
    takes = list({id(take): take for take in arrival.takes if isinstance(take, Buffer)}.values())
    gives = {id(give): give for give in arrival.gives if isinstance(give, Buffer) and give not in takes}.values()
    twice = any(overlapping([take], takes[:i]) for i, take in enumerate(takes))
    if twice or overlapping(gives, takes):
        what = "takes some memory twice" if twice else "gives memory that it also takes"
        right = "" if twice else "; right: MPI.IN_PLACE"
        arrival.fail(Kind.SHARED, f"rank {arrival.rank.number} {what} in {arrival}{right}")


def _fit(giver: Arrival, give: Place | None, taker: Arrival, take: Place | None) -> None:
    if give and take and (give.count != take.count or (give.count and give.dtype != take.dtype)):
        text = (
            f"rank {taker.rank.number} has {take} in {taker} "
            f"where rank {giver.rank.number} has {give} in {giver}: they must be the same"
        )
        taker.fail(Kind.COLLECTIVE, text)
