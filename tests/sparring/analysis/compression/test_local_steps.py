"""Local descent: what is said of it holds, fails without its hypotheses, and is what exact walks do."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import z3

from sparring.analysis.compression import local_steps
from sparring.analysis.compression.reals import proved
from sparring.errors import InputError, Undecided
from sparring.spec.training import local_sgd


@pytest.mark.parametrize("lemmas", [local_steps.far, local_steps.deviation, local_steps.every_step])
def test_each_last_hypothesis_is_needed(lemmas):
    for lemma in lemmas():
        assert not proved([lemma._replace(hypotheses=(z3.BoolVal(True), *lemma.hypotheses[:-1]))]).holds


def test_faults_are_told(monkeypatch):
    """A step the other way, steps of twice the length, a meeting less often than asked for, and no bound to reach."""
    backwards = SimpleNamespace(gone=lambda w, slope, rate: w + rate * slope)
    assert not proved(local_steps.every_step(backwards)).holds
    assert not proved(local_steps.far(2 * local_steps.b)).holds
    with monkeypatch.context() as patch:
        patch.setattr(local_steps, "most", lambda p, every: Fraction(2 * (every - 1)))
        with pytest.raises(Undecided, match="neither this bound nor the sharper one"):
            local_steps.reached()
    monkeypatch.setattr(local_sgd, "meets", lambda t, every: t % (2 * every) == 0 or every == 1)
    assert not local_steps.volume().holds


def problem(p, n=3, rows=2):
    """By rank rows and right-hand sides, small fractions."""
    rng = np.random.default_rng(p)
    return [[([Fraction(int(v), 2) for v in rng.integers(-3, 4, n)], Fraction(int(rng.integers(-5, 6))))
             for _ in range(rows)] for _ in range(p)]  # fmt: skip


def slope_of(parts):
    """The gradient of half the sum of squares of a rank's rows."""

    def slope(r, w):
        errors = [(a, sum(x * v for x, v in zip(a, w)) - b) for a, b in parts[r]]
        return [sum(a[i] * e for a, e in errors) for i in range(len(w))]

    return slope


@pytest.mark.parametrize("p", range(1, 6))
def test_with_a_meeting_in_each_step_it_is_minibatch_descent_exactly(p):
    slope, rate, w = slope_of(problem(p)), Fraction(1, 20), [Fraction(1)] * 3
    for ws in local_sgd.descended(local_steps.summed, p, w, slope, rate=rate, every=1, steps=5):
        mean = [sum(column) / p for column in zip(*(slope(r, w) for r in range(p)))]
        w = [v - rate * g for v, g in zip(w, mean)]
        assert ws == [w] * p


@pytest.mark.parametrize("p", [2, 3, 5])
@pytest.mark.parametrize("every", [2, 3, 5])
def test_between_meetings_ranks_stay_near_exactly(p, every):
    """The squares of both sides are fractions; the longest gradient is that of the walk."""
    slope, rate = slope_of(problem(p)), Fraction(1, 50)
    longest: list[Any] = [Fraction(0)]

    def heard(r, w):
        g = slope(r, w)
        longest[0] = max(longest[0], sum(v * v for v in g))
        return g

    apart = Fraction(0)
    walk = local_sgd.descended(local_steps.summed, p, [Fraction(2)] * 3, heard, rate=rate, every=every, steps=2 * every)
    for ws in walk:
        mean = [sum(column) / p for column in zip(*ws)]
        apart = max([apart, *(sum((a - b) ** 2 for a, b in zip(x, mean)) for x in ws)])
    assert 0 < apart <= (2 * rate * (every - 1)) ** 2 * longest[0]


def test_no_number_of_steps_is_refused():
    with pytest.raises(InputError, match="every = 0: it must be 1 or more"):
        next(local_sgd.descended(local_steps.summed, 1, [0.0], lambda r, w: [0.0], rate=1.0, every=0, steps=1))
