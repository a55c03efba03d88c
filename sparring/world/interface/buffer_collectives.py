"""Collectives on memory, as mpi4py spells them: each blocking, nonblocking and persistent.

Each is written once, in :class:`Starts`, as what begins it; from that its three forms are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from sparring.world.core.buffers import Buffer, blocks, joined, simple, typed, vector
from sparring.world.core.findings import here
from sparring.world.core.leaks import makes
from sparring.world.core.ranks import finished
from sparring.world.interface import collectives
from sparring.world.interface.collectives import Arrival, Conclusion, Places
from sparring.world.interface.handle import Handle
from sparring.world.interface.reductions import OPS, Op, unordered
from sparring.world.interface.requests import Prequest, Request

Spread = Callable[[Any, int, bool], list[Buffer]]
SUM = OPS["SUM"]


class InPlace:
    """The type of ``MPI.IN_PLACE``."""

    def __repr__(self) -> str:
        return "MPI.IN_PLACE"


IN_PLACE = InPlace()


def _inside(buf: Any) -> bool:
    """Return whether the data is in place; mpi4py takes None for that too."""
    return buf is None or buf is IN_PLACE


class Meeting(Handle):
    """A meeting of a communicator's ranks: each rank's first call meets the others' first calls."""

    def __init__(self, rank: Any = None, context: int = -1, group: Sequence[int] = ()) -> None:
        self._turns = [0]  # a list, which copies of this handle share
        super().__init__(rank, context, group)

    @property
    def _everyone(self) -> tuple[int, ...]:
        """Return all ranks that meet."""
        return self._group

    def _meet(
        self, call: str, conclude: Conclusion, detail: str = "", gives: Places = (), takes: Places = (), brings: Any = 0
    ) -> Arrival:
        arrival = Arrival(self._begin(call), call, here(), self._everyone, detail, gives, takes)
        arrival.result = brings
        self._turns[0] += 1
        collectives.meet((self._context, self._everyone, self._turns[0]), self._context, arrival, conclude)
        return arrival

    def _root(self, root: int) -> bool:
        """Return whether this rank is the root."""
        return self._peer(root, "root") == self._alive().number


class Parts(Meeting):
    """The parts that collectives have in common."""

    def _gather(self, call: str, sendbuf: Any, recvbuf: Any, root: int, spread: Spread) -> Arrival:
        mine, p = self._root(root), self.Get_size()
        takes: list[Any] = [*spread(recvbuf, p, True)] if mine else []
        inside = mine and _inside(sendbuf)
        give = None if inside else simple(sendbuf)
        if inside:
            takes[root] = None
        gives = [give if i == root else None for i in range(p)]
        return self._meet(call, collectives.exchange, f" with root {root}", gives, takes)

    def _scatter(self, call: str, sendbuf: Any, recvbuf: Any, root: int, spread: Spread) -> Arrival:
        mine, p = self._root(root), self.Get_size()
        gives = [*spread(sendbuf, p, False)] if mine else [None] * p
        take = None if mine and _inside(recvbuf) else simple(recvbuf, writable=True)
        takes = [take if i == root else None for i in range(p)]
        return self._meet(call, collectives.exchange, f" with root {root}", gives, takes)

    def _allgather(self, call: str, sendbuf: Any, recvbuf: Any, spread: Spread) -> Arrival:
        takes = spread(recvbuf, self.Get_size(), True)
        give = takes[self.Get_rank()] if _inside(sendbuf) else simple(sendbuf)
        return self._meet(call, collectives.exchange, "", [give] * len(takes), takes)

    def _alltoall(self, call: str, sendbuf: Any, recvbuf: Any, spread: Spread) -> Arrival:
        takes = spread(recvbuf, self.Get_size(), True)
        gives = takes if _inside(sendbuf) else spread(sendbuf, self.Get_size(), False)
        return self._meet(call, collectives.exchange, "", gives, takes)

    def _reduce(
        self, call: str, sendbuf: Any, recvbuf: Any, op: Op, conclude: Conclusion, detail: str | None = None
    ) -> Arrival:
        takes = [] if recvbuf is None else [simple(recvbuf, writable=True)]
        give = takes[0] if _inside(sendbuf) else simple(sendbuf)
        if takes and (give.count, give.dtype) != (takes[0].count, takes[0].dtype):
            raise ValueError(f"{call} of {give} into {takes[0]}: they must be the same")
        unordered(op, [give])
        op.knowing(give.dtype)
        return self._meet(call, conclude, f" with {op!r}" if detail is None else detail, [give], takes)

    def _reduce_scatter(self, call: str, give: Buffer, place: Buffer, counts: Sequence[int], op: Op) -> Arrival:
        p, mine = self.Get_size(), self.Get_rank()
        if len(counts) != p:
            raise ValueError(f"message: expecting {p} items, got {len(counts)}")
        take = Buffer(place.memory[: counts[mine] * place.dtype.itemsize], place.dtype, place.table)
        if give.count != sum(counts) or take.count != counts[mine] or give.dtype != take.dtype:
            raise ValueError(f"{call} of {give} into {take}: the counts are {list(counts)}")
        unordered(op, [give])
        op.knowing(give.dtype)
        starts = list(accumulate(counts, initial=0))
        conclude = collectives.reduction(op, lambda _, p: p, starts.__getitem__)
        return self._meet(call, conclude, f" with {op!r} and counts {list(counts)}", [give], [take])


