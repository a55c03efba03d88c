"""Iterations of many ranks drawn at random, and what the drop rules make of them: beside the model's averages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.analysis.stragglers.numbers import Setting, known
from sparring.errors import InputError
from sparring.spec.training.drop_compute import RULES

Times = NDArray[np.float64]
ERRORS = 4
"""Standard errors that a mean is told with: a normal one is nearer with probability 0.99994."""


class Mean(NamedTuple):
    """A mean over independent iterations, and how far it may be from the expectation."""

    value: float
    reach: float

    def agrees(self, x: float) -> bool:
        return abs(self.value - x) <= self.reach


class Seen(NamedTuple):
    """The measurements of one rule in simulated iterations."""

    slowest: Mean
    """The computing time of the slowest rank, with nothing dropped."""
    completed: Mean
    """Micro-batches of a rank that count."""
    last: Mean
    """When the last rank's computing ends, with the rule."""
    speedup: float
    """What is done in the time of all iterations, by the same with nothing dropped."""


def drawn(setting: Setting, runs: int, seed: int, share: float = 0.0, law: str = "normal") -> tuple[Times, Times]:
    """Draw the times of forward passes and of whole micro-batches, by run, rank and micro-batch.

    Independent, of mean ``mu`` and deviation ``sigma``; a forward pass is ``share`` of its micro-batch.  ``law``:
    ``"normal"``, as theory has them, of which some may be below 0; or ``"gamma"``, of which none is.
    """
    rng, shape = np.random.default_rng(seed), (runs, setting.ranks, setting.many)
    of_mean, of_scale = (setting.mu / setting.sigma) ** 2, setting.sigma**2 / setting.mu
    laws = {
        "normal": lambda: rng.normal(setting.mu, setting.sigma, shape),
        "gamma": lambda: rng.gamma(of_mean, of_scale, shape),
    }
    known("law", law, laws)
    times = laws[law]()
    return share * times, times


def simulated(
    setting: Setting, tau: float, rule: str, runs: int, seed: int, share: float = 0.0, law: str = "normal"
) -> Seen:
    """Simulate ``runs`` iterations by the rule; the seed decides them.

    Raises InputError for times below 0, unless the rule is ``analytic``: the other rules only read a clock.
    """
    forward, times = drawn(setting, runs, seed, share, law)
    if rule != "analytic" and times.min() < 0:
        raise InputError(f"{rule}: some of {times.size} normal times are below 0; a gamma law has none")
    counts, ends, whole = followed(forward, times, tau, rule)
    slowest, last = whole.max(axis=1), ends.max(axis=1)
    done = counts.mean(axis=1)
    pays = done.mean() / setting.many * (slowest.mean() + setting.rest) / (last.mean() + setting.rest)
    return Seen(mean(slowest), mean(done), mean(last), float(pays))


def followed(forward: Times, times: Times, tau: float, rule: str) -> tuple[NDArray[np.int64], Times, Times]:
    """Return how many micro-batches count, when computing ends, and when it ends without the rule.

    The last axis of ``forward`` and ``times`` is that of micro-batches.
    """
    known("rule", rule, RULES)
    ends = np.cumsum(times, axis=-1)
    begins = ends - times
    whole = ends[..., -1]
    if rule == "analytic":
        return (ends < tau).sum(axis=-1), np.minimum(tau, whole), whole
    if rule == "after_backward":
        counts = 1 + (ends[..., :-1] <= tau).sum(axis=-1)
        return counts, np.take_along_axis(ends, counts[..., None] - 1, axis=-1)[..., 0], whole
    counts = (begins + forward <= tau).sum(axis=-1)
    at = np.minimum(counts, times.shape[-1] - 1)[..., None]
    begin, middle = (np.take_along_axis(x, at, axis=-1)[..., 0] for x in (begins, begins + forward))
    given_up = np.where(begin > tau, begin, middle)
    return counts, np.where(counts == times.shape[-1], whole, given_up), whole


def mean(xs: Times) -> Mean:
    """Return the mean of independent numbers, one for each run, and its reach."""
    return Mean(float(xs.mean()), ERRORS * float(xs.std(ddof=1)) / float(np.sqrt(xs.size)))
