"""Who runs next, and every other choice that MPI leaves open: one small place for all of them."""

from __future__ import annotations

import random
from typing import Protocol

from sparring.errors import InputError


class Schedule(Protocol):
    """Makes the choices of one run."""

    def pick(self, n: int) -> int:
        """One of ``n`` possibilities, the longest waiting first: a rank to run, a source to match."""
        ...

    def yields(self) -> bool:
        """Whether a rank that could go on lets the others go first, asked at every MPI call."""
        ...


class RoundRobin:
    """Whoever has waited longest; a rank runs until it has to wait."""

    def pick(self, n: int) -> int:
        return 0

    def yields(self) -> bool:
        return False


class Seeded:
    """Random choices, the same for the same seed; ranks also give way in the midst of their work."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, n: int) -> int:
        return self._random.randrange(n)

    def yields(self) -> bool:
        return self._random.random() < 0.5


def schedule(name: str, seed: int) -> Schedule:
    """The schedule called ``name``.  Raises InputError."""
    match name:
        case "round-robin":
            return RoundRobin()
        case "seeded":
            return Seeded(seed)
    raise InputError(f"no scheduler {name!r}: round-robin or seeded")
