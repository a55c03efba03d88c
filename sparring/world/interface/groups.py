"""``MPI.Group``: an ordered set of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparring.world.core.constants import PROC_NULL, UNDEFINED, Local, MPIException
from sparring.world.core.leaks import end, makes
from sparring.world.core.ranks import running

IDENT, CONGRUENT, SIMILAR, UNEQUAL = 0, 1, 2, 3


class Group(Local):
    """A group of ranks: ``members`` are their numbers in the world; None once freed."""

    def __init__(self, members: Group | Iterable[int] | None = None) -> None:
        given: Iterable[int] | None = members._members if isinstance(members, Group) else members
        self._members: tuple[int, ...] | None = None if given is None else tuple(given)

    def Get_size(self) -> int:
        return len(self._alive())

    def Get_rank(self) -> int:
        """Return the calling rank's place, or UNDEFINED."""
        members, number = self._alive(), running().number
        return members.index(number) if number in members else UNDEFINED

    size, rank = property(Get_size), property(Get_rank)

    def Translate_ranks(self, ranks: Sequence[int] | None = None, group: Group | None = None) -> list[int]:
        """Return the places in ``group`` of those at ``ranks``, all by default; UNDEFINED for others."""
        members, others = self._alive(), Group.world() if group is None else group._alive()
        wanted = range(len(members)) if ranks is None else ranks
        return [PROC_NULL if r == PROC_NULL else _place(others, self._at(r)) for r in wanted]

    @staticmethod
    def world() -> tuple[int, ...]:
        """Return the group of all ranks."""
        return tuple(range(running().world.p))

    def Compare(self, group: Group) -> int:
        a, b = self._alive(), group._alive()
        return IDENT if a == b else SIMILAR if set(a) == set(b) else UNEQUAL

    @classmethod
    @makes("group")
    def Union(cls, group: Group, other: Group) -> Group:
        return Group(dict.fromkeys(group._alive() + other._alive()))

    @classmethod
    @makes("group")
    def Intersection(cls, group: Group, other: Group) -> Group:
        return Group(r for r in group._alive() if r in other._alive())

    @classmethod
    @makes("group")
    def Difference(cls, group: Group, other: Group) -> Group:
        return Group(r for r in group._alive() if r not in other._alive())

    @makes("group")
    def Incl(self, ranks: Sequence[int]) -> Group:
        return Group([self._at(r) for r in self._distinct(ranks)])

    @makes("group")
    def Excl(self, ranks: Sequence[int]) -> Group:
        out = [self._at(r) for r in self._distinct(ranks)]
        return Group(r for r in self._alive() if r not in out)

    @makes("group")
    def Range_incl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        return self.Incl(_spread(ranks))

    @makes("group")
    def Range_excl(self, ranks: Sequence[tuple[int, int, int]]) -> Group:
        return self.Excl(_spread(ranks))

    @makes("group")
    def Dup(self) -> Group:
        return Group(self._alive())

    def Free(self) -> None:
        self._alive()
        self._members = None
        end(self)

    def __bool__(self) -> bool:
        return self._members is not None

    def _alive(self) -> tuple[int, ...]:
        if self._members is None:
            raise MPIException("Null group: it was freed", "GROUP")
        return self._members

    def _at(self, rank: int) -> int:
        members = self._alive()
        if not 0 <= rank < len(members):
            raise MPIException(f"rank {rank} is not in this group: 0..{len(members) - 1}", "RANK")
        return members[rank]

    def _distinct(self, ranks: Sequence[int]) -> Sequence[int]:
        if len(set(ranks)) != len(ranks):
            raise MPIException(f"ranks {list(ranks)} name one twice", "RANK")
        return ranks


def _spread(ranges: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the ranks of triples (first, last, step)."""
    if any(step == 0 for _, _, step in ranges):
        raise MPIException("a range of ranks has step 0", "ARG")
    return [r for first, last, step in ranges for r in range(first, last + (1 if step > 0 else -1), step)]


def _place(members: Sequence[int], number: int) -> int:
    return members.index(number) if number in members else UNDEFINED
