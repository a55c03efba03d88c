"""Averaging among up to millions of ranks, drawn: how fast their variance falls, beside the exact expectation.

Each rank has one number, at first normal with variance 1.  In every round a rank misses it with the probability
``dies`` and keeps what it has, as in the published simulator [R21]_; whoever is there averages.

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239, and its
   published code, yandex-research/moshpit-sgd, averaging_experiments/averager.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.analysis.averaging import factors

Values: TypeAlias = NDArray[np.float64]


class Drawn(NamedTuple):
    """The variance over all ranks, and its expectation, by run and round."""

    found: Values
    expected: Values

    @property
    def mean(self) -> Values:
        """The mean over all runs of the variance as a part of its expectation, by round."""
        return np.asarray((self.found / self.expected).mean(0))

    @property
    def error(self) -> Values:
        """The standard error of that mean, from how runs differ."""
        return np.asarray((self.found / self.expected).std(0, ddof=1) / np.sqrt(len(self.found)))


def random_groups(m: int, d: int, dies: float, rounds: int, rng: np.random.Generator) -> tuple[Values, Values]:
    """Simulate ``m**d`` ranks; those present are dealt out at random to as many groups as they can fill with ``m``.

    The expected value is the product of the exact factors for the numbers of ranks that were present.
    """
    n = m**d
    x, factor, found, expected = rng.standard_normal(n), 1 - 1 / n, [], []
    for _ in range(rounds):
        present = rng.permutation(np.flatnonzero(rng.random(n) >= dies))
        groups = max(1, present.size // m)
        begins = np.arange(groups) * present.size // groups
        sizes = np.diff(begins, append=present.size)
        if present.size:
            x[present] = np.repeat(np.add.reduceat(x[present], begins) / sizes, sizes)
            factor *= factors.dropouts(float(n), float(present.size), float(groups))
        found.append(x.var())
        expected.append(factor)
    return np.array(found), np.array(expected)


def on_torus(m: int, d: int, dies: float, rounds: int, rng: np.random.Generator) -> tuple[Values, Values]:
    """Simulate a full grid with ``d`` sides of length ``m``; in each round the lines along the next axis average."""
    x, found = rng.standard_normal((m,) * d), []
    for t in range(rounds):
        there = rng.random(x.shape) >= dies
        sums, many = (np.where(there, what, 0).sum(t % d, keepdims=True) for what in (x, 1))
        x = np.where(there, sums / np.maximum(many, 1), x)
        found.append(x.var())
    return np.array(found), np.array([float(v) for v in factors.variances(m, d, dies, rounds)])


Kind: TypeAlias = Callable[[int, int, float, int, np.random.Generator], tuple[Values, Values]]
KINDS: dict[str, Kind] = {"random groups": random_groups, "torus": on_torus}


def drawn(kind: str, m: int, d: int, dies: float, rounds: int, seeds: Sequence[Any]) -> Drawn:
    """Return the results of one run for each seed."""
    runs = [KINDS[kind](m, d, dies, rounds, np.random.default_rng(seed)) for seed in seeds]
    found, expected = (np.stack(each) for each in zip(*runs))
    return Drawn(found, expected)
