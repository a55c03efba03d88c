"""Descent on every rank: against the mean, each by itself for some steps, or within a low rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import ring, two_shot
from sparring.impl.core.local_sgd import LocalSGD
from sparring.impl.power_sgd import Allreduce


class Forgetful(Allreduce):
    """What is not sent is lost."""

    def __call__(self, x: Any, /) -> Any:
        y = super().__call__(x)
        if self._waiting is not None:
            self._waiting[:] = 0
        return y


def slope(rows: Any, w: Any) -> Any:
    """The gradient of this rank's part."""
    a, b = rows[:, :-1], rows[:, -1]
    return a.T @ (a @ w - b) / len(b)


def local(comm: Any, rows: Any, *, rate: float, every: int, steps: int, through: str = "ring") -> Any:
    """By step where the rank is; and whether means were taken."""
    summed = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}[through]
    descent, walk = LocalSGD(comm, np.zeros(rows.shape[1] - 1), summed, rate, every), []
    for _ in range(steps):
        met = descent.step(slope(rows, descent.w))
        walk.append(np.append(descent.w, met))
    return np.stack(walk)


def powered(comm: Any, rows: Any, *, rate: float, steps: int, rank: int, columns: int, forgets: bool = False) -> Any:
    """By step where all are, this rank's gradient there, and what it keeps then."""
    n = rows.shape[1] - 1
    mean: Any = (Forgetful if forgets else Allreduce)(comm, n, rank=rank, columns=columns, rate=0)
    w, walk = np.zeros(n), []
    for _ in range(steps):
        gradient = slope(rows, w)
        w -= mean(rate * gradient)
        walk.append(np.concatenate([w, gradient, mean.residual]))
    return np.stack(walk)


def refused(comm: Any, every: Any) -> Any:
    """The error's text where a rank passes such a number of steps."""
    try:
        LocalSGD(comm, np.zeros(3), ring.allreduce, 0.1, int(every[0]))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)
