"""Parts of members with unequal bandwidths beside scipy's linear programs, and the apportionment of entries."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sparring.analysis.averaging.balancing import least, slowest
from sparring.impl.core import averaging_groups
from sparring.spec.library.bandwidth_shares import scores, shares

optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed: pip install 'sparring[examples]'")


def programs(many):
    """Bandwidths of three to nine members, some of them 0, never all."""
    rng = np.random.default_rng(10)
    for _ in range(many):
        bandwidths = rng.integers(0, rng.choice([3, 10, 1000]), rng.integers(3, 10))
        bandwidths[rng.integers(bandwidths.size)] += 1
        yield bandwidths.tolist()


def solved(bandwidths):
    """The program as published: fractions and the time, of which the time is least."""
    n, able = len(bandwidths), [i for i, b in enumerate(bandwidths) if b]
    rows = np.zeros((len(able), n + 1))
    for row, i in zip(rows, able):
        row[i], row[n] = n - 2, -bandwidths[i]
    bounds = [(0, None if b else 0) for b in bandwidths] + [(0, None)]
    ones = np.ones((1, n + 1))
    ones[0, n] = 0
    found = optimize.linprog(np.eye(n + 1)[n], rows, -np.ones(len(able)), ones, [1], bounds)
    assert found.success
    return found.fun


def parts(bandwidths):
    wanted = scores(bandwidths)
    return [one / sum(wanted) for one in wanted]


def test_the_closed_form_is_the_programs_optimum():
    for bandwidths in programs(150):
        found = parts(bandwidths)
        assert sum(found) == 1
        assert all(part >= 0 and (b or not part) for b, part in zip(bandwidths, found))
        assert slowest(bandwidths, found) == least(bandwidths)
        assert float(least(bandwidths)) == pytest.approx(solved(bandwidths), rel=1e-7)


def test_both_have_the_same_parts():
    """The page and the implementation, each with a program of its own."""
    for bandwidths in [*programs(200), [0, 0, 0], [0], [5], [0, 3], [2, 3]]:
        wanted = scores(bandwidths)
        assert wanted == averaging_groups.fractions(bandwidths)
        for n in (0, 1, 2, 7, 1000):
            assert shares(n, wanted) == averaging_groups.apportioned(n, wanted)


def highest_averages(n, wanted):
    """One entry after the other from none, each to the largest quotient: D'Hondt, which comes to the same."""
    seats = [0] * len(wanted)
    for _ in range(n):
        seats[max(range(len(wanted)), key=lambda i: (wanted[i] / (seats[i] + 1), -i))] += 1
    return seats


def test_apportionment():
    """Hagenbach and Bischoff begin where D'Hondt comes by anyway; of equal ones the first gets it."""
    for bandwidths in programs(200):
        wanted = scores(bandwidths)
        for n in (0, 1, 5, 23):
            assert shares(n, wanted) == highest_averages(n, wanted)
    assert shares(1, [Fraction(1)] * 5) == [1, 0, 0, 0, 0]
    assert shares(7, [Fraction(1)] * 3) == [3, 2, 2]
    assert shares(7, [Fraction(0)] * 3) == [0, 0, 0]
