"""Decides DropCompute's published model: each function says whether a statement holds, and how that was found."""

from __future__ import annotations

import sympy
from sympy.stats import Normal, P

from sparring.analysis.stragglers import model, numbers, rules
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.queries import answered
from sparring.spec.core.numbers import Sym
from sparring.spec.core.selectors import high, low
from sparring.spec.training.drop_compute import RULES, counted

Shown = tuple[bool, str]


def slowest_of_two() -> Shown:
    """Decide whether the formula of the slowest rank is exact for two ranks, where the exact value is known."""
    near, exact = model.largest(2), 1 / sympy.sqrt(sympy.pi)
    gap = 100 * (sympy.N(near) / sympy.N(exact) - 1)
    detail = (
        f"p=2: the factor of sqrt(M) sigma is {float(near):.5f}, exactly 1 / sqrt(pi) = {float(exact):.5f}: {gap:.1f} %"
    )
    return bool(sympy.Abs(near - exact) < sympy.Rational(1, 1000)), detail


def slowest_of_one() -> Shown:
    """Decide whether the formula of the slowest rank has the right value for one rank."""
    value = sympy.N(model.largest(1))
    return value == 0, f"p=1: the factor of sqrt(M) sigma is {value}, where the largest of one is 0: E[T] = M mu"


def completed() -> Shown:
    """Decide whether the formula gives the expected number of ends below tau, for normal times."""
    m, mu, sigma, tau = model.m, model.mu, model.sigma, model.tau
    ended = P(Normal("T", m * mu, sympy.sqrt(m) * sigma) < tau)
    same = sympy.simplify(ended - model.in_time(m * mu, m * sigma**2)) == 0
    return same, "the expected number is the sum of the probabilities, and sympy's of a normal end is the formula's"


def counted_alike() -> Shown:
    """Decide whether the programs' rules complete as many micro-batches as the theory's rule."""
    try:
        micros, tau = rules.witness(lambda count: len({*count.values()}) > 1)
    except LookupError as none:
        return True, str(none)
    counts = ", ".join(f"{name} {counted(name, micros, tau)}" for name in RULES)
    return False, f"one micro-batch of {micros[0].forward} + {micros[0].backward}, tau = {tau}: {counts}"


def ordered() -> Shown:
    """Decide whether all theorems on the rules hold."""
    answers = [*rules.proved()]
    detail = f"by induction over micro-batches: {len(answers)} obligations, z3 and cvc5"
    return all(answer.holds for answer in answers), detail


def one_iteration() -> Shown:
    """Decide whether an iteration's computing ends at ``min(tau, T)``, with ``T`` the slowest rank's time."""
    ends = next(theorem for theorem in rules.THEOREMS if theorem.claim is rules.ends)
    a, b, tau = (Sym.var(name) for name in ("a", "b", "tau"))
    last = Obligation("the last of two ranks", (), high(low(tau, a), low(tau, b)) == low(tau, high(a, b)))
    answers = [*answered([*rules.induction(ends, RULES), last], second_opinion=True)]
    detail = (
        "each rank's ends at min(tau, its own), and so the last; by induction over micro-batches and ranks, z3 and cvc5"
    )
    return all(answer.holds for answer in answers), detail


def without_limit() -> Shown:
    """Decide whether the formula of the effective speed-up grows beyond every number as ranks are added."""
    p, done = sympy.Symbol("p", positive=True), sympy.Symbol("A", positive=True)
    waits = sympy.limit(model.largest(p), p, sympy.oo)
    pays = sympy.limit(done / model.many * (model.whole + model.rest) / (model.tau + model.rest), model.whole, sympy.oo)
    setting = numbers.Setting(ranks=2, many=12, mu=1, sigma=0.3, rest=0.5)
    ranks = numbers.ranks_for(setting, 11, 2.0)
    detail = (
        f"limits by sympy, of the formula; at M=12, mu=1, sigma=0.3, c=0.5, tau=11 it passes 2 before {ranks:.0e} ranks"
    )
    return bool(waits == pays == sympy.oo), detail


def independent() -> Shown:
    """Decide whether the tau that pays most below ``T`` is the same for all numbers of ranks."""
    first, second = model.paces()
    below = model.speedup().subs(sympy.Min(model.tau, model.whole), model.tau)
    apart = not {model.whole, model.p} & first.free_symbols and model.tau not in second.free_symbols
    same = sympy.simplify(below - first * second) == 0
    return (
        apart and same,
        "S_eff is a factor without p and T times one without tau, by sympy; so is where it is largest",
    )
