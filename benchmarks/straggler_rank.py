"""Iterations with stragglers, on each rank; ``stragglers.py`` starts it and says when micro-batches are over."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.drop_compute import DropCompute

SLICE = 1e-3
"""Seconds that are slept at a time, where a micro-batch may be given up in its midst."""


class Sleeper:
    """An iteration's micro-batches, each over at a time of its own after the first has begun; all they do is wait."""

    def __init__(self, ends: NDArray[np.float64], share: float, entries: int) -> None:
        self.ends, self.begins, self.share = ends, np.concatenate([[0.0], ends[:-1]]), share
        self.gradient, self.first = np.ones(entries, np.float32), 0.0

    def passes(self, m: int) -> Generator[None, None, NDArray[np.float32]]:
        """Yields between the passes."""
        self.started(m)
        self.until(self.begins[m] + self.share * (self.ends[m] - self.begins[m]))
        yield
        self.until(self.ends[m])
        return self.gradient

    def slices(self, m: int) -> Generator[None, None, NDArray[np.float32]]:
        """Yields all the time."""
        self.started(m)
        while time.perf_counter() - self.first < self.ends[m] - SLICE:
            time.sleep(SLICE)
            yield
        self.until(self.ends[m])
        return self.gradient

    def started(self, m: int) -> None:
        if m == 0:
            self.first = time.perf_counter()

    def until(self, moment: float) -> None:
        """Wait until so long after the first micro-batch has begun."""
        time.sleep(max(0.0, self.first + moment - time.perf_counter()))


def measured(
    comm: Any, x: NDArray[np.float64], *, many: int, tau: float, rule: str, share: float, entries: int
) -> NDArray[np.float64]:
    """By iteration: micro-batches that count, when computing was over, and when the iteration; in one row.

    ``x``: when micro-batches are over, by iteration.  A negative ``tau`` is none.
    """
    drop = DropCompute(comm, entries, micro_batches=many, tau=tau if tau >= 0 else float("inf"), rule=rule)
    found = []
    for ends in x.reshape(-1, many):
        sleeper = Sleeper(ends, share, entries)
        comm.Barrier()
        begin = time.perf_counter()
        step = drop(sleeper.slices if rule == "analytic" else sleeper.passes)
        found.append([step.completed, step.seconds, time.perf_counter() - begin])
    return np.array(found).ravel()
