"""Forms in which vectors travel: as they are, or in codes that are made piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from sparring.spec.core.numbers import Int
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.vectors import Vector


class Code(Protocol):
    """A form in which vectors travel.  ``name`` and its parameters tell it from other codes."""

    def pieces(self, x: Any, cuts: Sequence[slice]) -> list[Any]:
        """The codes of ``x``, cut into pieces."""
        ...

    def decode(self, coded: Any) -> Any:
        """The vector that is read from the codes of a piece."""
        ...

    def written(self, coded: Any) -> Any:
        """The message: bytes, where the entries have any, else a list of what is told."""
        ...

    def octets(self, c: Int, width: int) -> Int:
        """The bytes of a message of ``c`` entries of ``width`` bytes."""
        ...


@dataclass(frozen=True)
class Plain:
    """As it is."""

    exact: ClassVar[bool] = True
    """What is read is what was coded."""

    def pieces(self, x: Any, cuts: Sequence[slice]) -> list[Any]:
        if isinstance(x, SparseVector):
            return [x.piece(cut.start, cut.stop).within(cut.start, x.n) for cut in cuts]
        return [x[cut] for cut in cuts]

    def decode(self, coded: Any) -> Any:
        return coded

    def written(self, coded: Any) -> Any:
        return [*coded] if isinstance(coded, Vector) else coded

    def octets(self, c: Int, width: int) -> Int:
        return c * width


PLAIN = Plain()


class Coding:
    """Codes that are made piece by piece: ``encode(x)`` makes those of one piece, ``decode`` reads them.

    A subclass is a frozen dataclass of its parameters.
    """

    exact: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    """A vector's codes are made of all of it and then cut, so that a rank knows by itself what others read of it."""

    @property
    def period(self) -> int:
        """So many entries more take always as many bytes more."""
        return 8

    def encode(self, x: Any) -> Any:
        raise NotImplementedError

    def decode(self, coded: Any) -> Any:
        raise NotImplementedError

    def pieces(self, x: Any, cuts: Sequence[slice]) -> list[Any]:
        return [self.encode(x[cut]) for cut in cuts]
