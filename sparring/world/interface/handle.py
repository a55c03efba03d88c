"""The base of communicators: rank, context, group, checked arguments."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from sparring.world.core.constants import ANY_SOURCE, PROC_NULL, TAG_UB, Local, MPIException
from sparring.world.core.ranks import Rank

SPECIAL = {"dest": (PROC_NULL,), "source": (PROC_NULL, ANY_SOURCE), "root": ()}


class Handle(Local):
    """A rank's handle on the communicator number ``context``; null once freed.

    ``group``: its ranks, by their numbers in the world; communicators with no rank in common may
    have the same number.  ``Handle(other)`` is another handle on the same communicator.
    """

    def __init__(self, rank: Rank | Handle | None = None, context: int = -1, group: Sequence[int] = ()) -> None:
        if isinstance(rank, Handle):
            vars(self).update(vars(rank))
            return
        self._rank, self._context, self._group = rank, context, tuple(group)
        self._index = self._group.index(rank.number) if rank else PROC_NULL

    def Get_rank(self) -> int:
        self._alive()
        return self._index

    def Get_size(self) -> int:
        self._alive()
        return len(self._group)

    rank, size = property(Get_rank), property(Get_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and (self is other or self._identity() == other._identity())

    def __hash__(self) -> int:
        return hash(self._identity())

    def __bool__(self) -> bool:
        return self._rank is not None

    _kind = "Comm"

    @property
    def _peers(self) -> tuple[int, ...]:
        """Return the ranks of the world that messages go to and come from."""
        return self._group

    def _identity(self) -> Any:
        return (self._rank.number, self._context, self._group) if self._rank else None

    def _alive(self) -> Rank:
        if self._rank is None:
            raise MPIException("Null communicator: it was freed, or the rank is not in it", "COMM")
        return self._rank

    def _begin(self, call: str) -> Rank:
        rank = self._alive()
        rank.world.begin(rank, call)
        return rank

    def _peer(self, peer: int, role: str) -> int:
        """Return the rank of the world that a rank of the communicator is."""
        self._alive()
        peer, p = operator.index(peer), len(self._peers)
        if 0 <= peer < p:
            return self._peers[peer]
        if peer not in SPECIAL[role]:
            raise MPIException(
                f"{role}={peer} is no rank of this communicator: 0..{p - 1}", "ROOT" if role == "root" else "RANK"
            )
        return peer


def valid_tag(tag: int, *special: int) -> int:
    """Return ``tag`` as a number.  Raises MPIException for what is none."""
    tag = operator.index(tag)
    if not 0 <= tag <= TAG_UB and tag not in special:
        raise MPIException(f"tag={tag} is no tag: 0..{TAG_UB}", "TAG")
    return tag
