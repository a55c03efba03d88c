"""Fractions of letters, where a page's function divides by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparring.spec.core.numbers import Bool, Int, Node, Sym, Truth


class Unlike(Sym):
    """A letter for all numbers but one, at which a page's function does something else: what is said of it supposes so.

    >>> unlike("w", 1000) == 1000, unlike("w", 1000) == 999
    (False, (w == 999))
    """

    __slots__ = ("number",)
    __hash__ = Node.__hash__
    number: int

    def __eq__(self, o: Int) -> Bool:  # type: ignore[override]  # as of every symbol
        return False if type(o) is int and o == self.number else Truth("==", self, o)


def unlike(name: str, number: int) -> Unlike:
    """Return the letter of that name, which is not ``number``."""
    letter = Unlike("var", name)
    letter.number = number
    return letter


@dataclass(frozen=True)
class Ratio:
    """``top / bottom``; ``bottom`` is not 0, and of a letter that is a hypothesis.

    >>> half, third = Ratio(1, 2), Ratio(1, 3)
    >>> (half - third).is_(1, 6), ((half + 1) * 2).is_(half * 6), (third / 2).is_(1, 5)
    (True, True, False)
    """

    top: Int
    bottom: Int = 1

    def __add__(self, o: Any) -> Ratio:
        one = ratio(o)
        return Ratio(self.top * one.bottom + one.top * self.bottom, self.bottom * one.bottom)

    def __sub__(self, o: Any) -> Ratio:
        return self + ratio(o) * -1

    def __mul__(self, by: Int) -> Ratio:
        return Ratio(self.top * by, self.bottom)

    def __truediv__(self, by: Int) -> Ratio:
        return Ratio(self.top, self.bottom * by)

    def is_(self, o: Any, bottom: Int = 1) -> Bool:
        """Return whether it is ``o / bottom``."""
        one = ratio(o) / bottom
        return self.top * one.bottom == one.top * self.bottom


def ratio(x: Any) -> Ratio:
    """Return a number as a fraction, and a fraction as it is."""
    return x if isinstance(x, Ratio) else Ratio(x)
