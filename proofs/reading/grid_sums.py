"""Sums along the axes of a grid: what exchanges among groups of ranks promise on points.

After a sum along one axis all members of a group have the sum over their group, each in a chunk of its own if it was a
reduce-scatter.  A value that is added up along some axes, and not along all, is a :class:`GridSum`.  Once it is added
up along all, each once, it is the sum over all ranks, since coordinates are one to one with ranks
(``proofs/coq/grids.v``).  Those who meet along an axis are alike in all other coordinates: so they have chunks of the
same indices, and pieces are put together again along the axis along which they were cut last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple, NoReturn

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.points import Apart, Point, point
from sparring.proofs.reading.summands import nonzero
from sparring.proofs.reading.symbols import exact
from sparring.spec.core.grids import Axis, axes
from sparring.spec.core.numbers import Bool, Int, negate
from sparring.spec.core.vectors import AtPoint


class Cut(NamedTuple):
    """The owners of an index: on the grid with these sides, those at its place on each of these axes."""

    sides: str
    axes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class GridSum(AtPoint):
    """A value of which each rank has the sum of ``each`` over those from whom it differs ``along`` these axes alone."""

    reading: Any
    each: Int
    sides: tuple[Any, ...]
    along: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()
    """The axes along which vectors are cut into chunks, of which a rank has one."""

    @property
    def placement(self) -> str:
        """The placement in the words of points: there is one in each group."""
        return "shard" if self.cut else "partial"

    def __repr__(self) -> str:
        axes = " and ".join(map(str, self.along))
        return f"sum of {self.each!r} along axis {axes} of {len(self.sides)} alone"

    def used(self, *_: Any) -> NoReturn:
        raise Undecided(f"a rank computes with the {self!r}: what it does between sums along two axes is not read")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = __abs__ = used
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __rand__ = __or__ = __ror__ = __invert__ = __getitem__ = used
    __mod__ = __floordiv__ = __bool__ = __len__ = total = owned = is_number = gathered = by_rank = chooses = used
    letter = formula = own_chunk = used  # type: ignore[assignment]  # of whatever arguments


def answer(self: Any, e: Any) -> Point | GridSum:
    """Return what an exchange along an axis gives; raise Apart where ranks cannot have its result."""
    name = type(e).__name__
    if name not in RULES or not exact(e.code) or getattr(e, "at", None) is not None or extra(e):
        raise Undecided(f"{name} among the ranks along an axis: nothing is known of it with these terms")
    self.same += [
        Obligation(f"{what} (axis {e.among.which})", (*self.box, *self.hypotheses), claim)
        for what, claim in places(self, e.among)
    ]
    return RULES[name](self, e)


def extra(e: Any) -> bool:
    """Return whether a reduce-scatter has bounds or a bucket, which no rule here speaks of."""
    return any(not isinstance(x, int | tuple) or x for x in (getattr(e, "bounds", ()), getattr(e, "bucket", 0)))


def places(self: Any, axis: Axis) -> Iterator[tuple[str, Bool]]:
    """Yield what makes a grid have one place for each rank, each with its name."""
    p: Any = 1 if self.alone else Point(self, "replicate", self.p)
    *sides, _ = axis.sides
    if repr(axes(p, *sides)[axis.which]) != repr(axis):
        raise Apart(f"{axis!r}: its last side is not what is left of p")
    for one in sides:
        yield "a side is 1 or more", point(self, one).rest >= 1
    left: Any = p % prod(sides)
    yield "the sides of the grid divide p", negate(left.truth.value) if isinstance(left, Point) else left == 0


def added(self: Any, e: Any) -> GridSum:
    """Return the sum along one axis more."""
    x, axis = e.x, e.among
    if not isinstance(x, GridSum):
        x = point(self, x)
        if x.placement in ("shard", "arrived") or nonzero(x.each):
            raise Apart(f"{type(e).__name__} along an axis of {x!r}, which has been added up already")
        x = GridSum(self, x.rest, axis.sides)
    if repr(x.sides) != repr(axis.sides):
        raise Apart(f"a {x!r} is added up along an axis of another grid")
    if axis.which in x.along:
        raise Apart(f"a {x!r} is added up along axis {axis.which} once more")
    return replace(x, along=(*x.along, axis.which))


def settled(x: GridSum) -> Point | GridSum:
    """Return the sum over all ranks once all axes are through, else what is given."""
    if len(x.along) < len(x.sides):
        return x
    owner = Cut(repr(x.sides), x.cut) if x.cut else ""
    return Point(x.reading, "shard" if x.cut else "replicate", rest=0, each=x.each, owner=owner)


def reduce_scatter(self: Any, e: Any) -> Point | GridSum:
    x = added(self, e)
    return settled(replace(x, cut=(*x.cut, e.among.which)))


def allreduce(self: Any, e: Any) -> Point | GridSum:
    return settled(added(self, e))


def allgather(self: Any, e: Any) -> Point | GridSum:
    """Return what pieces make that were cut along this axis, after all others."""
    x = e.x if isinstance(e.x, GridSum) else point(self, e.x)
    cut = x.cut if isinstance(x, GridSum) else x.owner.axes if isinstance(x.owner, Cut) else ()
    sides = repr(x.sides) if isinstance(x, GridSum) else x.owner.sides if cut else ""
    if cut[-1:] != (e.among.which,) or sides != repr(e.among.sides):
        raise Apart(f"allgather along axis {e.among.which} of {x!r}: pieces were not cut there, or not last")
    if isinstance(x, GridSum):
        return replace(x, cut=cut[:-1])
    return replace(x, owner=Cut(sides, cut[:-1])) if cut[:-1] else replace(x, placement="replicate", owner="")


RULES: dict[str, Callable[[Any, Any], Point | GridSum]] = {
    "ReduceScatter": reduce_scatter,
    "Allreduce": allreduce,
    "Allgather": allgather,
}
"""The promise of each exchange among groups."""
