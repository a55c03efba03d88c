"""Tensor homomorphic compression: its chances all gone through, its sums by other allreduces, and what is no number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sparring
from sparring import page
from sparring.errors import InputError
from sparring.spec import thc
from sparring.spec.core import chance, wholes
from sparring.spec.core.packed import Packed, wide
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector, each

F = Fraction


def results(xs, **params):
    return run(page("thc", **params), xs).results[0]


def chances(monkeypatch, some):
    """Calls draw these numbers of 53 bits, by rank and index."""
    monkeypatch.setattr(chance, "drawn", lambda seed, call, r, i: some[r, i] << 11)


@pytest.mark.parametrize(
    "xs",
    [
        [[F(0), F(1, 4), F(3)], [F(3, 2), F(1, 2), F(9, 4)]],
        [[F(0), F(7, 4)], [F(3), F(5, 4)], [F(1, 2), F(1, 2)]],
        [[F(0), F(3), F(1, 2), F(1, 2)]],
    ],
)
def test_right_in_expectation(monkeypatch, xs):
    """Whole calls with all of their chances, entries lying at quarters of a step of 1: exact mean and variance."""
    p, n = len(xs), len(xs[0])
    drawn = [(r, i) for r in range(p) for i in range(n) if xs[r][i] % 1]
    found = []
    for numbers in product([i << 51 for i in range(4)], repeat=len(drawn)):
        chances(monkeypatch, {(r, i): 0 for r in range(p) for i in range(n)} | dict(zip(drawn, numbers)))
        found.append(results(xs, bits=2))
    for i in range(n):
        assert sum(y[i] for y in found) == len(found) * sum(x[i] for x in xs)
        variance = sum((y[i] - sum(x[i] for x in xs)) ** 2 for y in found) / len(found)
        assert variance == sum((x[i] % 1) * (1 - x[i] % 1) for x in xs) <= F(p, 4)


def test_the_mean_of_many_calls():
    """With the page's own chances, and a fixed seed: within 5 standard errors of the exact sum."""
    xs, calls, state, total = [np.array([0.0, 0.3, 1.0]), np.array([0.9, 0.55, 0.1])], 2000, None, np.zeros(3)
    for _ in range(calls):
        ran = run(page("thc", bits=2, seed=1), xs, state)
        state, total = ran.state, total + ran.results[0]
    assert abs(total / calls - sum(xs)).max() < 5 * (1 / 3) * (2 / 4 / calls) ** 0.5


@pytest.mark.parametrize("other", ["ring", "recursive_doubling", "two_shot", "rabenseifner"])
def test_any_allreduce_adds_codes(other):
    """The sums of codes are those of another schedule, whose order of addition is another."""
    rng, p = np.random.default_rng(3), 5
    xs = [rng.standard_normal(17) for _ in range(p)]
    at = thc.grid([[*thc.extremes(Vector.of(x))] for x in xs], 4)
    codes = [
        np.array([*each(thc.code, Vector.of(x), *at, chance.chances(0, 0, r, Vector.of(x)), 4)])
        for r, x in enumerate(xs)
    ]
    sums = sparring.run(other, codes).results[2]
    assert [thc.value(at.low, at.step, int(q), p) for q in sums] == results(xs).tolist()


@pytest.mark.parametrize("bits", range(1, 9))
def test_sums_have_room(bits):
    """Of greatest codes, with a bit to spare at no power of two."""
    for p in range(1, 5000):
        assert thc.most(bits) * p < 1 << wide(bits, p)
    for p in (2, 4, 64, 1024):
        assert bits == 1 or thc.most(bits) * p >= 1 << wide(bits, p) - 1


@pytest.mark.parametrize("bits", [*range(1, 9), 9, 13, 16, 20])
def test_numbers_come_back(bits):
    """As bytes, of any width."""
    numbers = [i * 2654435761 % (1 << bits) for i in range(37)]
    for c in range(38):
        message = wholes.packed(numbers[:c], bits)
        assert wholes.unpacked(message, c, bits) == numbers[:c]
        assert len(message) == Packed(bits).octets(c, 0)


def test_entries_on_the_grid_are_exact():
    """Nothing is left to chance there."""
    xs = [[F(i) for i in (0, 15, 3, 8)], [F(i) for i in (1, 2, 15, 0)]]
    assert results(xs, bits=4) == [1, 17, 18, 8]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_spoils_a_call(bad):
    """All entries of all ranks; so does a range that overflows."""
    for x, y in ((bad, 1.0), (1e308, -1e308)):
        with np.errstate(all="ignore"):
            ys = run(page("thc"), [np.array([1.0, x]), np.array([2.0, y])]).results
        assert np.isnan(ys).all()


def test_equal_entries_are_read_as_they_are():
    """The step is 0; zeros are +0.0."""
    assert results([np.full(3, 2.5)] * 4).tolist() == [10.0] * 3
    assert results([np.full(3, -0.0)] * 2).tobytes() == np.zeros(3).tobytes()


@pytest.mark.parametrize(
    ("params", "told"),
    [({"bits": 0}, "bits = 0: it must be 1 to 8"), ({"bits": 9}, "bits = 9"), ({"seed": -1}, "seed = -1")],
)
def test_other_parameters_are_refused(params, told):
    with pytest.raises(InputError, match=told):
        results([[1.0]], **params)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 7, 8, 16, 33, 64])
def test_bytes(p):
    """Two numbers to each other rank, then codes and sums: (p - 1) e (b + b + ceil(log2 p)) bytes of n = 8 p e."""
    ran = run(page("thc", bits=3), [np.zeros(8 * p * 2, np.float32)] * p)
    sent = [sum(len(m.entries) for m in wire if m.src == p - 1) for wire in ran.trace]
    every = [8 * (p - 1), (p - 1) * 2 * 3, (p - 1) * 2 * (3 + (p - 1).bit_length())]
    assert sent == (every if p > 1 else [])
