"""The selection order, and the pages of the selectors: for every order of magnitudes so many entries, and no others."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError, UnknownPage
from sparring.spec.core import pages, selectors
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import Series, find
from sparring.spec.core.top_k import place, through, top
from sparring.spec.selectors import gaussian

NAN = float("nan")
WAYS = {
    "topk": [{}],
    "threshold": [{"period": 1}, {"period": 2}, {"period": 3, "drift": 0}, {"period": 2, "drift": 1}],
    "sampled": [{"stride": 1}, {"stride": 2, "seed": 1}, {"stride": 3, "limit": 1}, {"stride": 9, "seed": 5}],
    "gaussian": [{}, {"steps": 0}],
    "sidco": [{}, {"calls": 1}, {"calls": 2, "first": 500, "off": 0}],
}
CASES = [(name, way) for name, ways in WAYS.items() for way in ways]


def orders(n: int) -> Iterator[tuple[int, ...]]:
    """Every order that magnitudes of ``n`` entries can have, equal ones included: ranks from 0 on without a gap."""
    for ranks in itertools.product(range(n), repeat=n):
        if {*ranks} == {*range(len({*ranks}))}:
            yield ranks


def test_all_selectors_are_judged_here():
    """A new one needs its ways."""
    assert selectors.names() == sorted(WAYS)


@pytest.mark.parametrize(("name", "way"), CASES)
@pytest.mark.parametrize("nan", [False, True])
def test_order_least_and_most(name, way, nan):
    """What is taken comes before all the rest, and its number is in the bounds: all orders of up to 4 entries.

    Of three calls the second has the entries the other way round.
    """
    for n, k in itertools.product(range(5), range(6)):
        selector = find(name, k=k, **way)
        for ranks in orders(n):
            x = [(-1.0) ** i * rank for i, rank in enumerate(ranks)]
            x = [NAN if nan and abs(v) == max(ranks) else v for v in x]
            series = Series(selector)
            for now in (x, x[::-1], x):
                found = series(now)
                assert list(found.indices) == top(now, len(found.indices))
                assert number(selector.least(n)) <= len(found.indices) <= number(selector.most(n))


REACHED = {
    "topk": ({}, 3),
    "threshold": ({"period": 2, "drift": 1}, 2),
    "sampled": ({"stride": 2, "limit": 3}, 2),
}


@pytest.mark.parametrize("name", REACHED)
def test_the_bounds_are_reached(name):
    """Both of them, by some order of 4 entries: they could not be closer."""
    way, k = REACHED[name]
    selector, counts = find(name, k=k, **way), set()
    for first, second in itertools.product(orders(4), repeat=2):
        series = Series(selector)
        counts |= {len(series(first).indices), len(series(second).indices)}
    assert (min(counts), max(counts)) == (selector.least(4), selector.most(4))


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=200), st.data())
def test_a_threshold_is_the_quantile_of_the_standard_library(x, data):
    """Mean and deviation, and the point above which k / (2 n) of that normal distribution lies."""
    k = data.draw(st.integers(1, len(x) - 1))
    mean, deviation = statistics.fmean(x), statistics.pstdev(x)
    t = gaussian.threshold(x, k, len(x))
    assert t == pytest.approx(mean - statistics.NormalDist().inv_cdf(k / 2 / len(x)) * deviation, abs=1e-9)
    if deviation > 1e-6:
        assert 1 - statistics.NormalDist(mean, deviation).cdf(t) == pytest.approx(k / 2 / len(x), abs=1e-6)


@pytest.mark.parametrize("t", [float(np.float32(0.1)) + 1e-10, 1e39])
def test_small_floats_meet_a_threshold_as_they_are(t):
    """Rounded to single precision, the first would be the entry itself, and the second infinite."""
    x = np.array([0.1, 0.2], np.float32)
    assert gaussian.reaching([*map(gaussian.magnitude, x)], t) == gaussian.reaching(x.tolist(), t)


@given(st.lists(st.floats(), max_size=20), st.floats())
def test_what_comes_through(x, v):
    """Every entry that a value does not come before."""
    assert through(x, place(v)) == [i for i, w in enumerate(x) if not place(v) < place(w)]
    assert through(x, None) == []


def made(**formulas) -> ModuleType:
    """A selector in a module of its own."""
    module = ModuleType("mine")
    vars(module).update(formulas)
    return module


def test_bad_selectors_are_refused():
    """In a sentence."""
    with pytest.raises(UnknownPage, match="no selector 'topkk'; did you mean 'topk'"):
        find("topkk")
    with pytest.raises(InputError, match="page topk has no parameter 'period'"):
        find("topk", period=3)
    with pytest.raises(InputError, match=r"selector mine lacks the formula select\(x, state\)"):
        selectors.load(made())
    odd = made(select=lambda x, p: [], least=lambda n: 0, most=lambda n: n)
    with pytest.raises(InputError, match="selector mine: select asks for 'p'; it may ask for x, state"):
        selectors.load(odd)


def test_selectors_are_found_in_files_too(tmp_path):
    """And are no algorithms."""
    file = tmp_path / "none.py"
    file.write_text('"""Nothing."""\ndef select(x): return []\ndef least(n): return 0\ndef most(n): return 0\n')
    found = find(str(file))
    assert (found.name, found.title, found.select([1], None)) == ("none", "Nothing", [])
    assert find("sparring.spec.selectors.topk").name == "topk"
    assert not {*selectors.names()} & {*pages.names()}
    assert "selectors" not in pages.names()


numbers = st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, math.inf, -math.inf, math.nan]), max_size=12)


def before(values, i, j):
    """Whether entry i comes before entry j."""
    a, b = values[i], values[j]
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and (not math.isnan(b) or i < j)
    return abs(a) > abs(b) or (abs(a) == abs(b) and i < j)


@given(numbers, st.integers(0, 14))
def test_whoever_is_kept_comes_before_whoever_is_not(values, k):
    """That, the number of them and ascending indices say it all."""
    kept = top(values, k)
    left = [i for i in range(len(values)) if i not in kept]

    assert len(kept) == min(k, len(values))
    assert kept == sorted(kept)
    assert all(before(values, i, j) for i, j in itertools.product(kept, left))


def test_a_negative_k_is_refused():
    """One sentence."""
    with pytest.raises(InputError, match="k = -1: it must be 0 or more"):
        top([1.0], -1)
