"""Rows, lengths, columns drawn anew and random entries, beside definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring.spec.core.vectors import Vector
from sparring.spec.library import matrices


def zeros(n):
    return Vector([0] * n)


def by_trying(n):
    """The largest power of two that divides ``n`` with more rows than columns, as the ports look for it."""
    best, c = 1, 1
    while c <= n and n % c == 0:
        if n // c > c:
            best = c
        c *= 2
    return best


def test_how_long_a_row_is():
    for n in (*range(1, 200), 2**20, 10**6, 3 * 2**14):
        assert matrices.below_root(n) == by_trying(n)
    assert matrices.below_root(0) == 1
    assert (matrices.below_root(2**20), matrices.below_root(10**6)) == (512, 64)
    assert matrices.rows_of(zeros(30), 0).columns == 2
    assert matrices.rows_of(zeros(30), 7)[:3] == (30, 5, 7)


def test_what_a_length_says_follows_from_no_entry():
    """Of other entries it is the same, and the zero is of their kind."""
    x = Vector([np.float32(v) for v in (1, 2, 3)], np.float32(0))
    assert matrices.square(x, 2, 1) == matrices.square(x * 5, 2, 1)
    assert type(matrices.square(x, 2, 1).nothing) is np.float32
    peeking = matrices.by_length(lambda x: [*x])
    assert peeking(Vector([4, 5])) == [0, 0]


@pytest.mark.parametrize(("n", "columns", "width"), [(70 * 3, 3, 2), (20, 6, 3), (7, 3, 1)])
def test_functions_give_as_much_as_they_declare(n, columns, width):
    """What they give is held against numpy in whole programs: test_dense_programs.py."""
    x, shape = zeros(n), matrices.square(zeros(n), columns, width)
    left, right = zeros(width * shape.rows), zeros(width * columns)
    given: Any = ((matrices.product, (x, right)), (matrices.crossed, (x, left)), (matrices.joined, (left, right)))
    for function, args in given:
        assert function.length(*map(len, args), shape) == len(function(*args, shape))
    sketched: Any = matrices.sketched
    assert sketched.length(n, shape, 2, 5, 1) == len(sketched(x, shape, 2, 5, 1))


def test_columns_of_zeros_are_drawn_anew():
    shape = matrices.square(zeros(12), 3, 2)
    kept = matrices.redrawn(Vector([0, 0, 0, 1, 0, 2]), shape, 4, 9)
    assert [*kept] == [*matrices.normal(9, 4, 0, 3), 1, 0, 2]
    assert [*matrices.redrawn(None, shape, 0, 9)] == [*matrices.normal(9, 0, 0, 3), *matrices.normal(9, 0, 1, 3)]


def test_an_entry_of_a_random_column_has_its_moments():
    """Of 40,000 entries: the mean within 4 standard errors of 0, the variance of 16, the fourth moment below 768."""
    z = np.array([matrices.normal(3, 0, s, 200) for s in range(200)], float)
    assert abs(z.mean()) < 4 * 4 / 200
    assert abs(z.var() - 16) < 4 * np.sqrt((760 - 256) / 40_000)
    assert abs((z**4).mean() - 760) < 4 * (z**4).std() / 200
    assert z.min() >= -32 and z.max() <= 32 and (z == z.round()).all()
