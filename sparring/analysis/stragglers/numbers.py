"""The model of stragglers in numbers: by its formulas, and exactly where these are only near."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import mpmath
import sympy

from sparring.analysis.stragglers import model
from sparring.errors import InputError
from sparring.spec.training.drop_compute import RULES

DIGITS = 30
GRID = 400
"""Places between which the best tau is looked for first."""


class Setting(NamedTuple):
    """Ranks and their times, in seconds of any length."""

    ranks: int
    many: int
    """Micro-batches of a rank."""
    mu: float
    sigma: float
    rest: float
    """What an iteration takes besides computing."""
    forward: float = 0.0
    """The mean of a forward pass, and its deviation: of the rule that looks between passes alone."""
    spread: float = 0.0


@cache
def function(name: str, rule: str, many: int) -> Callable[..., Any]:
    """Return ``completed``, or its ``slope``, as a function of its numbers."""
    formula = model.completed(rule) if name == "completed" else sympy.diff(model.completed(rule), model.tau)
    letters = [model.tau, model.mu, model.sigma, model.forward, model.spread]
    made: Callable[..., Any] = sympy.lambdify(letters, formula.subs(model.many, many).doit(), "mpmath")
    return made


def known(what: str, name: str, names: Iterable[str]) -> None:
    """Raise InputError for a name that is none of these."""
    if name not in names:
        raise InputError(f"no {what} {name!r}: there are {', '.join(names)}")


def check_setting(setting: Setting) -> Setting:
    """Return the setting; raise InputError if its numbers are out of range."""
    if setting.ranks < 1 or setting.many < 1:
        raise InputError(f"{setting.ranks} ranks of {setting.many} micro-batches: there must be one or more of each")
    if not (setting.mu > 0 and setting.sigma > 0 and setting.rest >= 0):
        raise InputError(
            f"mu={setting.mu}, sigma={setting.sigma}, rest={setting.rest}: mu and sigma must be above 0, rest 0 or more"
        )
    return setting


@cache
def expected_largest(p: int) -> Any:
    """Return the expected largest of ``p`` standard normal numbers: ``1 - Phi(x)^p - Phi(-x)^p``, integrated from 0.

    >>> mpmath.almosteq(expected_largest(2), 1 / mpmath.sqrt(mpmath.pi), 1e-15)
    True
    """
    with mpmath.workdps(DIGITS):
        top = mpmath.sqrt(2 * mpmath.log(p + 1)) + 12
        places = [top * i / 24 for i in range(25)]
        return +mpmath.quad(lambda x: 1 - mpmath.ncdf(x) ** p - mpmath.ncdf(-x) ** p, places)


@cache
def near_largest(p: int) -> Any:
    """Return the expected largest by the model's formula; raise InputError for one rank, where that is infinite."""
    if p < 2:
        raise InputError("one rank: the formula is minus infinity, where the largest of one is 0")
    return mpmath.mpf(sympy.N(model.largest(p), DIGITS + len(str(p))))  # 1 - 1 / p has as many nines


def slowest(setting: Setting, exact: bool = False) -> float:
    """Return the expected computing time of the slowest rank, for normal times."""
    if setting.ranks == 1:
        return setting.many * setting.mu
    largest = expected_largest(setting.ranks) if exact else near_largest(setting.ranks)
    return float(setting.many * setting.mu + mpmath.sqrt(setting.many) * setting.sigma * largest)


def completed(setting: Setting, tau: float, rule: str = "analytic") -> float:
    """Return the mean number of micro-batches of a rank that count."""
    known("rule", rule, RULES)
    if rule == "between_passes" and not setting.forward > 0 < setting.spread:
        raise InputError("between_passes: forward and spread, a forward pass's mean and deviation, must be above 0")
    if tau <= 0:
        return float(rule == "after_backward")
    letters = (tau, setting.mu, setting.sigma, setting.forward, setting.spread)
    return float(function("completed", rule, setting.many)(*letters))


def speedup(setting: Setting, tau: float, rule: str = "analytic", exact: bool = False) -> float:
    """Return ``S_eff``; with ``exact`` by the exact expected time of the slowest rank."""
    whole = slowest(check_setting(setting), exact)
    return completed(setting, tau, rule) / setting.many * (whole + setting.rest) / (min(tau, whole) + setting.rest)


def best(setting: Setting, exact: bool = False) -> tuple[float, float]:
    """Return the tau below ``T`` that pays most by the analytic rule, and its ``S_eff``; infinity and 1 if none pays.

    The search starts from ``GRID`` places, since there may be several extremes.
    """
    whole = slowest(check_setting(setting), exact)
    places = [whole * i / GRID for i in range(1, GRID + 1)]
    around = max(range(GRID), key=lambda i: speedup(setting, places[i], exact=exact))
    low, high = places[max(0, around - 1)], places[min(GRID - 1, around + 1)]
    tau = root(lambda x: slope(setting, x), low, high) if slope(setting, high) < 0 else high
    return (tau, speedup(setting, tau, exact=exact)) if speedup(setting, tau, exact=exact) > 1 else (mpmath.inf, 1.0)


def slope(setting: Setting, tau: float) -> float:
    """Return a number that is 0 at the best tau and does not depend on the number of ranks."""
    letters = (tau, setting.mu, setting.sigma, setting.forward, setting.spread)
    rise = function("slope", "analytic", setting.many)(*letters)
    return float(rise * (tau + setting.rest) - function("completed", "analytic", setting.many)(*letters))


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``f`` falls from above 0 to below 0, by bisection."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return low


def ranks_for(setting: Setting, tau: float, level: float) -> int:
    """Return a number of ranks from which on the formula's ``S_eff`` at ``tau`` is at least ``level``, whatever it is.

    ``tau`` is below ``M mu``; the slowest rank is never below that on average.  Both quantiles of the formula are at
    least ``x`` where ``1 / p`` is at most the probability that a normal number is above ``x``.
    """
    if not 0 < tau < setting.many * setting.mu:
        raise InputError(f"tau = {tau:g}: it must be above 0 and below M mu = {setting.many * setting.mu:g}")
    with mpmath.workdps(DIGITS):
        done = completed(setting, tau) / setting.many
        whole = mpmath.mpf(level) * (tau + setting.rest) / done - setting.rest
        x = (whole - setting.many * setting.mu) / (mpmath.sqrt(setting.many) * setting.sigma)
        return max(2, int(mpmath.ceil(1 / mpmath.ncdf(-x))))
