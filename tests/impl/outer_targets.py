"""On every rank: inner steps of AdamW on least squares, and an outer step after some of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tests.impl.descent_targets import slope


class AdamW:
    """Decoupled weight decay, as Loshchilov and Hutter have it; ``w`` is changed in its place."""

    def __init__(self, n: int, rate: float = 0.05, decay: float = 0.01) -> None:
        self.m, self.v, self.t, self.rate, self.decay = np.zeros(n), np.zeros(n), 0, rate, decay

    def step(self, w: Any, g: Any) -> None:
        self.t += 1
        self.m += 0.1 * (g - self.m)
        self.v += 0.001 * (g * g - self.v)
        up, down = self.m / (1 - 0.9**self.t), np.sqrt(self.v / (1 - 0.999**self.t)) + 1e-8
        w -= self.rate * (up / down + self.decay * w)


def trained(comm: Any, rows: Any, *, name: str, inner: int, outer: int, **params: Any) -> Any:
    """By outer step where this rank goes on."""
    n = rows.shape[1] - 1
    step = import_module(f"sparring.impl.{name}").Allreduce(comm, n, **params)
    optimiser, w, walk = AdamW(n), np.zeros(n), []
    for _ in range(outer):
        for _ in range(inner):
            optimiser.step(w, slope(rows, w))
        w = step(w)
        walk.append(w.copy())
    return np.array(walk)
