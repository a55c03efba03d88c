"""Diagrams of the cheapest algorithm: what is told at each point is what ``cost`` says there."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import pytest

import sparring
from sparring.costs import regions
from sparring.errors import InputError, Undecided
from sparring.inputs import digits
from sparring.support_growth import measured_sizes, union_growth

NAMES = ("ring", "ring_allgather", "ring_sparse", "recursive_multiplying")
POINT = {"alpha": "10us", "beta": "25Gbit/s"}


@pytest.fixture(scope="module")
def costs():
    return [sparring.cost(name, support="independent") for name in NAMES]


@pytest.fixture(scope="module")
def found(costs):
    """Bytes over density and ranks, few points."""
    return regions.phases(costs, ("rho", "p"), {"n": 5000}, start=("0.01", "3"), end=("1", "9"))


def said(name, seconds, **at):
    """What ``cost`` says; None where its formulas do not hold."""
    try:
        return sparring.cost(name, support="independent").at(**at, **seconds).time
    except InputError:
        return None


@pytest.mark.parametrize("j", [0, 1, 6])
def test_each_cost_is_that_of_cost(found, j):
    """Bytes are the time of a machine on which a byte takes a second."""
    bytes_alone = {"alpha": 0, "beta": 1}
    for i in (0, 17, 60):
        k = round(found.along[i] * 5000)
        right = [said(name, bytes_alone, p=int(found.up[j]), n=5000, k=k) for name in NAMES]
        assert [*found.costs[j][i]] == right
        known = {name: cost for name, cost in zip(NAMES, right) if cost is not None}
        for within in (0, Fraction(1, 100), Fraction(1, 2)):
            close = [name for name, cost in known.items() if cost <= (1 + within) * min(known.values())]
            assert found.close(j, i, Fraction(within)) == close


def test_measured_sizes_stand_in_the_place_of_the_model(costs):
    """The mean unions of the shipped gradients, entries spread evenly."""
    vectors = digits(4, "step30")
    grid = regions.phases(costs, ("rho", "p"), {"n": 9610}, "measured", measured_sizes(vectors), end=("1", "4"))
    page, j, i = sparring.page("ring_sparse"), 2, 30
    growth = union_growth(vectors, k=round(grid.along[i] * 9610))
    size, sums = Fraction(-(-9610 // 4)), [growth.mean[s - 1] for s in (1, 2, 3, 4, 4, 4)]
    right = sum(page.octets(u * size / 9610, size, 4) for u in sums)
    assert grid.up[j] == 4 and grid.costs[j][i][NAMES.index("ring_sparse")] == right
    independent = regions.phases(costs, ("rho", "p"), {"n": 9610}, end=("1", "4"))
    assert (independent.costs[j][i][NAMES.index("ring_sparse")] or 0) > right


@pytest.mark.parametrize(
    ("ranks", "at", "message"),
    [(2, {"n": 9610}, "p=3: there are vectors of 2 ranks"), (4, {"n": 10}, "n=10: the vectors")],
)
def test_measured_sizes_that_there_are_not(costs, ranks, at, message):
    with pytest.raises(InputError, match=message):
        regions.phases(costs, ("rho", "p"), at, "measured", measured_sizes(digits(ranks)), end=(None, "4"))


@pytest.mark.parametrize(
    ("over", "at", "message"),
    [
        (("rho", "rho"), {"n": 9}, r"--phase rho,rho: right are two of rho, n, p"),
        (("rho",), {"n": 9}, "right are two of"),
        (("rho", "p"), {}, "need a value for n: n=VALUE"),
        (("n", "p"), {}, "costs of ring_allgather need a value for k: k=VALUE"),
    ],
)
def test_bad_input(costs, over, at, message):
    with pytest.raises(InputError, match=message):
        regions.phases(costs, over, at, end=(None, "3"))


def test_the_band_is_told_for_bytes_of_independent_supports_alone(costs):
    """It is nowhere on two ranks, and two bands on six."""
    start, end = ("0.5", "2"), ("1", "6")
    told = regions.bands(costs, regions.phases(costs, ("rho", "p"), {"n": 1000}, start=start, end=end), 4)
    three = told["ring_sparse"][3]
    assert [*told] == ["ring_sparse"] and three and 0.4738 < three.begins.low < 0.4740
    assert [p for p, one in told["ring_sparse"].items() if one is None] == [2, 6]
    timed = regions.phases(costs, ("rho", "p"), {"n": 1000, **POINT}, start=start, end=end)
    assert regions.bands(costs, timed, 4) == {}


def test_where_the_cheapest_changes_is_where_versus_says(costs):
    """Over n and over the density."""
    two = [sparring.cost("recursive_doubling"), costs[0]]
    (turn,) = regions.courses(two, "n", {"p": 8, **POINT}).turns
    crossing = sparring.crossover("ring", "recursive_doubling", "n", p=8, **POINT).crossings[0]
    assert (turn.before, turn.then) == ("recursive_doubling", "ring")
    assert 0 <= turn.place - crossing.low <= gcd(int(turn.place), 1024)
    (turn,) = regions.courses(costs[:2], "rho", {"p": 8, "n": 10**6}).turns
    assert turn.place == pytest.approx(1 / 8, rel=1e-4) and (turn.before, turn.then) == ("ring_allgather", "ring")


def test_seconds_over_other_letters(costs):
    """Of a grid, and along one letter."""
    grid = regions.phases(costs, ("n", "p"), {"k": 500, **POINT}, end=("1e6", "5"))
    at = {"p": int(grid.up[2]), "n": int(grid.along[40]), "k": 500}
    assert grid.quantity == "time" and [*grid.costs[2][40]] == [said(name, POINT, **at) for name in NAMES]
    found = regions.courses(costs, "p", {"n": 4096, "k": 40, **POINT}, end="12")
    assert [*map(int, found.xs)] == [*range(2, 13)] and found.names == NAMES
    assert [cost[6] for cost in found.costs] == [said(name, POINT, p=8, n=4096, k=40) for name in NAMES]


def test_no_closed_form_is_undecided(monkeypatch, costs):
    monkeypatch.setattr(type(costs[0]), "form", lambda *_: None)
    with pytest.raises(Undecided, match="ring: no closed form of time"):
        regions.valued(costs[0])
