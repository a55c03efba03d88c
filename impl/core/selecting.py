"""What all selectors have in common: numbers of entries as parameters, and vectors of one length and dtype."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core import selection
from sparring.impl.core.arguments import check_vector
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse


class Calls(ABC):
    """A selector, called with one vector after the other; it may remember what it has seen."""

    def __init__(self) -> None:
        self.calls = 0
        """How many vectors it has been given."""
        self._like: tuple[int, np.dtype[Any]] | None = None

    def __call__(self, x: Vector, /) -> Sparse:
        """The entries of ``x`` that are taken, indices ascending and of int64.

        ``x``: a contiguous vector of float32, float64, int32 or int64, of one length and dtype in all
        calls; it stays as it is.  Raises InputError for another.
        """
        check_vector("x", x)
        if self._like not in (None, (x.size, x.dtype)):
            n, dtype = self._like
            raise InputError(f"x has {x.size} entries of {x.dtype}, before {n} of {dtype}: all calls need the same")
        self._like = x.size, x.dtype
        at = self._indices(x, selection.magnitudes(x))
        self.calls += 1
        return selection.chosen(x, at)

    @abstractmethod
    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        """Which entries are taken; ``size`` orders as magnitudes do."""


def counted(name: str, value: Any, least: int = 0) -> int:
    """``value`` as a whole number; raises InputError for another, or one below ``least``."""
    if not isinstance(value, Integral) or int(value) < least:
        raise InputError(f"{name} = {value!r}: it must be a whole number, {least} or more")
    return int(value)


def limited(name: str, value: Any) -> int | None:
    """The same where None stands for no limit."""
    return None if value is None else counted(name, value)
