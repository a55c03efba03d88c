"""Collectives on objects, as mpi4py spells them.  Every rank reduces by itself what it has gathered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.world.core.objects import Thing
from sparring.world.core.ranks import finished
from sparring.world.interface import collectives
from sparring.world.interface.buffer_collectives import Meeting
from sparring.world.interface.reductions import OPS, Fold, total

SUM = OPS["SUM"]
Things = Sequence[Thing | None]


class Talks(Meeting):
    """The lower-case methods."""

    def barrier(self) -> None:
        self._talk("barrier", "", (), ())

    def bcast(self, obj: Any, root: int = 0) -> Any:
        mine, p = self._root(root), self.Get_size()
        give, take = Thing(obj), Thing(obj)
        gives = [give if mine and i != root else None for i in range(p)]
        takes = [take if i == root and not mine else None for i in range(p)]
        self._talk("bcast", f" with root {root}", gives, takes)
        return take.value

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        return self._gather_things("gather", f" with root {root}", sendobj, root)

    def scatter(self, sendobj: Sequence[Any] | None, root: int = 0) -> Any:
        mine, p = self._root(root), self.Get_size()
        gives = self._one_each(sendobj) if mine else [None] * p
        take = Thing()
        self._talk("scatter", f" with root {root}", gives, [take if i == root else None for i in range(p)])
        return take.value

    def allgather(self, sendobj: Any) -> list[Any]:
        return self._allgather_things("allgather", "", sendobj)

    def alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        takes = [Thing() for _ in self._group]
        self._talk("alltoall", "", self._one_each(sendobj), takes)
        return [take.value for take in takes]

    def reduce(self, sendobj: Any, op: Fold = SUM, root: int = 0) -> Any:
        values = self._gather_things("reduce", f" with {_name(op)} and root {root}", sendobj, root)
        return None if values is None else total(op, values)

    def allreduce(self, sendobj: Any, op: Fold = SUM) -> Any:
        return total(op, self._allgather_things("allreduce", f" with {_name(op)}", sendobj))

    def scan(self, sendobj: Any, op: Fold = SUM) -> Any:
        return total(op, self._allgather_things("scan", f" with {_name(op)}", sendobj)[: self.Get_rank() + 1])

    def exscan(self, sendobj: Any, op: Fold = SUM) -> Any:
        values = self._allgather_things("exscan", f" with {_name(op)}", sendobj)[: self.Get_rank()]
        return total(op, values) if values else None

    def _gather_things(self, call: str, detail: str, sendobj: Any, root: int) -> list[Any] | None:
        give, mine = Thing(sendobj), self._root(root)
        takes = [Thing() for _ in self._group] if mine else []
        self._talk(call, detail, [give if i == root else None for i in range(self.Get_size())], takes)
        return [take.value for take in takes] if mine else None

    def _allgather_things(self, call: str, detail: str, sendobj: Any) -> list[Any]:
        takes = [Thing() for _ in self._group]
        self._talk(call, detail, [Thing(sendobj)] * self.Get_size(), takes)
        return [take.value for take in takes]

    def _talk(self, call: str, detail: str, gives: Things, takes: Things) -> None:
        finished(call, self._meet(call, collectives.exchange, detail, gives, takes))

    def _one_each(self, objects: Sequence[Any] | None) -> list[Thing]:
        given, p = list(objects or ()), self.Get_size()
        if len(given) != p:
            raise ValueError(f"{len(given)} objects for {p} ranks: one for each is needed")
        return [Thing(thing) for thing in given]


def _name(op: Fold) -> str:
    """Return what ranks have to agree on: MPI's operations by name; of a function each has its own."""
    return repr(op) if op in OPS.values() else "an operation of its own"
