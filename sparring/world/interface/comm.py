"""``MPI.Comm`` as mpi4py spells it: point-to-point, collectives, attributes, and here how communicators are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Self

from sparring.world.core.constants import COMM_TYPE_SHARED, HANDLERS, UNDEFINED, Errhandler, MPIException, Unsupported
from sparring.world.core.findings import Finding, Kind, here
from sparring.world.core.leaks import end, makes
from sparring.world.core.ranks import finished
from sparring.world.interface import collectives
from sparring.world.interface.attributes import Attributes
from sparring.world.interface.buffer_collectives import Transfers
from sparring.world.interface.collectives import Arrival
from sparring.world.interface.groups import CONGRUENT, IDENT, Group
from sparring.world.interface.object_collectives import Talks
from sparring.world.interface.pointtopoint import PointToPoint
from sparring.world.interface.probes import Probes


class Comm(PointToPoint, Probes, Transfers, Talks, Attributes):
    """A communicator of some ranks: COMM_WORLD (context 0), COMM_SELF, or made from another."""

    is_intra, is_inter, is_topo = True, False, False

    def __init__(self, rank: Any = None, context: int = -1, group: Sequence[int] = ()) -> None:
        self._name, self._errhandler = "", HANDLERS["ERRORS_RETURN"]
        super().__init__(rank, context, group)

    def Is_intra(self) -> bool:
        self._alive()
        return True

    def Is_inter(self) -> bool:
        self._alive()
        return False

    @makes("group")
    def Get_group(self) -> Group:
        self._alive()
        return Group(self._group)

    group = property(Get_group)

    def Compare(self, comm: Comm) -> int:
        """Return IDENT, CONGRUENT (the same ranks in the same order), SIMILAR (in another order) or UNEQUAL."""
        for one in (self, comm):
            one._alive()
        alike = Group(self._group).Compare(Group(comm._group))
        return IDENT if self == comm else CONGRUENT if alike == IDENT else alike

    def Get_name(self) -> str:
        self._alive()
        return self._name

    def Set_name(self, name: str) -> None:
        self._alive()
        self._name = name

    name = property(Get_name, Set_name)

    def Get_errhandler(self) -> Errhandler:
        self._alive()
        return self._errhandler

    def Set_errhandler(self, errhandler: Errhandler) -> None:
        """Keep the handler; whichever it is, what MPI refuses is raised."""
        self._alive()
        self._errhandler = errhandler

    def Attach_buffer(self, buf: Any) -> None:
        self._alive().attached.attach(buf)

    def Detach_buffer(self) -> Any:
        rank = self._alive()
        return rank.attached.detach(rank)

    def Flush_buffer(self) -> None:
        rank = self._begin("Flush_buffer")
        rank.attached.flush(rank, "Flush_buffer")

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """End all ranks."""
        rank = self._begin("Abort")
        text = f"rank {rank.number} calls Abort({errorcode}), {here()}: all ranks end"
        rank.world.fail(Finding(Kind.ABORTED, rank.number, "Abort", here(), text))
        raise AssertionError("the run is over")

    @makes("communicator")
    def Dup(self, info: object = None) -> Self:
        arrival = self._meet("Dup", collectives.new_context)
        twin = self._twin(finished("Dup", arrival))
        self._copy_to(twin)
        return twin

    Clone = Dup

    @makes("communicator")
    def Split(self, color: int = 0, key: int = 0) -> Comm:
        """Create communicators of the ranks that give the same ``color``, in the order of ``key``."""
        if color < 0 and color != UNDEFINED:
            raise MPIException(f"color={color} is no color: at least 0, or UNDEFINED", "ARG")
        return self._parted("Split", color, key)

    @makes("communicator")
    def Split_type(self, split_type: int, key: int = 0, info: object = None) -> Comm:
        """Create a communicator of the ranks on one machine."""
        if split_type not in (COMM_TYPE_SHARED, UNDEFINED):
            raise Unsupported("Comm.Split_type of another type than COMM_TYPE_SHARED")
        return self._parted("Split_type", UNDEFINED if split_type == UNDEFINED else self._alive().machine, key)

    @makes("communicator")
    def Create(self, group: Group) -> Comm:
        """Create a communicator of the ranks in ``group``; all ranks of this one call it."""
        members = self._members(group)
        return self._of(finished("Create", self._meet("Create", collectives.new_context)), members)

    @makes("communicator")
    def Create_group(self, group: Group, tag: int = 0) -> Comm:
        """Create a communicator of the ranks in ``group``, which alone call it."""
        members = self._members(group)
        rank = self._begin("Create_group")
        if rank.number not in members:
            return type(self)()
        arrival = Arrival(rank, "Create_group", here(), members, f" with tag {tag}", (), ())
        collectives.meet((self._context, members, "tag", tag), self._context, arrival, collectives.new_context)
        return self._of(finished("Create_group", arrival), members)

    def Free(self) -> None:
        """Delete the attributes, then meet all ranks."""
        if self._context == 0:
            raise MPIException("COMM_WORLD cannot be freed", "COMM")
        self._alive()
        self._delete_all()
        finished("Free", self._meet("Free", collectives.nothing))
        self._rank = None
        end(self)

    Disconnect = Free

    def free(self) -> None:
        """Free the communicator, unless it is null or predefined."""
        if self and self._context:
            self.Free()

    def _twin(self, context: int) -> Self:
        return type(self)(self._rank, context, self._group)

    def _parted(self, call: str, color: int, key: int) -> Comm:
        context, group = finished(call, self._meet(call, collectives.split, brings=(color, key)))
        return self._of(context, group)

    def _of(self, context: int, members: Sequence[int]) -> Comm:
        rank = self._alive()
        return Comm(rank, context, members) if rank.number in members else Comm()

    def _members(self, group: Group) -> tuple[int, ...]:
        members = group._alive()
        if not set(members) <= set(self._group):
            raise MPIException(f"group {list(members)} has ranks that are not in this communicator", "GROUP")
        return members
