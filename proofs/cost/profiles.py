"""What a machine's file may say beside its three letters: seconds for work on entries, and how all was measured."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Literal

import msgspec

from sparring.errors import InputError

Kind = Literal["select", "merge", "pack"]
"""Work on entries: taking the largest of a vector, by its entries; adding two sparse chunks, by the entries of both;
writing and reading a message, by its entries."""
What = Literal["exchange", "add", "select", "merge", "pack", "algorithm"]
"""What was timed: sending and receiving a message, an addition of two vectors, work, a whole allreduce."""
Letter = Literal["alpha", "beta", "gamma"]

Count = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Table = Sequence[tuple[Count, Seconds]]
"""Sizes, ascending, each with seconds an entry."""
Work = dict[Kind, list[tuple[Count, Seconds]]]


class Timed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that was timed: until the slowest rank was through, all ranks being busy with it."""

    what: What
    size: Count
    """Bytes of a message that is exchanged, else entries."""
    seconds: tuple[Seconds, Seconds, Seconds, Seconds]
    """The least of all rounds, and the quartiles."""
    predicted: Seconds | None = None
    """What the fit says, or an algorithm's derived cost."""
    fitted: bool = False
    """Whether the fit has seen it; else it was held out."""
    distance: Count | None = None
    """Of an exchange: rank ``r`` sends to rank ``r + distance``."""
    algorithm: str = ""
    k: Count | None = None
    """Entries that a rank keeps, where the algorithm is a sparse one."""

    @property
    def median(self) -> float:
        """Seconds."""
        return self.seconds[2]

    @property
    def error(self) -> float | None:
        """By which part of what was measured the prediction is too high, or, negative, too low."""
        return None if self.predicted is None or not self.median else self.predicted / self.median - 1


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a machine's numbers were found, and what they are worth."""

    ranks: Count
    hosts: Count
    cores: Count
    """That the ranks may use, on all hosts."""
    mpi: str
    rounds: Count
    seconds: Seconds
    clock: Seconds
    """The least time that the clock tells apart."""
    intervals: dict[Letter, tuple[Seconds, Seconds]]
    """Where 95 percent of the values lie that are fitted to rounds and sizes drawn again, with replacement."""
    timed: list[Timed]
    crowded: bool = False
    """Whether some host has more ranks than cores: then ranks wait for each other's turn, and not for the network."""
    unjudged: dict[str, str] = {}
    """Algorithms that were not predicted, and why."""


def check(work: Mapping[Kind, Table]) -> None:
    """Raises InputError unless every table has a size, and sizes that ascend."""
    for what, table in work.items():
        if not table:
            raise InputError(f"work: {what} has no size; right: [[entries, seconds an entry], ...]")
        for (a, _), (b, _) in pairwise(table):
            if a >= b:
                raise InputError(f"work: {what} has {b} entries after {a}: sizes ascend")


def seconds(table: Table, entries: int | Fraction) -> Fraction:
    """What work on so many entries takes: a straight line between two sizes, else as the nearest, an entry.

    >>> table = [(10, 1.0), (20, 0.75)]
    >>> [float(seconds(table, entries)) for entries in (1, 10, 18, 20, 40)]
    [1.0, 10.0, 14.0, 15.0, 30.0]
    """
    sizes = [size for size, _ in table]
    whole = [size * Fraction(str(each)) for size, each in table]
    i = bisect_left(sizes, entries)
    if i in (0, len(sizes)):
        nearest = min(i, len(sizes) - 1)
        return entries * whole[nearest] / sizes[nearest]
    part = Fraction(entries - sizes[i - 1], sizes[i] - sizes[i - 1])
    return whole[i - 1] + part * (whole[i] - whole[i - 1])
