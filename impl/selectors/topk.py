"""Exact top-k: the largest magnitudes, of equal ones the lower index first, NaN before all [AH17]_.

No entry is sorted: a sample says above which magnitude the largest certainly are, these few are
gathered, and a partition of their bits finds the last one.

.. [AH17] A. F. Aji and K. Heafield, "Sparse communication for distributed gradient descent",
   EMNLP 2017, arXiv:1704.05021.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core import selection
from sparring.impl.core.selecting import Calls, counted
from sparring.impl.core.transport import Vector


class Selector(Calls):
    """The ``k`` largest entries, or all ``n`` where ``k`` is larger.  Raises InputError for a negative ``k``."""

    def __init__(self, *, k: int = 100) -> None:
        super().__init__()
        self._k = counted("k", k)

    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        return selection.first(size, self._k)
