"""Makes the vectors that a stateful target gets, call after call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparring.refinement import comparison
from sparring.refinement.comparison import DTYPES, sizes
from sparring.refinement.example import Example


def edges(ranks: Sequence[int], dtypes: Sequence[str] = DTYPES, prop: str = "dtypes") -> list[Example]:
    """Return examples of these dtypes at edge sizes."""
    return [edge(p, n, dtype, prop) for p in ranks for n in sizes(p) for dtype in DTYPES if dtype in dtypes]


def edge(p: int, n: int, dtype: str, prop: str = "dtypes") -> Example:
    """Return an example of vectors of ``n`` entries, of which few, many, all or none are kept."""
    kept = (0, 1, p - 1, n // 2, n, 2 * n + 3)[(p + n + DTYPES.index(dtype)) % 6]
    return Example(vectors(dtype, p, n), prop, {"k": kept})


def vectors(dtype: str, p: int, n: int) -> list[Any]:
    """Return for each rank four vectors: two of small integers, full of ties, then two of what goes wrong."""
    rng = np.random.default_rng([p, n, DTYPES.index(dtype)])
    small = [rng.integers(-2, 3, (2, n)).astype(dtype) for _ in range(p)]
    return [np.stack([*ties, odd, odd[::-1]]) for ties, odd in zip(small, comparison.vectors(dtype, p, n))]
