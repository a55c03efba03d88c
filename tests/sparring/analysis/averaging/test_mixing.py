"""Exact factors of mixing beside enumeration of all choices and patterns; and beside what others found."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import sympy

from sparring.analysis.averaging import factors
from sparring.analysis.averaging.matrices import expected, isotropic, mixing, sized
from sparring.analysis.averaging.matrices import product as times


@pytest.mark.parametrize(
    "sizes", [(1, 1), (2, 1), (2, 2), (3, 1), (4,), (1, 1, 2), (3, 2), (1, 2, 3), (2, 2, 2), (5, 1), (3, 2, 2)]
)
def test_random_partitions(sizes):
    """Exactly (r - 1) / (n - 1), whatever the sizes; never the published value, unless all are alone."""
    n, r = sum(sizes), len(sizes)
    all_ways = [*sized(range(n), sizes)]
    found = expected(((Fraction(1, len(all_ways)), mixing(blocks, n)) for blocks in all_ways), n)
    assert found == isotropic(factors.of_blocks(r, n), n)
    assert (found == isotropic(factors.published(n, r), n)) == (r == n)
    assert factors.published(n, r) - factors.of_blocks(r, n) == factors.gap(n, r) >= 0


def test_the_gap_for_all():
    n, r = sympy.symbols("n r", positive=True)
    assert sympy.simplify(factors.published(n, r) - factors.of_blocks(r, n) - factors.gap(n, r)) == 0
    assert factors.published(7, 1) == Fraction(1, 49)  # where one group leaves nothing
    assert factors.of_blocks(1, 7) == 0


@pytest.mark.parametrize(("n", "sizes"), [(4, (2,)), (5, (2, 2)), (6, (3,)), (6, (2, 2)), (6, (3, 2))])
def test_dropouts(n, sizes):
    alive = sum(sizes)
    ways = [*sized(range(n), (*sizes, *[1] * (n - alive)))]
    found = expected(((Fraction(1, len(ways)), mixing(blocks, n)) for blocks in ways), n)
    assert found == isotropic(factors.dropouts(n, alive, len(sizes)), n)


def patterns(n):
    """Who is there, and how many."""
    return ((sum(there), there) for there in product((0, 1), repeat=n))


def meeting(cells, there):
    """Who is there averages; each other one is alone."""
    present = [i for i in cells if there[i]]
    return [*([present] if present else []), *([i] for i in cells if not there[i])]


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_a_line_that_ranks_miss(m):
    """As polynomials in the probability."""
    q = sympy.Symbol("q")
    found = expected(
        ((q ** (m - k) * (1 - q) ** k, mixing(meeting(range(m), there), m)) for k, there in patterns(m)), m
    )
    right = isotropic(factors.line(sympy.Integer(m), q), m)
    assert all(sympy.expand(x - y) == 0 for a, b in zip(found, right) for x, y in zip(a, b))
    assert sympy.expand(factors.line(sympy.Integer(m), q) * (m - 1) - (m * q - q**m)) == 0


def lines(m, d, axis):
    """The cells of each line along an axis."""
    found: dict[int, list[int]] = {}
    for i in range(m**d):
        found.setdefault(i - i // m**axis % m * m**axis, []).append(i)
    return [*found.values()]


@pytest.mark.parametrize(
    ("m", "d", "rounds"),
    [(2, 1, 2), (2, 2, 4), (2, 3, 3), pytest.param(3, 2, 2, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("dies", [Fraction(1, 7)])
def test_the_torus_by_enumeration(m, d, rounds, dies):
    """All patterns of each round: the covariance of all cells, exactly."""
    n = m**d
    covariance = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    for t, right in enumerate(factors.variances(m, d, dies, rounds)):
        ways = []
        for k, there in patterns(n):
            w = mixing([block for cells in lines(m, d, t % d) for block in meeting(cells, there)], n)
            ways.append((dies ** (n - k) * (1 - dies) ** k, times(times(w, covariance), w)))
        covariance = expected(ways, n)
        assert sum(covariance[i][i] for i in range(n)) / n - Fraction(sum(map(sum, covariance)), n * n) == right
