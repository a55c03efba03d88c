"""Cartesian communicators: ranks in a grid, the last coordinate running fastest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from sparring.world.core.buffers import blocks, simple
from sparring.world.core.constants import CART, PROC_NULL, UNDEFINED, MPIException
from sparring.world.core.leaks import makes
from sparring.world.core.objects import Thing
from sparring.world.core.ranks import finished
from sparring.world.interface import collectives
from sparring.world.interface.buffer_collectives import _forms
from sparring.world.interface.collectives import Arrival
from sparring.world.interface.comm import Comm
from sparring.world.interface.intercomm import Intercomm


class Intracomm(Comm):
    """A communicator, from which one with a grid can be made."""

    @makes("communicator")
    def Create_cart(
        self, dims: Sequence[int], periods: Sequence[bool] | bool | None = None, reorder: bool = False
    ) -> Comm:
        """Create a communicator with a grid; ranks beyond it get a null communicator, and none is moved."""
        sides = [int(side) for side in dims]
        around = _per_side(periods, len(sides))
        size = int(np.prod(sides))
        if size > self.Get_size():
            raise MPIException(f"a grid {sides} has {size} ranks, the communicator {self.Get_size()}", "ARG")
        context = finished("Create_cart", self._meet("Create_cart", collectives.new_context))
        return self._grid(context, self._group[:size], sides, around)

    @makes("communicator")
    def Create_intercomm(self, local_leader: int, peer_comm: Comm, remote_leader: int, tag: int = 0) -> Intercomm:
        """Between this group and another one, whose leader this one's finds on ``peer_comm``, which others ignore."""
        context = finished("Create_intercomm", self._meet("Create_intercomm", collectives.new_context))
        mine, theirs = (context, self._group), None
        if self._root(local_leader):
            theirs = peer_comm.sendrecv(mine, remote_leader, tag, source=remote_leader, recvtag=tag)
        other, remote = self.bcast(theirs, local_leader)
        return Intercomm(self._alive(), max(context, other), self._group, remote)

    def Get_topology(self) -> int:
        self._alive()
        return UNDEFINED

    topology = property(lambda self: self.Get_topology())

    def _of(self, context: int, members: Sequence[int]) -> Comm:
        rank = self._alive()
        return Intracomm(rank, context, members) if rank.number in members else Intracomm()

    def _grid(self, context: int, members: Sequence[int], dims: list[int], periods: list[bool]) -> Comm:
        rank = self._alive()
        if rank.number not in members:
            return Intracomm()
        grid = Cartcomm(rank, context, members)
        grid.dims, grid.periods = dims, periods
        return grid


