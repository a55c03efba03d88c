"""Descent on every rank: by sums of which a part is sent, along estimates, or each by itself for some steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import arc_top_k, ef21, ef21_m, oktopk, power_sgd, ring, two_shot
from sparring.impl.training.local_sgd import LocalSGD
from sparring.impl.training.sgd import EF21, SGD
from tests.impl.on_ranks import text


class Low(SGD):
    """Whose allreduce takes means itself."""

    def step(self, gradient: Any, /) -> Any:
        self.w -= self._summed(self.rate * gradient)


def forgetful(kind: Any) -> Any:
    """A class of which nothing stays behind: what is not sent is lost, or sent again."""

    class Forgetful(kind):
        def __call__(self, x: Any, /) -> Any:
            y = super().__call__(x)
            if self._waiting is not None:
                self._waiting[:] = 0
            return y

    return Forgetful


MADE: dict[str, Any] = {
    "oktopk": (SGD, oktopk.Allreduce, {"k": 5, "tau": 5, "tau_prime": 1}),
    "estimates": (EF21, ef21.Estimates, {"k": 4}),
    "estimates of means": (EF21, ef21_m.Estimates, {"k": 4, "momentum": 100}),
    "arc ef14": (SGD, arc_top_k.Allreduce, {"k": 1, "feedback": "ef14", "columns": 6}),
    "arc ef21": (EF21, arc_top_k.Allreduce, {"k": 1, "feedback": "ef21", "columns": 6}),
    "arc ef21m": (EF21, arc_top_k.Allreduce, {"k": 1, "feedback": "ef21m", "columns": 6, "momentum": 100}),
    "rank 1": (Low, power_sgd.Allreduce, {"rank": 1, "columns": 4, "rate": 0}),
    "rank 2": (Low, power_sgd.Allreduce, {"rank": 2, "columns": 4, "rate": 0}),
}
"""Of vectors of 24 entries a fifth, or a row of four, or so many factors, in each step."""


def slope(rows: Any, w: Any) -> Any:
    """The gradient of this rank's part."""
    a, b = rows[:, :-1], rows[:, -1]
    return a.T @ (a @ w - b) / len(b)


def walked(
    comm: Any, rows: Any, *, kind: str, steps: int, rate: float, forgets: bool = False, noise: float = 0, seed: int = 0,
    **more: Any,
) -> Any:  # fmt: skip
    """By step where all are, this rank's gradient before it, and what it keeps then; noise is a rank's own."""
    optimiser, summed, options = MADE[kind]
    n, rng = rows.shape[1] - 1, np.random.default_rng([seed, comm.Get_rank()])
    kept = (forgetful(summed) if forgets else summed)(comm, n, **{**options, **more})
    descent, walk = optimiser(comm, np.zeros(n), kept, rate), []
    for _ in range(steps):
        gradient = slope(rows, descent.w) + noise * rng.standard_normal(n)
        descent.step(gradient)
        walk.append([descent.w.copy(), gradient, np.array(kept.residual)])
    return np.array(walk)


def estimates(comm: Any, xs: Any, **params: Any) -> Any:
    """Results and what is estimated, call after call."""
    one = (ef21_m if "momentum" in params else ef21).Estimates(comm, xs.shape[1], **params)
    return np.array([[one(x), np.array(one.residual)] for x in xs])


def local(comm: Any, rows: Any, *, rate: float, every: int, steps: int, through: str = "ring") -> Any:
    """By step where the rank is; and whether means were taken."""
    summed = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}[through]
    descent, walk = LocalSGD(comm, np.zeros(rows.shape[1] - 1), summed, rate, every), []
    for _ in range(steps):
        met = descent.step(slope(rows, descent.w))
        walk.append(np.append(descent.w, met))
    return np.stack(walk)


def refused(comm: Any, every: Any) -> Any:
    """The error's text where a rank passes such a number of steps."""
    return text(lambda: LocalSGD(comm, np.zeros(3), ring.allreduce, 0.1, int(every[0])))
