"""Least squares on several ranks by EF-SGD, EF21 and EF21M, and single-node runs of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import arc_top_k
from sparring.impl.core.sgd import EF21, SGD
from sparring.impl.estimates import Estimates


class Unmoved(Estimates):
    """Estimates to which what was sent is not added: what is sent is sent again."""

    def __call__(self, x: Any, /) -> Any:
        y = super().__call__(x)
        if self._waiting is not None:
            self._waiting[:] = 0
        return y


MADE: dict[str, Any] = {
    "estimates": (EF21, Estimates, {}),
    "estimates of means": (EF21, Estimates, {"momentum": 100}),
    "unmoved": (EF21, Unmoved, {}),
    "arc ef14": (SGD, arc_top_k.Allreduce, {"feedback": "ef14", "columns": 3}),
    "arc ef21": (EF21, arc_top_k.Allreduce, {"feedback": "ef21", "columns": 3}),
    "arc ef21m": (EF21, arc_top_k.Allreduce, {"feedback": "ef21m", "columns": 3, "momentum": 100}),
}


def descent(comm: Any, w: Any, kind: str, k: int, rate: float, **more: Any) -> Any:
    """An optimiser with what it needs."""
    optimiser, summed, options = MADE[kind]
    return optimiser(comm, w, summed(comm, w.size, k=k, **options, **more), rate)


def path(comm: Any, rows: Any, *, kind: str, steps: int, k: int, rate: float, noise: float = 0.0, seed: int = 0) -> Any:
    """The parameters after each step; a gradient's noise is this rank's own."""
    a, b = rows[:, :-1], rows[:, -1]
    rng = np.random.default_rng([seed, comm.Get_rank()])
    one, ws = descent(comm, np.zeros(a.shape[1]), kind, k, rate), []
    for _ in range(steps):
        one.step(a.T @ (a @ one.w - b) / len(b) + noise * rng.standard_normal(a.shape[1]))
        ws.append(one.w.copy())
    return np.concatenate(ws)


def estimates(comm: Any, xs: Any, **params: Any) -> Any:
    """Results and what is estimated, call after call."""
    one = Estimates(comm, xs.shape[1], **params)
    return np.concatenate([part for x in xs for part in (one(x), np.array(one.residual))])
