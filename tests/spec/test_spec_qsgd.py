"""QSGD: its chances all gone through, its norm beside numpy's, its bounds, and where vectors hold what is no number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sparring import page
from sparring.errors import InputError
from sparring.spec import qsgd
from sparring.spec.core import chance
from sparring.spec.core.chance import FINE
from sparring.spec.core.levels import unit
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector

F = Fraction


def results(xs, **params):
    with np.errstate(all="ignore"):
        return run(page("qsgd", **params), xs).results


@pytest.mark.parametrize(
    ("xs", "levels"),
    [([[F(3, 2), F(2)], [F(5), F(0)]], 2), ([[F(7, 4), F(6)], [F(-15, 4), F(2)]], 5), ([[F(6), F(-8)]], 5)],
)
def test_right_in_expectation(monkeypatch, xs, levels):
    """Whole calls with all their chances, of which each rounds up as often as its entry lies above a level."""
    p, n = len(xs), len(xs[0])
    rest = {}
    for r, x in enumerate(xs):
        one = unit(Vector(x, F(0)), levels, 1)
        rest |= {(r, i): abs(v) / one % 1 for i, v in enumerate(x)}
    mean, weight = [F(0)] * n, F(0)
    for ups in product((True, False), repeat=p * n):
        chosen = dict(zip(rest, ups))
        share = F(1)
        for at, up in chosen.items():
            share *= rest[at] if up else 1 - rest[at]
        numbers = {at: 0 if up else (1 << FINE) - 1 for at, up in chosen.items()}
        monkeypatch.setattr(chance, "drawn", lambda seed, call, r, i, numbers=numbers: numbers[r, i] << 11)
        if share:
            y = results(xs, levels=levels, by_max=1)[0]
            mean, weight = [m + share * v for m, v in zip(mean, y)], weight + share
    assert weight == 1
    assert mean == [sum(x[i] for x in xs) for i in range(n)]


def test_a_chance_is_the_part_above_a_level():
    """Exactly so many of 2^53 numbers round up."""
    up = 3 << FINE - 3
    assert [qsgd.level(F(11, 8), F(1), u, 4) for u in (0, up - 1, up, (1 << FINE) - 1)] == [2, 2, 1, 1]
    assert [qsgd.level(np.float32(1.375), np.float32(1), u, 4) for u in (up - 1, up)] == [2, 1]


def test_the_mean_of_many_calls():
    """With the page's own chances, and a fixed seed: within 5 standard errors of the exact sum."""
    xs, calls, state, total = [np.array([3.0, -4.0, 0.5]), np.array([0.0, 1.0, -1.0])], 2000, None, np.zeros(3)
    for _ in range(calls):
        ran = run(page("qsgd", levels=2, seed=1), xs, state)
        state, total = ran.state, total + ran.results[0]
    off = sum((np.linalg.norm(x) / 2) ** 2 / 4 for x in xs)
    assert abs(total / calls - sum(xs)).max() < 5 * (off / calls) ** 0.5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_units_are_numpys(dtype):
    """The root of the sum of squares, and the greatest magnitude, over the levels."""
    for n in (1, 2, 5, 100, 1023):
        x = np.random.default_rng(n).standard_normal(n).astype(dtype)
        for by_max, size in ((0, np.linalg.norm(x.astype(float))), (1, np.abs(x).max())):
            found = unit(Vector.of(x), 3, by_max)
            assert found.dtype == dtype
            assert np.isclose(found, size / 3, rtol=4 * np.finfo(dtype).eps)


def test_every_rank_has_what_is_read():
    """Each entry is off by less than a unit of each rank, and lies on the grid of one rank alone."""
    xs = [np.random.default_rng(r).standard_normal(50) for r in range(4)]
    first, *rest = results(xs, levels=7)
    assert all(y.tobytes() == first.tobytes() for y in rest)
    assert (abs(first - sum(xs)) < sum(np.linalg.norm(x) / 7 for x in xs)).all()
    (alone,) = results(xs[:1], levels=7)
    steps = alone / (np.linalg.norm(xs[0]) / 7)
    assert np.allclose(steps, np.rint(steps), atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_what_is_no_number_spoils_a_call(bad):
    """All entries of all ranks; so do squares that overflow, but not where the greatest magnitude is the norm."""
    xs = [np.array([1.0, bad]), np.array([2.0, 0.0])]
    assert np.isnan(results(xs)).all()
    assert np.isnan(results(xs, by_max=1)).all() == (bad != 1e200)


def test_zeros_are_read_as_zeros():
    """And have no sign."""
    assert results([np.full(3, -0.0)] * 2)[1].tobytes() == np.zeros(3).tobytes()
    assert results([[0, 0]])[0] == [0, 0]


@pytest.mark.parametrize(
    ("params", "told"),
    [({"levels": 0}, "levels = 0: it must be 1 to 65536"), ({"levels": 65537}, "levels = 65537"), ({"seed": -1}, "seed = -1: it must be 0 or more"),
     ({"by_max": 2}, "by_max = 2: it must be 0 or 1")],
)  # fmt: skip
def test_other_parameters_are_refused(params, told):
    with pytest.raises(InputError, match=told):
        results([[1.0]], **params)


@pytest.mark.parametrize(("levels", "bits"), [(1, 2), (3, 3), (4, 4), (127, 8), (255, 9), (65536, 18)])
def test_bytes(levels, bits):
    """A unit, and a bit for the sign beside those of a level."""
    (wire,) = run(page("qsgd", levels=levels), [np.zeros(16, np.float32)] * 3).trace
    assert {len(m.entries) for m in wire} == {4 + 2 * bits}
    assert len(wire) == 6
