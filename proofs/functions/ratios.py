"""Fractions of letters, where a page's function divides by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparring.spec.core.numbers import Bool, Int


@dataclass(frozen=True)
class Ratio:
    """``top / bottom``; ``bottom`` is a number, and not 0.

    >>> half, third = Ratio(1, 2), Ratio(1, 3)
    >>> (half - third).is_(1, 6), ((half + 1) * 2).is_(half * 6), (third / 2).is_(1, 5)
    (True, True, False)
    """

    top: Int
    bottom: int = 1

    def __add__(self, o: Any) -> Ratio:
        one = ratio(o)
        return Ratio(self.top * one.bottom + one.top * self.bottom, self.bottom * one.bottom)

    def __sub__(self, o: Any) -> Ratio:
        return self + ratio(o) * -1

    def __mul__(self, by: int) -> Ratio:
        return Ratio(self.top * by, self.bottom)

    def __truediv__(self, by: int) -> Ratio:
        return Ratio(self.top, self.bottom * by)

    def is_(self, o: Any, bottom: int = 1) -> Bool:
        """Return whether it is ``o / bottom``."""
        one = ratio(o) / bottom
        return self.top * one.bottom == one.top * self.bottom


def ratio(x: Any) -> Ratio:
    """Return a number as a fraction, and a fraction as it is."""
    return x if isinstance(x, Ratio) else Ratio(x)
