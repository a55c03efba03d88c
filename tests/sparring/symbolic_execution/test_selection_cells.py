"""Cells: how many there are, that they are all of the inputs and none of them empty, and what is not believed."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sparring.errors import SparringError, Undecided
from sparring.impl.core.selection import largest
from sparring.spec.core.top_k import top
from sparring.symbolic_execution.arrays import made, settled
from sparring.symbolic_execution.cells import Cells
from sparring.symbolic_execution.conditions import both, less, sign
from sparring.symbolic_execution.forms import Table, constant, minus, times

COUNTS = {
    "the first two in order": (lambda x: np.argsort(-np.abs(x), kind="stable")[:2], 12),
    "which are the first two": (lambda x: np.sort(np.argsort(-np.abs(x), kind="stable")[:2]), 6),
    "of two keys": (lambda x: np.sort(np.lexsort((np.arange(4), -np.abs(x)))[:2]), 6),
    "parted": (lambda x: np.argpartition(np.abs(x), 2)[2:], 6),
    "all in order": (lambda x: np.argsort(x, kind="stable"), 24),
    "the largest": (np.argmax, 4),
    "weak orders": (lambda x: sorted(range(4), key=lambda i: (-abs(x[i]), i)), 75),
    "the page's selector": (lambda x: top(tuple(x), 2), 75),
    "the implementation's": (lambda x: largest(np.abs(x), 2), 33),
    "nothing": (lambda x: x + x, 1),
}


def explored(run, n=4, budget=500):
    """The cells of a code, and each one's answer, conditions and a point."""
    table = Table()
    cells = Cells(table, budget)
    symbols = [table.symbol(f"x{i}") for i in range(n)]
    found = [(answer, list(cells.held), cells.point()) for answer in cells.each(lambda: settled(run(made(symbols))))]
    return cells, found


@pytest.mark.parametrize("name", COUNTS)
def test_how_many_cells_there_are(name, true):
    """A fork for each outcome that is looked at: 6 sets, 12 pairs, 24 orders of 4 entries, 75 with ties apart."""
    run, count = COUNTS[name]
    cells, found = explored(run)
    assert cells.count == len(found) == count
    for _, held, point in found:
        assert true(both(*held), cells.table, point)


@pytest.mark.parametrize("name", ["which are the first two", "weak orders", "the implementation's"])
def test_every_input_is_in_one_cell(name, true):
    """Of small whole numbers, zeros and ties of either sign among them."""
    cells, found = explored(COUNTS[name][0], n=4)
    for x in product((-1, 0, 1, 2), repeat=4):
        point = {f"x{i}": v for i, v in enumerate(x)}
        (answer,) = [answer for answer, held, _ in found if true(both(*held), cells.table, point)]
        order = sorted(range(4), key=lambda i: (-abs(x[i]), i))
        assert list(answer) in (sorted(order[:2]), order)


def test_a_fork_that_leaves_an_input_out_is_no_fork():
    """Equal entries here."""
    table = Table()
    cells, (a, b) = Cells(table, 9), map(table.symbol, "ab")
    with pytest.raises(SparringError, match="leave an input out"):
        list(cells.each(lambda: cells.choose([less(a, b, or_equal=False), less(b, a, or_equal=False)])))


def test_solvers_must_agree_that_there_is_no_input(monkeypatch):
    """One that sees no input where the other does decides nothing."""
    table = Table()
    cells, (a, b) = Cells(table, 9), map(table.symbol, "ab")
    monkeypatch.setattr(cells.first, "possible", lambda held, condition: condition != less(a, b))
    with pytest.raises(Undecided, match="cvc5 says that there is one"):
        list(cells.each(lambda: cells.holds(less(a, b))))
    assert cells.trouble


def test_where_ways_overlap_both_are_gone():
    """Of equal entries a library may take either; where they differ it may not."""
    table = Table()
    cells, (a, b) = Cells(table, 9), map(table.symbol, "ab")

    def run():
        same = cells.sign(minus(a, b)) == 0
        way = cells.choose([less(a, b), less(b, a)], "a library")
        return same, way, bool(cells.free)

    assert sorted(cells.each(run)) == [(False, 0, False), (False, 1, False), (True, 0, True), (True, 1, True)]


def test_points_are_small_whole_numbers_where_there_are_such():
    """Else fractions, scaled up where no constant forbids it."""
    table = Table()
    a, b = map(table.symbol, "ab")
    cells = Cells(table, 9)
    assert cells.point(both(sign(minus(a, times(2, b)), (0,)), sign(b, (1,))), small=True) == {"a": 2, "b": 1}
    third = both(sign(minus(times(3, a), constant(1)), (0,)), sign(b, (1,)))
    assert cells.point(third, small=True)["a"] == Fraction(1, 3)
    assert all(v.denominator == 1 for v in cells.point(sign(minus(times(3, a), b), (0,))).values())
