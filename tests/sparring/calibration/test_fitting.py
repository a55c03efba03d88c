"""Fits of times that were made up: what is known comes out again, whatever disturbs a part of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.calibration import fitting
from sparring.calibration.fitting import Line, fitted, line

TRUE = Line(5e-6, 2e-10)
SIZES = 4.0 * 4.0 ** np.arange(11)
SEEDS = range(4)


def true(x):
    """The true line's heights."""
    return TRUE.a + TRUE.b * x


def quiet(seed):
    """Rounds of 3 % noise around the true line, which never comes out shorter by more."""
    rng = np.random.default_rng(seed)
    return true(SIZES) * (1 + 0.03 * rng.standard_normal((40, SIZES.size)))


def interrupted(seed):
    """A tenth of all times are up to 50 times as long, as where another program had the core."""
    rng = np.random.default_rng(seed)
    rounds = quiet(seed)
    hit = rng.random(rounds.shape) < 0.1
    return np.where(hit, rounds * rng.uniform(2, 50, rounds.shape), rounds)


def odd_sizes(seed):
    """At two of eleven sizes the library does something else, and takes four times as long."""
    rounds = quiet(seed)
    rounds[:, np.random.default_rng(seed).permutation(SIZES.size)[:2]] *= 4
    return rounds


def squares(x, y):
    """Ordinary least squares: the wrong fit for such times."""
    b, a = np.polyfit(x, y, 1)
    return Line(float(a), float(b))


def means(values, axis=None):
    """The wrong summary of rounds."""
    return np.nanmean(values, axis=axis)


def faults(make):
    """What is wrong with the fits of times made so: the truth must lie near, and in almost every interval."""
    found = [fitted(SIZES, make(seed)) for seed in SEEDS]
    near = [abs(f.line.a / TRUE.a - 1) < 0.05 and abs(f.line.b / TRUE.b - 1) < 0.05 for f in found]
    inside = [low <= value <= high for f in found for (low, high), value in ((f.a, TRUE.a), (f.b, TRUE.b))]
    return [*(["far"] * (not all(near))), *(["outside"] * (sum(inside) < 0.9 * len(inside)))]


@pytest.mark.parametrize("make", [quiet, interrupted, odd_sizes])
def test_known_values_are_found(make):
    assert faults(make) == []


def test_least_squares_would_not_find_them(monkeypatch):
    """The test above sees a fit that odd sizes lead astray."""
    monkeypatch.setattr(fitting, "line", squares)
    assert "far" in faults(odd_sizes)


def test_means_of_rounds_would_not_find_them(monkeypatch):
    """And one that interruptions do."""
    monkeypatch.setattr(np, "nanmedian", means)
    assert "far" in faults(interrupted)


def test_intervals_are_as_wide_as_rounds_differ():
    """Ten times the noise, some ten times the width."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((40, SIZES.size))
    narrow, wide = (fitted(SIZES, true(SIZES) * (1 + part * noise)) for part in (0.01, 0.1))
    ratios = [(w[1] - w[0]) / (n[1] - n[0]) for n, w in ((narrow.a, wide.a), (narrow.b, wide.b))]
    assert all(3 < ratio < 30 for ratio in ratios)


def test_intervals_are_wide_where_sizes_lie_on_no_line():
    """Without any noise: two regimes, of which one line fits neither."""
    two = np.where(SIZES < 500_000, true(SIZES), 3 * true(SIZES))
    (low, high), straight = fitted(SIZES, two[None]).b, fitted(SIZES, true(SIZES)[None]).b
    assert high > 1.5 * low and straight == pytest.approx((TRUE.b, TRUE.b))


def test_rounds_that_broke_off_are_left_out():
    """A round that has no time for some sizes is used for the others."""
    rounds = quiet(0)
    rounds[-1, 3:] = np.nan
    assert fitted(SIZES, rounds).line.b == pytest.approx(TRUE.b, rel=0.03)
    alone = np.full((9, 2), np.nan)
    alone[0] = true(SIZES[:2])
    assert fitted(SIZES[:2], alone).line == pytest.approx(TRUE)


POSITIVE = st.floats(1e-3, 1e3)
POINTS = st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=6).map(lambda points: np.array(points).T)


def worth(one, x, y):
    """The sum of its errors, by a loop."""
    return sum(abs(math.log((one.a + one.b * u) / v)) for u, v in zip(x.tolist(), y.tolist()))


@given(POINTS)
def test_no_line_through_two_points_is_better(points):
    x, y = points
    pairs = [(i, j) for i in range(x.size) for j in range(i) if x[i] != x[j]]
    slopes = [(y[i] - y[j]) / (x[i] - x[j]) for i, j in pairs]
    rivals = [Line(y[i] - slope * x[i], slope) for (i, _), slope in zip(pairs, slopes)]
    rivals += [Line(v, 0.0) for v in y] + [Line(0.0, v / u) for u, v in zip(x, y)]
    best = line(x, y)
    assert best.a >= 0 and best.b >= 0
    assert worth(best, x, y) <= min(worth(one, x, y) for one in rivals if one.a >= 0 and one.b >= 0) + 1e-9
