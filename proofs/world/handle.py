"""What every call on a communicator needs: its rank, its context, checked arguments."""

from __future__ import annotations

import operator
from typing import Any

from sparring.proofs.world.constants import ANY_SOURCE, PROC_NULL, TAG_UB, MPIException, Named, unsupported
from sparring.proofs.world.ranks import Rank

SPECIAL = {"dest": (PROC_NULL,), "source": (PROC_NULL, ANY_SOURCE), "root": ()}


class Handle(metaclass=Named):
    """One rank's handle on the communicator number ``context``, of all ranks; null once freed."""

    def __init__(self, rank: Rank | None, context: int) -> None:
        self._rank, self._context = rank, context

    def Get_rank(self) -> int:
        return self._alive().number

    def Get_size(self) -> int:
        return self._alive().world.p

    rank, size = property(Get_rank), property(Get_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and (self is other or self._rank is other._rank is None)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._rank is not None

    def __getattr__(self, name: str) -> Any:
        raise unsupported("Comm", name)

    def _alive(self) -> Rank:
        if self._rank is None:
            raise MPIException("Null communicator: it was freed")
        return self._rank

    def _begin(self, call: str) -> Rank:
        rank = self._alive()
        rank.world.begin(rank, call)
        return rank

    def _peer(self, peer: int, role: str) -> int:
        peer, p = operator.index(peer), self.Get_size()
        if not 0 <= peer < p and peer not in SPECIAL[role]:
            raise MPIException(f"{role}={peer} is no rank of this communicator: 0..{p - 1}")
        return peer


def valid_tag(tag: int, *special: int) -> int:
    """``tag`` as a number.  Raises MPIException for what is none."""
    tag = operator.index(tag)
    if not 0 <= tag <= TAG_UB and tag not in special:
        raise MPIException(f"tag={tag} is no tag: 0..{TAG_UB}")
    return tag
