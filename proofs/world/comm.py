"""``MPI.Comm`` as mpi4py spells it: point-to-point, attributes, and here the collective calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sparring.proofs.world import collectives
from sparring.proofs.world.attributes import Attributes
from sparring.proofs.world.buffers import Buffer, blocks, simple, vector
from sparring.proofs.world.collectives import OPS, Arrival, Conclusion, Op
from sparring.proofs.world.constants import MPIException
from sparring.proofs.world.findings import here
from sparring.proofs.world.pointtopoint import PointToPoint
from sparring.proofs.world.ranks import Rank


class InPlace:
    """The type of ``MPI.IN_PLACE``."""

    def __repr__(self) -> str:
        return "MPI.IN_PLACE"


IN_PLACE = InPlace()


class Comm(PointToPoint, Attributes):
    """A communicator of all ranks: COMM_WORLD (context 0) or a duplicate."""

    def __init__(self, rank: Rank | None, context: int) -> None:
        super().__init__(rank, context)
        self._turn = 0

    def Barrier(self) -> None:
        self._meet("Barrier", collectives.nothing)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        buffer = simple(buf, writable=self.Get_rank() != self._peer(root, "root"))
        self._meet("Bcast", collectives.broadcast(root), f" with root {root}", [buffer], [buffer])

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = OPS["SUM"]) -> None:
        take = simple(recvbuf, writable=True)
        give = take if sendbuf is IN_PLACE else simple(sendbuf)
        if give.table and op.name != "SUM":
            raise TypeError(f"terms know elementwise + alone, not {op!r}")
        self._meet("Allreduce", collectives.allreduce(op), f" with {op!r}", [give], [take])

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        self._gather("Allgather", sendbuf, blocks(recvbuf, self.Get_size(), writable=True))

    def Allgatherv(self, sendbuf: Any, recvbuf: Any) -> None:
        self._gather("Allgatherv", sendbuf, vector(recvbuf, self.Get_size(), writable=True))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        takes = blocks(recvbuf, self.Get_size(), writable=True)
        gives = takes if sendbuf is IN_PLACE else blocks(sendbuf, self.Get_size())
        self._meet("Alltoall", collectives.exchange, "", gives, takes)

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        takes = vector(recvbuf, self.Get_size(), writable=True)
        gives = takes if sendbuf is IN_PLACE else vector(sendbuf, self.Get_size())
        self._meet("Alltoallv", collectives.exchange, "", gives, takes)

    def Dup(self) -> Self:
        arrival = self._meet("Dup", collectives.new_context)
        twin = type(self)(arrival.rank, arrival.result)
        self._copy_to(twin)
        return twin

    def Free(self) -> None:
        """The attributes are deleted; then all ranks meet."""
        if self._context == 0:
            raise MPIException("COMM_WORLD cannot be freed")
        self._delete_all()
        self._meet("Free", collectives.nothing)
        self._rank = None

    def _gather(self, call: str, sendbuf: Any, takes: list[Buffer]) -> None:
        give = takes[self.Get_rank()] if sendbuf is IN_PLACE else simple(sendbuf)
        self._meet(call, collectives.exchange, "", [give] * len(takes), takes)

    def _meet(
        self,
        call: str,
        conclude: Conclusion,
        detail: str = "",
        gives: Sequence[Buffer] = (),
        takes: Sequence[Buffer] = (),
    ) -> Arrival:
        arrival = Arrival(self._begin(call), call, here(), detail, gives, takes)
        self._turn += 1
        collectives.meet(self._context, self._turn, arrival, conclude)
        return arrival
