"""Chooses who runs next, and every other thing that MPI leaves open."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from sparring.errors import InputError
from sparring.world.core.choices import Step, Way


class Schedule:
    """The choices of one run: the rank that has waited longest runs until it must wait; of the ways on, the first."""

    def pick(self, n: int) -> int:
        """Pick one of ``n`` ranks that can run, the longest waiting first."""
        return 0

    def choose(self, ways: Sequence[Way]) -> int:
        """Choose one of the ways on, where no rank can run without."""
        return 0

    def yields(self) -> bool:
        """Return whether a rank that could go on lets the others go first, asked at every MPI call."""
        return False


class Seeded(Schedule):
    """Random choices, the same for the same seed; ranks also give way in the midst of their work."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, n: int) -> int:
        return self._random.randrange(n)

    def choose(self, ways: Sequence[Way]) -> int:
        return self._random.randrange(len(ways))

    def yields(self) -> bool:
        return self._random.random() < 0.5


class Adversarial(Schedule):
    """The choices on which programs count least: always the last of the ways on.

    A receive from any source gets the message that came last, MPI copies a send rather than find its
    receive, and tests return nothing as long as they can.
    """

    def choose(self, ways: Sequence[Way]) -> int:
        return len(ways) - 1


class Redundant(Exception):
    """Raised where all ways on are asleep: another run goes them."""


class Branching(NamedTuple):
    """A place where a path took the first of several ways awake: ``awake`` are their numbers and steps."""

    numbers: tuple[int, ...]
    awake: tuple[tuple[int, Step], ...]
    asleep: frozenset[Step]


class Path(Schedule):
    """A schedule along the ways with these numbers, then always the first that is not ``asleep``.

    A step is asleep as long as all that follows from it here is what follows from it on another
    path, on which it comes first; steps that do not commute with it wake it: sleep sets (Godefroid
    1990).  ``branchings`` are where other paths leave this one.

    Raises InputError where there is no way of that number, Redundant where all ways are asleep.
    """

    def __init__(self, numbers: Sequence[int], asleep: frozenset[Step] = frozenset()) -> None:
        self.numbers, self.asleep = tuple(numbers), asleep
        self.taken: tuple[int, ...] = ()
        self.branchings: list[Branching] = []

    def choose(self, ways: Sequence[Way]) -> int:
        if len(self.taken) >= len(self.numbers):
            number = self._first(ways)
        else:
            number = self._given(ways) if len(ways) > 1 else 0
        if len(ways) > 1:  # the others are not counted
            self.taken += (number,)
        return number

    def _given(self, ways: Sequence[Way]) -> int:
        number = self.numbers[len(self.taken)]
        if not 0 <= number < len(ways):
            raise InputError(f"choices[{len(self.taken)}]={number}: there are {len(ways)} ways, numbered from 0")
        return number

    def _first(self, ways: Sequence[Way]) -> int:
        """Return the first way that is awake, at the end of the given ones."""
        awake = [(i, way.step) for i, way in enumerate(ways) if way.step not in self.asleep]
        if not awake:
            raise Redundant
        if len(awake) > 1:
            self.branchings.append(Branching(self.taken, tuple(awake), self.asleep))
        number, step = awake[0]
        self.asleep = frozenset(s for s in self.asleep if s.commutes(step))
        return number


def schedule(name: str, seed: int) -> Schedule:
    """Return the schedule called ``name``.  Raises InputError."""
    match name:
        case "round-robin":
            return Schedule()
        case "seeded":
            return Seeded(seed)
        case "adversarial":
            return Adversarial()
    raise InputError(f"no scheduler {name!r}: round-robin, seeded or adversarial")
