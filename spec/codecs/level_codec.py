"""Vectors as one unit and a level an entry, with its sign: the codes of QSGD [QSGD]_.

The unit is the norm over so many levels, in the type of the vector; the squares of the norm are added up as in
:mod:`~sparring.spec.codecs.sign_codec`.  An entry is read as the unit times its level, with its sign.

A message has the unit, then for each entry a number: its level, and above it a bit that is set where the entry is
below 0.  Which level an entry has is decided before: what is read of a message is what was put there.

>>> v = leveled(0.5, [1, 3, 0], [0.6, -1.4, 0.1])
>>> v, Levels(3).written(Levels(3).pieces(v, [slice(0, 3)])[0])
([0.5, -1.5, 0.0], [0.5, 13, 2])

.. [QSGD] D. Alistarh, D. Grubic, J. Li, R. Tomioka and M. Vojnovic, "QSGD: Communication-efficient SGD via gradient
   quantization and encoding", NeurIPS 2017, arXiv:1610.02132.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, NamedTuple

from sparring.spec.codecs import integer_bytes
from sparring.spec.codecs.sign_codec import exact, floating, folded, root
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, local


class Coded(NamedTuple):
    """A coded vector: its unit, by entry the level, and whether it is below 0."""

    unit: Any
    levels: Sequence[int]
    below: Sequence[int]


class Leveled(Vector):
    """What is read of codes, and these."""

    __slots__ = ("coded",)

    def __init__(self, coded: Coded) -> None:
        super().__init__(read(coded), type(coded.unit)(0))
        self.coded = coded


def width(levels: int) -> int:
    """The bits of a level and of its sign."""
    return levels.bit_length() + 1


def norm(x: Sequence[Any], by_max: int) -> Any:
    """Of at least one entry, in 64 bits or exactly."""
    sizes = [abs(exact(v)) for v in x]
    return max(sizes) if by_max else root(folded([v * v for v in sizes]))


@local
def unit(x: Vector, levels: int, by_max: int) -> Any:
    """The norm, or with ``by_max`` the greatest magnitude, over the levels; NaN where it is no finite number."""
    if len(x) == 0:
        return x.zero
    first, *_ = x
    found, kind = norm([*x], by_max) / levels, type(first)
    if not floating(first):
        return found
    return kind(found) if all(map(isfinite, x)) and isfinite(kind(found)) else kind("nan")


def read(coded: Coded) -> list[Any]:
    """What is read from these codes."""
    return [-(coded.unit * q) if below else coded.unit * q for q, below in zip(coded.levels, coded.below)]


@local
def leveled(unit: Any, levels: Any, x: Any) -> Vector:
    """What is read of these levels, with the signs of ``x``."""
    return Leveled(Coded(unit, [*levels], [1 if v < 0 else 0 for v in x]))


@dataclass(frozen=True)
class Levels:
    """These codes as a form in which vectors travel, those that :func:`leveled` makes; ``levels``: the greatest."""

    levels: int
    exact: ClassVar[bool] = True

    def pieces(self, x: Any, cuts: Sequence[slice]) -> list[Coded]:
        return [Coded(x.coded.unit, x.coded.levels[cut], x.coded.below[cut]) for cut in cuts]

    def decode(self, coded: Coded) -> Vector:
        return Leveled(coded)

    def written(self, coded: Coded) -> Any:
        """Bytes where the unit has any, else a list of the unit and of the bytes after it."""
        sign = width(self.levels) - 1
        numbers = integer_bytes.packed([q | below << sign for q, below in zip(coded.levels, coded.below)], sign + 1)
        return memoryview(coded.unit.tobytes() + numbers) if hasattr(coded.unit, "tobytes") else [coded.unit, *numbers]

    def sample(self, x: Vector) -> Vector:
        """A vector that travels so, as long as this one."""
        sample: Vector = leveled(x.zero + 1, [0] * len(x), x)
        return sample

    def octets(self, c: Int, size: int) -> Int:
        """How many bytes the message of ``c`` entries has, with a unit of ``size`` bytes."""
        return size + integer_bytes.octets(c, width(self.levels))
