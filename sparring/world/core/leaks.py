"""Finds what a rank makes and does not free: communicators, groups, datatypes, operations, persistent requests.

Lost is what nobody holds any more and nobody has freed: now nobody can.  What a program still holds
when it ends, in a module's global, say, is not lost; neither is what hangs as an attribute from a
communicator, with which MPI frees it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sparring.world.core.constants import Local
from sparring.world.core.findings import Finding, Kind, here
from sparring.world.core.ranks import Rank, running

P = ParamSpec("P")
T = TypeVar("T")


class Life:
    """The life of a thing from ``call`` at ``where`` until it has ``ended``; all handles on the thing share it."""

    __slots__ = ("call", "ended", "rank", "what", "where")

    def __init__(self, rank: Rank, what: str) -> None:
        self.rank, self.call, self.what, self.where, self.ended = rank, "", what, here(), False

    def __del__(self) -> None:
        if not self.ended:
            self.rank.world.lost.append((self.rank.number, self.call, self.what, self.where))


Lost = tuple[int, str, str, str]
"""Rank, call, what it made, and where."""


def findings(lost: Sequence[Lost]) -> list[Finding]:
    """Return one finding for each place, of the lowest rank that lost something there."""
    first: dict[tuple[str, str, str], int] = {}
    for r, *place in sorted(lost):
        first.setdefault((place[0], place[1], place[2]), r)
    return [
        Finding(Kind.LEAK, r, call, where, f"rank {r} lost the {what} that it made with {call} ({where}): no Free")
        for (call, what, where), r in first.items()
    ]


def makes(what: str, name: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a call, by this or its own name, as one that returns something which must be freed, unless it is null."""

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            made: Any = function(*args, **kwargs)
            if made:
                made._life = made._life or Life(running(), what)
                made._life.call = name or function.__name__  # the last is the one that the program called
            result: T = made
            return result

        return call

    return decorated


def end(thing: Any) -> None:
    """Note that ``thing`` was freed, or that MPI will free it."""
    if isinstance(thing, Local) and thing._life:
        thing._life.ended = True
