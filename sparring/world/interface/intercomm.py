"""``MPI.Intercomm``: a communicator between two groups, whose messages go to the other group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sparring.world.core.constants import Unsupported
from sparring.world.core.leaks import makes
from sparring.world.interface.collectives import Arrival
from sparring.world.interface.comm import Comm
from sparring.world.interface.groups import Group


class Intercomm(Comm):
    """A communicator of two groups; rank and size are those of the own group, collectives ``Dup`` and ``Free``."""

    is_intra, is_inter = False, True

    def __init__(
        self, rank: Any = None, context: int = -1, group: Sequence[int] = (), remote: Sequence[int] = ()
    ) -> None:
        super().__init__(rank, context, group)
        if not isinstance(rank, Comm):
            self._remote = tuple(remote)

    def Is_intra(self) -> bool:
        return not self.Is_inter()

    def Is_inter(self) -> bool:
        self._alive()
        return True

    def Get_remote_size(self) -> int:
        self._alive()
        return len(self._remote)

    @makes("group")
    def Get_remote_group(self) -> Group:
        self._alive()
        return Group(self._remote)

    remote_size, remote_group = property(Get_remote_size), property(Get_remote_group)

    @property
    def _peers(self) -> tuple[int, ...]:
        return self._remote

    def _twin(self, context: int) -> Self:
        return type(self)(self._rank, context, self._group, self._remote)

    @property
    def _everyone(self) -> tuple[int, ...]:
        """Return the ranks of both groups."""
        return tuple(sorted(self._group + self._remote))

    def _meet(self, call: str, *what: Any, **brought: Any) -> Arrival:
        if call not in ("Dup", "Free"):
            raise Unsupported(f"Intercomm.{call}")
        return super()._meet(call, *what, **brought)
