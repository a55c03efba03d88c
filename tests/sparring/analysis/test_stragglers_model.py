"""The model of stragglers: published figures, exact values, libraries, and iterations drawn with fixed seeds."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest
import sympy
from scipy import integrate, stats

from sparring import InputError
from sparring.analysis.stragglers import model, numbers, simulated
from sparring.analysis.stragglers.numbers import Setting
from sparring.spec.training.drop_compute import RULES, Micro, worked
from tests.sweeps import third

USUAL = Setting(ranks=32, many=12, mu=1, sigma=0.3, rest=0.5)
PUBLISHED = {
    2: (0.56419, 0.51976), 3: (0.84628, 0.85280), 4: (1.02938, 1.05212), 8: (1.42360, 1.45901),
    16: (1.76599, 1.80045), 64: (2.34373, 2.36939), 256: (2.82686, 2.84526), 1024: (3.24824, 3.26186),
    16384: (3.97135, 3.97973),
}  # fmt: skip


@pytest.mark.parametrize("p", third(PUBLISHED))
def test_the_largest_of_normal_numbers(p):
    """Exact and near, to five places; the exact one also by scipy's own density and quadrature."""
    exact, near = PUBLISHED[p]
    assert round(float(numbers.expected_largest(p)), 5) == exact
    assert round(float(numbers.near_largest(p)), 5) == near
    density = stats.norm.pdf, stats.norm.cdf
    by_scipy, _ = integrate.quad(lambda x: x * p * density[0](x) * density[1](x) ** (p - 1), -10, 12, points=[0, near])
    assert abs(by_scipy - float(numbers.expected_largest(p))) < 1e-7


def test_one_rank_waits_for_nobody():
    """Mμ, exactly, in symbols and in numbers; the formula has no number there."""
    assert numbers.slowest(USUAL._replace(ranks=1)) == numbers.slowest(USUAL._replace(ranks=1), exact=True) == 12
    assert sympy.N(model.largest(1)) == -sympy.oo
    with pytest.raises(InputError, match="one rank: the formula is minus infinity"):
        numbers.near_largest(1)
    assert numbers.best(USUAL._replace(ranks=1)) == (mpmath.inf, 1)


@pytest.mark.parametrize("rule", RULES)
def test_how_many_are_completed(rule):
    """The formulas, by scipy's normal distribution."""
    setting = USUAL._replace(forward=0.4, spread=0.2)
    assert numbers.completed(setting._replace(forward=1, spread=1), 0, rule) == (rule == "after_backward")
    for tau, many in product((0.5, 6, 12, 14), (1, 2, 12)):
        m = np.arange(1, many + 1)
        ended = stats.norm.cdf((tau - m) / (0.3 * np.sqrt(m)))
        begun = stats.norm.cdf((tau - (m - 1) - 0.4) / np.sqrt((m - 1) * 0.09 + 0.04))
        wanted = {"analytic": ended.sum(), "after_backward": 1 + ended[:-1].sum(), "between_passes": begun.sum()}
        assert abs(numbers.completed(setting._replace(many=many), tau, rule) - wanted[rule]) < 1e-12


def test_the_published_point():
    """32 ranks, tau = 12: by the formula, with the exact slowest rank, and as it is drawn."""
    assert round(numbers.slowest(USUAL), 3) == 14.182
    assert round(numbers.slowest(USUAL, exact=True), 3) == 14.151
    assert round(numbers.completed(USUAL, 12), 4) == 11.3246
    assert round(numbers.speedup(USUAL, 12), 4) == 1.1085
    assert round(numbers.speedup(USUAL, 12, exact=True), 4) == 1.1061


@pytest.mark.parametrize("seed", range(3))
def test_drawn_iterations_are_the_models(seed):
    """4,000 a seed, each mean within 4 standard errors: of a right model each is with probability 0.99994."""
    seen = simulated.simulated(USUAL, 12, "analytic", 4000, seed)
    assert seen.slowest.agrees(numbers.slowest(USUAL, exact=True))
    assert not seen.slowest.agrees(numbers.slowest(USUAL._replace(ranks=36), exact=True))
    assert seen.completed.agrees(numbers.completed(USUAL, 12))
    assert not seen.completed.agrees(numbers.completed(USUAL, 12.05))
    assert abs(seen.speedup - numbers.speedup(USUAL, 12, exact=True)) < 0.003


