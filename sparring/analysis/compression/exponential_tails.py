"""Decides what SIDCo's thresholds let pass: of exponential distributions by sympy, of others by counting.

``m`` is the mean of a distribution, ``t`` a threshold and ``d`` the part that should exceed one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec.core.selectors import Series, find
from sparring.spec.selectors.sidco import parts

m, t, d, s = sympy.symbols("m t d s", positive=True)
TAIL = sympy.exp(-t / m)
"""The part of an exponential distribution that exceeds ``t``."""
N, K, STAY, CALLS = 2000, 40, 2, 24
"""Entries, how many are aimed at, calls in which stages stay, and calls; the first half is not looked at."""
SEEDS, STAGES = range(3), range(2, 10)
EXACT = 2**-50
"""Roots are rounded."""
Drawn = Callable[[Any], Any]


def alike(one: Any, other: Any, told: str) -> Settled:
    """Decide whether two formulas are the same."""
    rest = sympy.simplify(one - other)
    return Settled(rest == 0, told if rest == 0 else f"they differ by {rest}")


def quantile() -> Settled:
    """Decide whether the part ``d`` lies above ``m log(1 / d)``."""
    return alike(TAIL.subs(t, m * sympy.log(1 / d)), d, "of every mean and part")


def excess() -> Settled:
    """Decide whether what exceeds a threshold is, from there on, distributed as all, hence with the same mean."""
    after = alike(TAIL.subs(t, t + s) / TAIL, TAIL.subs(t, s), "of every mean, threshold and excess")
    mean = sympy.integrate(s * sympy.exp(-s / m) / m, (s, 0, sympy.oo))
    return after if not after.holds else alike(mean, m, after.detail)


def together() -> Settled:
    """Decide whether all stages together let the part ``d`` pass, by formula, and by the page's parts of 1 in 100."""
    for stages in STAGES:
        first, *others = parts(1, 100, stages, 250)
        if len(others) != stages - 1 or abs(math.prod([first, *others]) - 1 / 100) > EXACT:
            return Settled(False, f"of {stages} stages the page's let {math.prod([first, *others])} pass, and not 0.01")
        if not (found := alike(s * ((d / s) ** sympy.Rational(1, stages - 1)) ** (stages - 1), d, "of all")).holds:
            return found
    return Settled(True, f"of {STAGES[0]} to {STAGES[-1]} stages", tested(len(STAGES)))


def near(drawn: Drawn) -> Settled:
    """Decide by counting whether the rule for stages finds ``K`` entries on the average, 20 % more or less.

    Each call has a vector of its own; ``drawn`` makes one.
    """
    for seed in SEEDS:
        rng, series = np.random.default_rng(seed), Series(find("sidco", k=K, calls=STAY))
        many = [len(series(tuple(map(float, drawn(rng)))).indices) for _ in range(CALLS)][CALLS // 2 :]
        if abs((mean := float(np.mean(many))) - K) > K / 5:
            return Settled(False, f"of {N} entries {mean:.0f} are taken on the average where {K} are aimed at")
    return Settled(True, f"{len(SEEDS)} series of {CALLS} vectors of {N} entries, k = {K}", tested(len(SEEDS)))


def exponential() -> Settled:
    """Decide it of what the fit is for: entries on both sides, exponentially distributed."""
    return near(lambda rng: rng.laplace(size=N))


def short_tails() -> Settled:
    """Decide it of normally distributed entries, of which one stage finds too few."""
    return near(lambda rng: rng.standard_normal(N))


def long_tails() -> Settled:
    """Decide it of cubes of these, of which one stage finds too many."""
    return near(lambda rng: rng.standard_normal(N) ** 3)