class Cartcomm(Intracomm):
    """A communicator with ``dims`` ranks along each side; ``periods``: the side is closed to a ring."""

    dims: list[int]
    periods: list[bool]
    is_topo = True

    def Get_topology(self) -> int:
        self._alive()
        return CART

    def Get_dim(self) -> int:
        self._alive()
        return len(self.dims)

    dim = ndim = property(Get_dim)

    def Get_topo(self) -> tuple[list[int], list[int], list[int]]:
        """Return the sides, whether they are closed, and this rank's coordinates."""
        return list(self.dims), [int(x) for x in self.periods], self.coords

    topo = property(Get_topo)

    @property
    def coords(self) -> list[int]:
        """This rank's coordinates."""
        return self.Get_coords(self.Get_rank())

    def Get_coords(self, rank: int) -> list[int]:
        if not 0 <= rank < self.Get_size():
            raise MPIException(f"rank={rank} is no rank of this communicator: 0..{self.Get_size() - 1}", "RANK")
        return [int(x) for x in np.unravel_index(rank, self.dims)] if self.dims else []

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        at = [int(x) % side if ring else int(x) for x, side, ring in zip(coords, self.dims, self.periods, strict=True)]
        if any(not 0 <= x < side for x, side in zip(at, self.dims)):
            raise MPIException(f"no rank has the coordinates {list(coords)}: the grid is {self.dims}", "ARG")
        return int(np.ravel_multi_index(at, self.dims)) if at else 0

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Return from which rank, and to which, a shift along one side goes; PROC_NULL beyond an edge."""
        if not 0 <= direction < len(self.dims):
            raise MPIException(f"direction={direction} is none of this grid's: 0..{len(self.dims) - 1}", "ARG")
        return self._neighbour(direction, -disp), self._neighbour(direction, disp)

    @makes("communicator")
    def Sub(self, remain_dims: Sequence[bool]) -> Comm:
        """Create communicators of the grids that remain when coordinates along all other sides are fixed."""
        mine, kept = self.coords, [bool(x) for x in remain_dims]
        fixed = [x for x, keep in zip(mine, kept, strict=True) if not keep]
        others = [side for side, keep in zip(self.dims, kept) if not keep]
        color = int(np.ravel_multi_index(fixed, others)) if others else 0
        brought = color, self.Get_rank()
        context, group = finished("Sub", self._meet("Sub", collectives.split, brings=brought))
        dims = [side for side, keep in zip(self.dims, kept) if keep]
        return self._grid(context, group, dims, [ring for ring, keep in zip(self.periods, kept) if keep])

    def neighbor_allgather(self, sendobj: Any) -> list[Any]:
        """What the neighbours give, along each side the one before first; None beyond an edge."""
        around = self._around()
        takes = [Thing() for _ in around]
        meeting = self._meet("neighbor_allgather", collectives.from_neighbours, "", [Thing(sendobj)], takes, around)
        finished("neighbor_allgather", meeting)
        return [take.value for take in takes]

    def _around(self) -> list[int]:
        """The ranks before and after this one, along one side after the other; PROC_NULL beyond an edge."""
        return [rank for direction in range(len(self.dims)) for rank in self.Shift(direction, 1)]

    def _twin(self, context: int) -> Self:
        twin = super()._twin(context)
        twin.dims, twin.periods = self.dims, self.periods
        return twin

    def _neighbour(self, direction: int, disp: int) -> int:
        at: list[Any] = self.coords
        at[direction] += disp
        if not self.periods[direction] and not 0 <= at[direction] < self.dims[direction]:
            return PROC_NULL
        return self.Get_cart_rank(at)


def _neighbor_allgather(grid: Cartcomm, call: str, sendbuf: Any, recvbuf: Any) -> Arrival:
    """What begins ``Neighbor_allgather``: a block from each neighbour; those from beyond an edge stay as they are."""
    around = grid._around()
    takes = blocks(recvbuf, len(around), True)
    return grid._meet(call, collectives.from_neighbours, "", [simple(sendbuf)], takes, around)


for _form, _method in _forms("Neighbor_allgather", _neighbor_allgather).items():
    setattr(Cartcomm, _form, _method)


def _per_side(periods: Sequence[bool] | bool | None, sides: int) -> list[bool]:
    if periods is None or isinstance(periods, bool | int):
        return [bool(periods)] * sides
    if len(periods) != sides:
        raise ValueError(f"{len(periods)} periods for {sides} sides")
    return [bool(x) for x in periods]


def Compute_dims(nnodes: int, dims: int | Sequence[int]) -> list[int]:
    """Return sides of ``nnodes`` that are as equal as can be, the larger first; sides that are not 0 stay."""
    given = [0] * dims if isinstance(dims, int) else [int(side) for side in dims]
    fixed = int(np.prod([side for side in given if side]))
    if nnodes < 1 or fixed < 1 or nnodes % fixed:
        raise MPIException(f"{nnodes} ranks make no grid with sides {given}", "DIMS")
    free = given.count(0)
    if not free and fixed != nnodes:
        raise MPIException(f"{nnodes} ranks make no grid with sides {given}", "DIMS")
    sides = iter(min(_products(nnodes // fixed, free), key=lambda sides: (sides[0] - sides[-1], sides)) if free else ())
    return [side or next(sides) for side in given]


def _products(n: int, factors: int, largest: int | None = None) -> list[list[int]]:
    """Yield all ways to write ``n`` as a product, the larger factors first."""
    if factors == 1:
        return [[n]] if largest is None or n <= largest else []
    sides = [d for d in range(1, n + 1) if n % d == 0 and (largest is None or d <= largest)]
    return [[d, *rest] for d in sides for rest in _products(n // d, factors - 1, d)]
