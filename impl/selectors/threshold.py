"""A threshold, evaluated anew every so many calls: between these one comparison an entry, and no search.

In every ``period``-th call the ``k`` largest entries are found exactly, and the least of their
magnitudes is the threshold for the calls that follow: what reaches it is taken [LH22]_.  That an
evaluating call takes exactly ``k`` whatever ties there are, and ``drift``, are our own.

.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core import selection
from sparring.impl.core.selecting import Calls, counted, limited
from sparring.impl.core.transport import Vector


class Selector(Calls):
    """The entries that reach a threshold, which lets ``k`` pass in each ``period``-th call, the first included.

    ``drift``: a call in which their number would be further from ``k`` than that evaluates anew,
    too; None for any number.  Raises InputError for parameters that are no such numbers.
    """

    def __init__(self, *, k: int = 100, period: int = 32, drift: int | None = None) -> None:
        super().__init__()
        self._k, self._period, self._drift = counted("k", k), counted("period", period, 1), limited("drift", drift)
        self._least: Any = None

    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        if self.calls % self._period:
            at = selection.reaching(size, self._least)
            if self._drift is None or abs(at.size - min(self._k, x.size)) <= self._drift:
                return at
        at = selection.first(size, self._k)
        self._least = size[at].min() if at.size else None
        return at
