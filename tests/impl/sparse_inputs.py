"""What sparse allreduces are tried on."""

from __future__ import annotations

import numpy as np
import pytest

from sparring import Sparse

DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e-40, -1e-40, 1.0, -1.0, 3e38, -3e38])
EDGES = [
    pytest.param([Sparse([1], [2.0], 3)], id="one rank"),
    pytest.param([Sparse([1], [2.0], 3)] * 3, id="ranks no power of two"),
    pytest.param([Sparse([], [], 5)] * 4, id="k = 0"),
    pytest.param([Sparse([], [], 0)] * 3, id="n = 0"),
    pytest.param([Sparse([0], [1.0], 2)] * 5, id="n < p"),
    pytest.param([Sparse([0, 6], [1.0, 2.0], 7)] * 3, id="n no multiple of p"),
    pytest.param([Sparse([2], [0.0], 4), Sparse([2], [-0.0], 4)], id="explicit zeros"),
    pytest.param([Sparse([2], [1.5], 4), Sparse([2], [-1.5], 4)], id="cancellation"),
    pytest.param([Sparse([0, 1, 2], [1.0, 2.0, 3.0], 4), Sparse([], np.zeros(0), 4)], id="unequal supports"),
    pytest.param([Sparse([r << 40], [1.0], 1 << 50) for r in range(3)], id="indices of 8 bytes"),
]
"""What published codes leave open or fail on: vectors, one a rank."""


def vectors(p, n, dtype, density, seed=0):
    """Independent supports; values that cancel, over- and underflow, and zeros of both signs."""
    rng = np.random.default_rng([seed, p, n])
    xs = []
    for _ in range(p):
        at = np.flatnonzero(rng.random(n) < density)
        if np.dtype(dtype).kind == "i":
            values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, at.size, dtype, endpoint=True)
        else:
            with np.errstate(all="ignore"):
                values = rng.choice(SPECIAL, at.size).astype(dtype)
        xs.append(Sparse(at, values, n))
    return xs
