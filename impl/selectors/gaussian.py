"""A threshold from a normal distribution with the vector's own mean and standard deviation.

What is left of it above the threshold is ``k / (2 n)`` [SC19]_.  Where so many entries reach it
that ``k`` is missed by more than a quarter, it is divided or multiplied by 1.02, up to 20 times
unless another number is asked for, as the program of [LH22]_ has it.

So that all ranks and programs have the same bits, sums are made in lanes: entry ``i`` goes to lane
``i % LANES``, and lanes are added in halves.

.. [SC19] S. Shi, X. Chu, K. C. Cheung and S. See, "Understanding top-k sparsification in
   distributed deep learning", arXiv:1911.08772, 2019.
.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core import selection
from sparring.impl.core.selecting import Calls, counted
from sparring.impl.core.transport import Vector

FACTOR = 1.02
LANES = 1024
ROWS = 32
"""So many rows of lanes at a time: what they take stays in a core's cache."""


class Selector(Calls):
    """The entries that reach the threshold, and infinities and NaN, which do not count for it.

    None where ``k`` is 0, all ``n`` where it is ``n`` or more.  ``steps``: how often the threshold is
    adjusted at most.  Raises InputError for parameters that are no such numbers.
    """

    def __init__(self, *, k: int = 100, steps: int = 20) -> None:
        super().__init__()
        self._k, self._steps = counted("k", k), counted("steps", steps)

    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        k = self._k
        if k == 0 or k >= x.size:
            return np.arange(min(k, x.size))
        t = threshold(x, k)
        least = selection.magnitude(t, x.dtype)
        for _ in range(self._steps):
            found = int(np.count_nonzero(size >= least))
            if 3 * k <= 4 * found <= 5 * k:
                break
            t = t / FACTOR if 4 * found < 3 * k else t * FACTOR
            least = selection.magnitude(t, x.dtype)
        return selection.reaching(size, least)


def threshold(x: Vector, k: int) -> float:
    """Where ``k / (2 n)`` of the distribution lies above."""
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, and its threshold lets little pass
        values, whole = x, total(x)
        if not math.isfinite(whole):
            values = x[np.isfinite(x)]
            whole = total(values)
        mean = whole / max(1, values.size)
        deviation = math.sqrt(total(values, mean) / max(1, values.size))
    return mean - NormalDist().inv_cdf(k / (2 * x.size)) * deviation


def total(x: Vector, mean: float | None = None) -> float:
    """The sum; with a mean, that of the squares of what entries are away from it.  In double precision."""
    lanes, rows = np.zeros(LANES), np.empty((ROWS, LANES))
    for start in range(0, x.size, rows.size):
        part = x[start : start + rows.size]
        filled = rows.reshape(-1)[: part.size]
        filled[:] = part
        if mean is not None:
            filled -= mean
            filled *= filled
        rows.reshape(-1)[part.size :] = 0
        rows[0] += lanes
        np.add.reduce(rows, axis=0, out=lanes)  # row after row
    while lanes.size > 1:
        half = lanes.size // 2
        lanes = lanes[:half] + lanes[half:]
    return float(lanes[0])