class Starts(Parts):
    """The beginnings of collectives: ``call`` is the name under which each was called."""

    def Barrier(self, call: str) -> Arrival:
        return self._meet(call, collectives.nothing)

    def Bcast(self, call: str, buf: Any, root: int = 0) -> Arrival:
        mine, p = self._root(root), self.Get_size()
        buffer = simple(buf, writable=not mine)
        others = [None if i == root else buffer for i in range(p)]
        takes = () if mine else [buffer if i == root else None for i in range(p)]
        return self._meet(call, collectives.exchange, f" with root {root}", others if mine else [None] * p, takes)

    def Gather(self, call: str, sendbuf: Any, recvbuf: Any, root: int = 0) -> Arrival:
        return self._gather(call, sendbuf, recvbuf, root, blocks)

    def Gatherv(self, call: str, sendbuf: Any, recvbuf: Any, root: int = 0) -> Arrival:
        return self._gather(call, sendbuf, recvbuf, root, vector)

    def Scatter(self, call: str, sendbuf: Any, recvbuf: Any, root: int = 0) -> Arrival:
        return self._scatter(call, sendbuf, recvbuf, root, blocks)

    def Scatterv(self, call: str, sendbuf: Any, recvbuf: Any, root: int = 0) -> Arrival:
        return self._scatter(call, sendbuf, recvbuf, root, vector)

    def Allgather(self, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
        return self._allgather(call, sendbuf, recvbuf, blocks)

    def Allgatherv(self, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
        return self._allgather(call, sendbuf, recvbuf, vector)

    def Alltoall(self, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
        return self._alltoall(call, sendbuf, recvbuf, blocks)

    def Alltoallv(self, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
        return self._alltoall(call, sendbuf, recvbuf, vector)

    def Alltoallw(self, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
        return self._alltoall(call, sendbuf, recvbuf, typed)

    def Reduce(self, call: str, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> Arrival:
        mine = self._root(root)
        conclude = collectives.reduction(op, lambda i, p: p if i == root else 0)
        detail = f" with {op!r} and root {root}"
        return self._reduce(call, sendbuf, recvbuf if mine else None, op, conclude, detail)

    def Allreduce(self, call: str, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Arrival:
        return self._reduce(call, sendbuf, recvbuf, op, collectives.reduction(op, lambda _, p: p))

    def Scan(self, call: str, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Arrival:
        return self._reduce(call, sendbuf, recvbuf, op, collectives.reduction(op, lambda i, _: i + 1))

    def Exscan(self, call: str, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Arrival:
        return self._reduce(call, sendbuf, recvbuf, op, collectives.reduction(op, lambda i, _: i))

    def Reduce_scatter_block(self, call: str, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Arrival:
        p, inside = self.Get_size(), _inside(sendbuf)
        place = joined(recvbuf, p, writable=True) if inside else simple(recvbuf, writable=True)
        give = place.copy() if inside else joined(sendbuf, p)
        each = place.count // p if inside else place.count
        return self._reduce_scatter(call, give, place, [each] * p, op)

    def Reduce_scatter(
        self, call: str, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Op = SUM
    ) -> Arrival:
        place = simple(recvbuf, writable=True)
        give = place.copy() if _inside(sendbuf) else simple(sendbuf)
        counts: Any = recvcounts
        if counts is None:
            counts = finished(call, self._meet(call, collectives.gathered, brings=place.count))
        return self._reduce_scatter(call, give, place, counts, op)


class Transfers(Parts):
    """The calls themselves: ``Bcast``, ``Ibcast``, ``Bcast_init``, and so for each."""


def _forms(name: str, start: Callable[..., Arrival]) -> dict[str, Callable[..., Any]]:
    def blocking(self: Transfers, *args: Any, **kwargs: Any) -> None:
        finished(name, start(self, name, *args, **kwargs))

    def nonblocking(self: Transfers, *args: Any, **kwargs: Any) -> Request:
        return Request(start(self, f"I{name.lower()}", *args, **kwargs))

    @makes("persistent request", f"{name}_init")
    def persistent(self: Transfers, *args: Any, **kwargs: Any) -> Prequest:
        self._alive()
        kwargs.pop("info", None)
        return Prequest(lambda: start(self, f"{name}_init", *args, **kwargs))

    return {name: blocking, f"I{name.lower()}": nonblocking, f"{name}_init": persistent}


for _name, _start in [(name, start) for name, start in vars(Starts).items() if not name.startswith("_")]:
    for _form, _method in _forms(_name, _start).items():
        setattr(Transfers, _form, _method)
