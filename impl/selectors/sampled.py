"""A threshold from a sample of the vector: as large a part of the sample reaches it as ``k`` is of the vector.

The sample is every ``stride``-th entry; in each call it begins one entry further on, so that a fault
of the sample does not last.  Thresholds from samples, and to select once more where too much passes,
are [LH18]_; which entries the sample has is our own.

.. [LH18] Y. Lin, S. Han, H. Mao, Y. Wang and W. J. Dally, "Deep gradient compression: reducing the
   communication bandwidth for distributed training", ICLR 2018, arXiv:1712.01887.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core import selection
from sparring.impl.core.selecting import Calls, counted, limited
from sparring.impl.core.transport import Vector


class Selector(Calls):
    """About ``k`` entries; of more than ``limit``, if that is given, the largest ``limit``.

    ``stride``: one entry of so many is in the sample; ``seed``: which is the first in the first call.
    Ranks with one seed sample the same places.  Raises InputError for parameters that are no such numbers.
    """

    def __init__(self, *, k: int = 100, stride: int = 64, seed: int = 0, limit: int | None = None) -> None:
        super().__init__()
        self._k, self._stride, self._seed = counted("k", k), counted("stride", stride, 1), counted("seed", seed)
        self._limit = limited("limit", limit)

    def _indices(self, x: Vector, size: NDArray[Any]) -> NDArray[np.int64]:
        step = max(1, min(self._stride, x.size))
        sample = size[(self._seed + self.calls) % step :: step].copy()
        wanted = -(-min(self._k, x.size) * sample.size // max(1, x.size))
        largest = selection.first(sample, wanted)
        at = selection.reaching(size, sample[largest].min() if largest.size else None)
        return at if self._limit is None or at.size <= self._limit else selection.first(size, self._limit)
