"""Forms compute what numbers do: every operation, in every cell, at some inputs of that cell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.symbolic_execution import forms
from sparring.symbolic_execution.arrays import Forms, made, read, settled
from sparring.symbolic_execution.cells import Cells
from sparring.symbolic_execution.forms import NoForm, Table, minus, plus, times
from sparring.symbolic_execution.runs import everywhere  # which knows orders, too

N = 3


def added(x):
    y = np.zeros(N + 1)
    np.add.at(y, [1, 1, 3], x)
    return y


def packed(x):
    buffer = np.empty(2 * N)
    buffer[:N] = x
    buffer[N:] = np.arange(N)
    values, places = np.split(buffer, 2)
    return values[places.astype(np.int64)[::-1]]


def in_place(x):
    y = x.copy()
    y.sort()
    return y


OPERATIONS = {
    "sum": lambda x: x + x[::-1],
    "difference and multiple": lambda x: 2 * x - x[::-1] / 4 + 1.5,
    "negative": lambda x: -x,
    "magnitude": lambda x: np.abs(abs(x) - np.abs(x[::-1])),
    "all added": lambda x: [x.sum(), np.sum(x), np.add.reduce(x), sum(x), np.mean(np.abs(x))],
    "rows added": lambda x: np.stack([x, x]).sum(axis=0),
    "sign": np.sign,
    "maximum": lambda x: np.maximum(x, x[::-1]),
    "minimum": lambda x: [x.min(), np.max(x)],
    "compared": lambda x: [x < x[::-1], x[:1] <= 0.5, np.abs(x[1:2]) > 1, x >= x[0], x == x[::-1], x[2:] != 0],
    "no numbers": lambda x: [np.isnan(x), np.isinf(x), np.isfinite(x)],
    "truth": lambda x: [bool(v) for v in x],
    "where": lambda x: np.where(x > 0, x, 0.0),
    "which are none": lambda x: [np.flatnonzero(x), np.count_nonzero(x), x.any(), np.all(x), x.nonzero()[0]],
    "stable order": lambda x: np.argsort(np.abs(x), kind="stable"),
    "order by two keys": lambda x: np.lexsort((-x, np.abs(x))),
    "order backwards": lambda x: np.argsort(-x, kind="stable")[::-1][:2],
    "middle of an order": lambda x: np.argsort(x, kind="stable")[1],
    "last of an order": lambda x: np.sort(np.argsort(x, kind="stable")[-2:]),
    "sorted": lambda x: [np.sort(x), np.sort(x)[1], np.partition(np.abs(x), 1)[1], np.sort(x)[-1:]],
    "first and last": lambda x: [np.argmax(x), x.argmin(), np.argmax(np.abs(x))],
    "parts": lambda x: [np.partition(x, 1)[:1], x[np.argpartition(x, -1)[-1:]], np.partition(x, 0)[0]],
    "parted": lambda x: np.sort(np.abs(x)[np.argpartition(np.abs(x), 1)[1:]]),
    "python's order": lambda x: sorted(range(N), key=lambda i: (-abs(x[i]), i)),
    "python's maximum": lambda x: [max(x), min(x.tolist(), key=abs)],
    "added at places": added,
    "packed": packed,
    "alike": lambda x: np.array_equal(x, x[::-1]),
    "sorted in place": in_place,
    "moved": lambda x: [np.concatenate([x, x]), np.roll(x, 1), np.take(x, [2, 0]), *np.split(x, [1]), np.flip(x)],
    "an order taken": lambda x: [np.take(x, np.argsort(x, kind="stable")[:1]), x[np.argsort(x, kind="stable")]],
}


def evaluated(result, table, point):
    """A result on forms, as the numbers that it is at a point."""
    if isinstance(result, (list, tuple)):
        return [evaluated(part, table, point) for part in result]
    if isinstance(result, Forms):
        return [float(table.at(f, point)) for f in read(result)]
    return np.asarray(result).ravel().tolist()


def numbers(result):
    """A result on numbers, in the same shape."""
    return [numbers(part) for part in result] if isinstance(result, (list, tuple)) else np.ravel(result).tolist()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_that_of_numbers(name):
    """At inputs of each of its cells; there are some where equal entries make one of their own."""
    table = Table()
    cells = Cells(table, 500)
    symbols = [table.symbol(f"x{i}") for i in range(N)]

    def run():
        with everywhere():
            return settled(OPERATIONS[name](made(symbols)))

    for result in cells.each(run):
        assert not cells.trouble
        point = {f"x{i}": 3 - i for i in range(N)} | cells.point()
        x = np.array([float(point[f"x{i}"]) for i in range(N)])
        assert evaluated(result, table, point) == numbers(OPERATIONS[name](x)), point
    assert cells.count >= 1


def raw(x):
    """Adds ids instead of forms."""
    return x + np.ndarray.view(x, np.ndarray)[::-1] * 2


def part(x):
    """Of three entries."""
    return np.argpartition(made([*read(x), *read(x)[:1]]), 1)


def two_places(at):
    """Up to the second entry, and up to the third."""
    return settled([at[:1], at[:2]])


REFUSED = {
    "product": lambda x: x * x,
    "quotient": lambda x: 1 / x,
    "root": np.sqrt,
    "another dtype": lambda x: x.astype(np.float32),
    "number": lambda x: float(x[0]),
    "running sum": np.cumsum,
    "norm": np.linalg.norm,
    "infinity": lambda x: x < np.inf,
    "a raw buffer": raw,
    "inside of a part": lambda x: settled(np.argpartition(np.abs(made([*read(x), *read(x)])), 2)[:1]),
    "a part in place": lambda x: x.partition(1),
    "a part at two places": lambda x: two_places(part(x)),
    "orders of a matrix": lambda x: np.argsort(np.stack([x, x])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_anything_else_is_refused_and_noted(name):
    """Also where the code under test catches what is raised: the run is not judged."""
    table = Table()
    cells = Cells(table, 10)

    def run():
        with pytest.raises(NoForm):
            REFUSED[name](made([table.symbol("a"), table.symbol("b")]))
        return len(cells.trouble)

    assert {*cells.each(run)} == {1}


values = st.fractions(-3, 3, max_denominator=4)


@given(st.lists(st.tuples(values, values), min_size=1, max_size=4), st.tuples(values, values))
@settings(deadline=None, max_examples=40)
def test_the_algebra_is_that_of_numbers(terms, point):
    """Sums, multiples and magnitudes, at any point."""
    table = Table()
    a, b = table.symbol("a"), table.symbol("b")
    at = dict(zip("ab", point))
    form, number = forms.ZERO, Fraction(0)
    for c, d in terms:
        form = minus(table.magnitude(plus(form, times(c, a))), times(d, b))
        number = abs(number + c * at["a"]) - d * at["b"]
        assert table.at(form, at) == number
        assert table.form(table.id(form)) == form
        assert table.at(table.replaced(form, {"a": b, "b": a}, table), {"a": at["b"], "b": at["a"]}) == number


def test_magnitudes_are_one_where_they_are_equal():
    """Of opposites, of multiples, of magnitudes."""
    table = Table()
    a, b = table.symbol("a"), table.symbol("b")
    size = table.magnitude(minus(a, b))
    assert table.magnitude(minus(b, a)) == size
    assert table.magnitude(times(Fraction(-3, 2), minus(a, b))) == times(Fraction(3, 2), size)
    assert table.magnitude(times(-2, size)) == times(2, size)
    assert table.magnitude(plus(size, times(-1, a))) != size


def test_numbers_are_themselves_and_ids_are_not():
    """Zeros and indices mean what they say; what is no id and no small number is nothing."""
    table = Table()
    i = table.id(table.symbol("a"))
    assert table.id(forms.constant(3)) == 3.0
    assert (table.form(-0.0), table.form(2.5)) == (forms.ZERO, forms.constant(Fraction(5, 2)))
    assert i > 1e290
    for odd in (2 * i, float(np.nextafter(i, 0)), float("nan"), float("inf"), 2.0**70):
        with pytest.raises(NoForm):
            table.form(odd)
    assert table.check(np.array([1.0, i, 2 * i]).view(np.int64)) == 2
    assert table.check(np.array([0.0, i]).view(np.int64)) is None
