"""The pages of the selectors: one order, at least and at most so many entries, for every order of magnitudes."""

from __future__ import annotations

import heapq
import itertools
import statistics
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError, UnknownPage
from sparring.spec.core import pages, selectors
from sparring.spec.core.numbers import Sym, evaluate
from sparring.spec.core.schedule import number
from sparring.spec.core.select import place, through, top
from sparring.spec.core.selectors import Series, find
from sparring.spec.selectors import gaussian

NAN = float("nan")
WAYS = {
    "topk": [{}],
    "threshold": [{"period": 1}, {"period": 2}, {"period": 3, "drift": 0}, {"period": 2, "drift": 1}],
    "sampled": [{"stride": 1}, {"stride": 2, "seed": 1}, {"stride": 3, "limit": 1}, {"stride": 9, "seed": 5}],
    "gaussian": [{}, {"steps": 0}],
}
CASES = [(name, way) for name, ways in WAYS.items() for way in ways]


def orders(n: int) -> Iterator[tuple[int, ...]]:
    """Every order that magnitudes of ``n`` entries can have, equal ones included: ranks from 0 on without a gap."""
    for ranks in itertools.product(range(n), repeat=n):
        if {*ranks} == {*range(len({*ranks}))}:
            yield ranks


def test_there_are_so_many_orders():
    """The ordered Bell numbers."""
    assert [sum(1 for _ in orders(n)) for n in range(6)] == [1, 1, 3, 13, 75, 541]


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


@pytest.mark.parametrize(("name", "way"), CASES)
def test_the_bounds_are_formulas(name, way):
    """Of integers and of the letter n alike."""
    n = Sym.var("n")
    for k in range(5):
        selector = find(name, k=k, **way)
        for formula in (selector.least, selector.most):
            assert [evaluate(formula(n), n=size) for size in range(9)] == [formula(size) for size in range(9)]


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


@given(st.lists(st.integers(-50, 50) | st.floats(allow_nan=False), max_size=30), st.integers(0, 33))
def test_exact_top_k_is_the_heap_of_the_standard_library(x, k):
    """Which keeps equal ones in the order in which they come."""
    wanted = heapq.nlargest(k, range(len(x)), key=lambda i: abs(x[i]))
    assert find("topk", k=k).select(x, None) == sorted(wanted)


def test_of_two_entries_the_better_is_taken_whatever_their_size():
    """Magnitudes alone decide, not what numbers they are: a growing map changes no answer."""
    for name, way in CASES[:-2]:
        for ranks in orders(4):
            one, other = Series(find(name, k=2, **way)), Series(find(name, k=2, **way))
            for x in (ranks, ranks[::-1]):
                assert one(x).indices == other([2.0**v - 1 for v in x]).indices


def test_a_threshold_is_remembered_for_its_period():
    """In the calls between, entries that equal it are taken, and however many there are."""
    series = Series(find("threshold", k=2, period=2))
    assert series([1, 2, 3]).indices == (1, 2)
    assert series([2, 2, 2]).indices == (0, 1, 2)
    assert series([1, 1, 1]).indices == (0, 1)
    assert series([0, 0, 1]).indices == (2,)


def test_a_sample_moves_on():
    """In as many calls as it has strides all entries have been in it."""
    series = Series(find("sampled", k=3, stride=3))
    x = [0, 0, 0, 0, 9, 0, 0, 0, 8]
    assert [series(x).indices for _ in range(4)] == [tuple(range(9)), (4,), (4, 8), tuple(range(9))]


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=200), st.data())
def test_a_threshold_is_the_quantile_of_the_standard_library(x, data):
    """Mean and deviation, and the point above which k / (2 n) of that normal distribution lies."""
    k = data.draw(st.integers(1, len(x) - 1))
    mean, deviation = statistics.fmean(x), statistics.pstdev(x)
    t = gaussian.threshold(x, k, len(x))
    assert t == pytest.approx(mean - statistics.NormalDist().inv_cdf(k / 2 / len(x)) * deviation, abs=1e-9)
    if deviation > 1e-6:
        assert 1 - statistics.NormalDist(mean, deviation).cdf(t) == pytest.approx(k / 2 / len(x), abs=1e-6)


def test_normal_entries_need_few_steps_and_others_are_adjusted():
    """Of quantiles of a normal distribution about k are taken at once; of even ones after some steps."""
    normal = [statistics.NormalDist().inv_cdf((i + 0.5) / 1000) for i in range(1000)]
    even = [(i + 0.5) / 1000 - 0.5 for i in range(1000)]
    at_once = [len(find("gaussian", k=100, steps=0).select(x, None)) for x in (normal, even)]
    assert at_once == [100, 50]
    assert 75 <= len(find("gaussian", k=100).select(even, None)) <= 125


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
