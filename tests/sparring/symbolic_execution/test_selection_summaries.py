"""A selector's summary says what its code does, and that it takes the largest only where it does."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sparring.symbolic_execution.arrays import made
from sparring.symbolic_execution.cells import Cells
from sparring.symbolic_execution.forms import Table, minus, plus
from sparring.symbolic_execution.summaries import Summary, explored, impl_top, page_top


def taken_one_by_one(x, k):
    """As somebody writes it who knows no sort."""
    size, found = np.abs(x), []
    for _ in range(min(k, len(x))):
        best = max((i for i in range(len(x)) if i not in found), key=lambda i: size[i])
        found.append(best)
    return sorted(found)


KEPT = {
    "the page's": page_top,
    "the implementation's": impl_top,
    "sorted": lambda x, k: sorted(sorted(range(len(x)), key=lambda i: -abs(x[i]))[:k]),
    "in their order": lambda x, k: np.lexsort((np.arange(len(x)), -np.abs(x)))[:k].copy() if k < 2 else page_top(x, k),
    "one by one": taken_one_by_one,
}
OTHERS = {
    "the last of equal ones": lambda x, k: np.sort(np.lexsort((-np.arange(len(x)), -np.abs(x)))[:k]),
    "by value": lambda x, k: np.sort(np.argsort(-x, kind="stable")[:k]),
    "the smallest": lambda x, k: np.sort(np.argsort(np.abs(x), kind="stable")[:k]),
    "one more of equal ones": lambda x, k: np.flatnonzero(np.abs(x) >= np.sort(np.abs(x))[-k]),
    "above a threshold": lambda x, k: np.abs(x) > k,
    "the values": lambda x, k: np.sort(np.abs(x))[-k:],
}


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("name", KEPT)
def test_a_selector_that_takes_the_largest_is_known(name, k):
    """Whatever its code; its summary is an order then."""
    ways = explored(KEPT[name], [(3,), k])
    assert ways.sets is not None and len(ways.sets) == len(ways.answers) == 3


@pytest.mark.parametrize("name", OTHERS)
def test_another_selector_is_not_taken_for_it(name):
    """Not one that differs on ties alone."""
    assert explored(OTHERS[name], [(3,), 2]).sets is None


@pytest.mark.parametrize(
    "name", ["the page's", "one more of equal ones", "by value", "above a threshold", "the values"]
)
def test_a_summary_answers_as_the_code_does(name, true):
    """For forms in the place of symbols: at small whole numbers each answer is the code's."""
    selector = {**KEPT, **OTHERS}[name]
    table = Table()
    cells, (a, b) = Cells(table, 500), map(table.symbol, "ab")
    given = [minus(a, b), plus(a, b), b]
    summary = Summary(selector, {})
    found = [(answer, list(cells.held)) for answer in cells.each(lambda: summary(made(given), 2))]
    for x in product((-2, -1, 0, 1, 3), repeat=2):
        point = dict(zip("ab", x))
        numbers = np.array([float(table.at(f, point)) for f in given])
        answers = [answer for answer, held in found if all(true(c, table, point) for c in held)]
        assert len(answers) == 1
        has = np.asarray(answers[0])
        if name == "the values":
            has = np.array([float(table.at(table.form(v), point)) for v in has.tolist()])
        assert has.tolist() == np.asarray(selector(numbers, 2)).tolist()