@pytest.mark.parametrize(("ranks", "pays"), [(8, 1.067), (64, 1.139), (512, 1.194), (4096, 1.240)])
def test_the_best_tau_does_not_depend_on_the_ranks(ranks, pays):
    tau, found = numbers.best(USUAL._replace(ranks=ranks))
    assert (round(tau, 2), round(found, 3)) == (11.06, pays)
    assert tau < numbers.slowest(USUAL._replace(ranks=ranks))
    assert abs(numbers.slope(USUAL, tau)) < 1e-9


def test_it_grows_without_limit():
    """With a number of ranks for any level, which is enormous soon."""
    ranks = {level: numbers.ranks_for(USUAL, 11, level) for level in (1.1, 1.2, 1.5, 2.0)}
    for level, p in ranks.items():
        assert numbers.speedup(USUAL._replace(ranks=p), 11) >= level
        assert numbers.speedup(USUAL._replace(ranks=2 * p), 11) >= level
    assert ranks[1.2] == 1166
    assert 1e39 < ranks[2.0] < 1e40
    assert numbers.speedup(USUAL._replace(ranks=10**38), 11) < 2  # as docs/howto/stragglers.md says
    with pytest.raises(InputError, match="tau = 12: it must be above 0 and below M mu = 12"):
        numbers.ranks_for(USUAL, 12, 2)


@pytest.mark.parametrize("rule", RULES)
def test_drawn_rules_are_the_pages(rule):
    """What is counted at once for all ranks is what the rule of the page does, one by one."""
    forward, times = simulated.drawn(Setting(3, 5, 1, 0.5, 0), 40, 1, share=0.4, law="gamma")
    for tau in (0.0, 0.3, 2.2, 4.9, 9.0):
        counts, ends, whole = simulated.followed(forward, times, tau, rule)
        for i, r in product(range(40), range(3)):
            passes = zip(forward[i, r].tolist(), (times - forward)[i, r].tolist())
            work = worked(RULES[rule], [Micro(*both) for both in passes], tau)
            assert counts[i, r] == work.completed
            assert abs(ends[i, r] - work.now) < 1e-12
            assert abs(whole[i, r] - times[i, r].sum()) < 1e-12


def test_the_rules_of_programs_pay_less():
    """Gamma times, 4,000 iterations, seed 0: what theory has for the analytic rule is not what programs reach."""
    pays = {rule: simulated.simulated(USUAL, 12, rule, 4000, 0, 1 / 3, "gamma") for rule in RULES}
    assert pays["analytic"].speedup > 1.11
    assert 1.06 < pays["after_backward"].speedup < pays["between_passes"].speedup < 1.09
    assert numbers.speedup(USUAL, 12, "after_backward") > 1.15  # with its count, but without the time that it takes
    last = {rule: seen.last.value for rule, seen in pays.items()}
    assert last["analytic"] < last["between_passes"] < last["after_backward"] < pays["analytic"].slowest.value


def test_gamma_times_are_nearly_the_models():
    """Exactly by scipy's gamma distribution; the normal formula is within 0.02 micro-batches of it at sigma = 0.3."""
    m = np.arange(1, 13)
    exact = stats.gamma.cdf(12, m / 0.09, scale=0.09).sum()
    seen = simulated.simulated(USUAL, 12, "analytic", 4000, 0, law="gamma")
    assert seen.completed.agrees(exact)
    assert abs(exact - numbers.completed(USUAL, 12)) < 0.02
    late = simulated.simulated(USUAL, 12, "after_backward", 4000, 0, law="gamma")
    assert late.completed.agrees(1 + stats.gamma.cdf(12, m[:-1] / 0.09, scale=0.09).sum())


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: numbers.speedup(USUAL._replace(ranks=0), 1), "0 ranks of 12 micro-batches"),
        (lambda: numbers.speedup(USUAL._replace(sigma=0), 1), "mu and sigma must be above 0"),
        (lambda: numbers.completed(USUAL, 1, "between_passes"), "forward and spread"),
        (lambda: simulated.simulated(USUAL, 1, "after_backward", 4000, 0), "a gamma law has none"),
        (lambda: numbers.completed(USUAL, 1, "B"), "no rule 'B': there are analytic, after_backward, between_passes"),
        (lambda: simulated.simulated(USUAL, 1, "B", 2, 0, law="gamma"), "no rule 'B'"),
        (lambda: simulated.drawn(USUAL, 1, 0, law="uniform"), "no law 'uniform': there are normal, gamma"),
    ],
    ids=["ranks", "sigma", "passes", "below 0", "rule", "drawn rule", "law"],
)
def test_what_has_no_model(call, why):
    with pytest.raises(InputError, match=why):
        call()
