"""Groups of ranks: ranks lie on a grid, and an exchange may be among those that differ in one coordinate.

On a grid with the sides ``a, b, ...`` the coordinates of rank ``r`` are ``r % a``, ``r // a % b`` and so on.  With
``m`` ranks a node, one after the other, the first coordinate is a rank's place in its node and the second is its node.
So along the first axis the ranks of a node meet, and along the second those with the same place in their nodes.

>>> node, across = axes(6, 2)
>>> node.groups(6), across.groups(6)
([[0, 1], [2, 3], [4, 5]], [[0, 2, 4], [1, 3, 5]])
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from sparring.errors import InputError, ScheduleFault
from sparring.spec.core.numbers import Int
from sparring.spec.core.schedule import number


@dataclass(frozen=True)
class Axis:
    """One axis of a grid: along it meet those whose coordinates are alike on all the others."""

    sides: tuple[Any, ...]
    which: int

    @property
    def size(self) -> Any:
        """How many ranks meet."""
        return self.sides[self.which]

    @property
    def stride(self) -> Any:
        """How far apart two neighbours on the axis are."""
        return prod(self.sides[: self.which])

    def groups(self, p: int) -> list[list[int]]:
        """All groups of ``p`` ranks, each by place; raises ScheduleFault where the grid has not ``p`` places."""
        if (places := prod(self.sides)) != p or min(self.sides) < 1:
            raise ScheduleFault(p, None, f"a grid with sides {[*self.sides]} has {places} places, one for each rank")
        firsts = [r for r in range(p) if number(place(r, self.stride, self.size)) == 0]
        return [[number(member(r, j, self.stride, self.size)) for j in range(self.size)] for r in firsts]


def axes(p: Any, *sides: Any) -> tuple[Axis, ...]:
    """The axes of a grid of ``p`` ranks with these sides, and one more as long as makes room for all.

    Raises InputError unless sides are at least 1 and their product divides ``p``.
    """
    whole = prod(sides)
    if isinstance(p, int) and isinstance(whole, int) and (min(sides, default=1) < 1 or p % whole):
        raise InputError(f"sides {[*sides]} of a grid: each must be 1 or more, and their product must divide p = {p}")
    return tuple(Axis((*sides, p // whole), e) for e in range(len(sides) + 1))


def place(r: Int, stride: Int, size: Int) -> Int:
    """The coordinate of rank ``r`` on an axis."""
    return r // stride % size


def member(r: Int, j: Int, stride: Int, size: Int) -> Int:
    """Who is at coordinate ``j`` of those whom rank ``r`` meets there."""
    return r + (j - place(r, stride, size)) * stride
