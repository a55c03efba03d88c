"""A threshold from an exponential distribution that is fitted to magnitudes, in stages [AE21]_.

Of an exponential distribution with mean ``m`` the part ``d`` lies above ``m log(1 / d)``.  The first stage is as if all
magnitudes were so distributed, each later one as if what exceeds the threshold before were, from there on.  How many
stages there are follows how many entries are taken, as in the authors' program: after ``calls`` calls there is one less
where these were too many on the average, and one more where they were too few.

Sums are made in the lanes of :mod:`sparring.impl.selectors.gaussian`, so that all ranks and programs have their bits.

.. [AE21] A. M. Abdelmoniem, A. Elzanaty, M.-S. Alouini and M. Canini, "An efficient statistical-based gradient
   compression technique for distributed training systems", MLSys 2021, arXiv:2101.10761.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core import selection
from sparring.impl.core.selecting import Calls, counted
from sparring.impl.core.transport import Vector
from sparring.impl.selectors.gaussian import total

WHOLE = 1000
"""Thousandths."""


class Selector(Calls):
    """The entries that exceed the threshold, and infinities and NaN, which do not count for it.

    None where ``k`` is 0, all ``n`` where it is ``n`` or more.  ``first``: above the threshold of the first of several
    stages so many thousandths of all should lie, 1 to 999; ``calls``: how many calls the number of stages stays;
    ``off``: by how many thousandths ``k`` may be missed.  Raises InputError for parameters that are no such numbers.
    """

    def __init__(self, *, k: int = 100, first: int = 250, calls: int = 5, off: int = 200) -> None:
        super().__init__()
        self._k, self._first, self._every = counted("k", k), counted("first", first, 1), counted("calls", calls, 1)
        self._off = counted("off", off)
        if self._first >= WHOLE:
            raise InputError(f"first = {first}: it must be 999 or less")
        self._stages, self._since, self._found = 1, 0, 0

    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        if self._k == 0 or self._k >= x.size:
            return np.arange(min(self._k, x.size))
        if self._since == self._every:
            self._follow(x.size)
        finite = np.abs(x[np.isfinite(x)].astype(np.float64))
        t = threshold(finite, self._parts(x.size))
        at = selection.reaching(size, selection.magnitude(math.nextafter(t, math.inf), x.dtype))
        self._since, self._found = self._since + 1, self._found + at.size
        return at

    def _follow(self, n: int) -> None:
        """A stage less, or more, where too many entries were found, or too few."""
        wanted, found = self._k * self._every, WHOLE * self._found
        if found > (WHOLE + self._off) * wanted:
            self._stages = max(self._stages - 1, 1)
        elif found < (WHOLE - self._off) * wanted:
            self._stages = min(self._stages + 1, most_stages(self._k, n))
        self._since, self._found = 0, 0

    def _parts(self, n: int) -> list[float]:
        """By stage, which part of what is left should exceed its threshold."""
        aim, first = self._k / n, self._first / WHOLE
        later = self._stages - 1
        return [first] + [(aim / first) ** (1 / later)] * later if later and aim < first else [aim]


def threshold(values: NDArray[np.float64], parts: list[float]) -> float:
    """That of the last stage; of those for which something is left."""
    t = 0.0
    with np.errstate(over="ignore"):  # what overflows is infinite, and nothing exceeds its threshold
        for part in parts:
            if not values.size:
                break
            t += total(values - t) / values.size * math.log(1 / part)
            values = values[values > t]
    return t


def most_stages(k: int, n: int) -> int:
    """One for each time that ``n`` is halved until no more than ``k`` are left, and one at least."""
    stages = 1
    while k << stages < n:
        stages += 1
    return stages
