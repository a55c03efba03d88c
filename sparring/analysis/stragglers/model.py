"""Models what DropCompute pays on average, for ranks whose micro-batches take independent times [GG23]_.

A micro-batch takes a time of mean ``mu`` and deviation ``sigma``, and the first ``m`` of a rank about a
normal one, exactly where each is normal.  All ranks wait for the slowest; ``rest`` is what an iteration
takes besides computing.  The formulas are the paper's as remembered, but for those of the two rules that
programs have, which are ours; where they are near and not exact, ``exact`` and ``simulated`` say how near.

.. [GG23] N. Giladi, S. Gottlieb, M. Shkolnik, A. Karnieli, R. Banner, E. Hoffer, K. Y. Levy and
   D. Soudry, "DropCompute: simple and more robust distributed synchronous training via compute
   variance reduction", NeurIPS 2023, arXiv:2306.10598.
.. [BL14] D. H. Bailey and M. Lopez de Prado, "The deflated Sharpe ratio: correcting for selection
   bias, backtest overfitting and non-normality", Journal of Portfolio Management 40, 2014.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import EulerGamma, erf, erfinv, sqrt

p = sympy.Symbol("p", integer=True, positive=True)
"""Ranks."""
many = sympy.Symbol("M", integer=True, positive=True)
"""Micro-batches of a rank."""
mu, sigma, tau, rest = sympy.symbols("mu sigma tau c", positive=True)
forward, spread = sympy.symbols("mu_f sigma_f", positive=True)
"""Mean and deviation of a forward pass."""
whole = sympy.Symbol("T", positive=True)
"""The expected computing time of the slowest rank."""
m = sympy.Symbol("m", integer=True, positive=True)

Expr = Any


def below(x: Expr) -> Expr:
    """Return the probability that a standard normal number is below ``x``."""
    return (1 + erf(x / sqrt(2))) / 2


def quantile(x: Expr) -> Expr:
    """Return the number that a standard normal number is below with probability ``x``.

    >>> sympy.simplify(below(quantile(sympy.Rational(9, 10))))
    9/10
    """
    return sqrt(2) * erfinv(2 * x - 1)


def largest(p: Expr) -> Expr:
    """Return about the expected largest of ``p`` standard normal numbers, by [BL14]_; ``p >= 2``.

    At ``p = 1``, where the largest is the only one and 0, the formula is minus infinity.

    >>> sympy.N(largest(1)), round(float(largest(2)), 5), round(float(1 / sympy.sqrt(sympy.pi)), 5)
    (-oo, 0.51976, 0.56419)
    """
    share = EulerGamma
    return (1 - share) * quantile(1 - 1 / sympy.sympify(p)) + share * quantile(1 - 1 / (sympy.E * p))


def in_time(mean: Expr, variance: Expr) -> Expr:
    """Return the probability that a normal time is below tau."""
    return below((tau - mean) / sqrt(variance))


def completed(rule: str = "analytic") -> Expr:
    """Return the mean number of micro-batches of a rank that count.

    Each end below tau is counted, even where ends do not rise, as where normal times are below 0.
    Raises KeyError for an unknown rule.
    """
    ended = in_time(m * mu, m * sigma**2)
    begun = in_time((m - 1) * mu + forward, (m - 1) * sigma**2 + spread**2)
    return {
        "analytic": sympy.Sum(ended, (m, 1, many)),
        "after_backward": 1 + sympy.Sum(ended, (m, 1, many - 1)),
        "between_passes": sympy.Sum(begun, (m, 1, many)),
    }[rule]


def paces() -> tuple[Expr, Expr]:
    """Return two factors of the effective speed-up below ``T``: one without ``T``, so without ``p``; one without tau.

    So the tau that pays most is the same for all numbers of ranks whose slowest rank takes longer than tau.
    """
    return completed() / (tau + rest), (whole + rest) / many


def speedup(rule: str = "analytic") -> Expr:
    """Return ``S_eff``: the work done in an iteration's time, over the work that would be done with nothing dropped.

    For the analytic rule it is the paper's.  For another rule it has the number that this rule completes, but the
    theory's time, which is less than the rule takes.
    """
    return completed(rule) / many * (whole + rest) / (sympy.Min(tau, whole) + rest)
