"""The exact sum of rows of numbers, and how far rounding may take a sum in any order from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


def reference(xs: Sequence[Array], roundings: int = 0, *, mean: bool = False) -> tuple[Array, Array]:
    """Return the exact sum, rounded once, and how far a sum in any order may be off; -0.0 where all are -0.0.

    With ``mean`` that of floats is divided, and so may be what is added.

    The bound is Higham's gamma_{p-1} sum |x| (Accuracy and Stability of Numerical Algorithms, 2nd
    ed., eq. 4.4), plus half a unit for the rounding of the reference; 0 for integers, which wrap.
    ``roundings``: how many more an entry goes through than there are additions, each as an addition counts.
    """
    table = np.stack(xs)
    if mean:
        return divided(*reference(xs, roundings + 2), len(xs))
    if table.dtype.kind == "i":
        return table.sum(axis=0, dtype=table.dtype), np.zeros(table.shape[1])
    wide = table.astype(np.float64)
    finite = np.isfinite(wide).all(axis=0)
    with np.errstate(all="ignore"):
        exact = np.where(finite, 0, wide.sum(axis=0))  # infinite, or NaN, in any order
    exact[finite] = [math.fsum(column) for column in wide[:, finite].T.tolist()]
    exact[(np.signbit(wide) & (wide == 0)).all(axis=0)] = -0.0
    weights = gamma(len(xs) - 1 + roundings, table.dtype) * np.where(finite, np.abs(wide), 0)
    return exact.astype(table.dtype), weights.sum(axis=0) + unit(table.dtype) * np.where(finite, np.abs(exact), 0)


def divided(sums: Array, slack: Array, p: int) -> tuple[Array, Array]:
    """Return the mean of ``p``, and how far it may be off: also by what lies below the least number."""
    least = p * float(np.finfo(str(sums.dtype)).smallest_subnormal)
    with np.errstate(all="ignore"):
        return (sums / p).astype(sums.dtype), slack / p + least * np.isfinite(sums)


def gamma(additions: int, dtype: np.dtype[Any]) -> float:
    """Return the part of the sum of magnitudes by which so many additions may be off, in whatever order."""
    lost = additions * unit(dtype)
    return lost / (1 - lost)


def unit(dtype: np.dtype[Any]) -> float:
    """Return the largest part of itself by which rounding changes a number."""
    return float(np.finfo(str(dtype)).eps) / 2
