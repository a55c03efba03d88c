"""Mean squares add up, by enumeration; of them the ratio of a ring to Flash Communication follows."""

from __future__ import annotations

import math

import pytest
import sympy

from sparring.proofs.compression import squares


def test_the_ratio():
    """(N + 1) / 4: less than 1 for two ranks, 1 for three."""
    assert sympy.simplify(squares.ratio() - (squares.N + 1) / 4) == 0
    assert [squares.ratio().subs(squares.N, many) for many in (2, 3, 4, 8)] == [
        sympy.Rational(3, 4), 1, sympy.Rational(5, 4), sympy.Rational(9, 4),
    ]  # fmt: skip


@pytest.mark.parametrize("steps", [[3, 3], [3, 5], [5, 3], [1, 7], [3, 5, 3], [3, 3, 5], [5, 1, 3]])
def test_mean_squares_add_up(steps):
    """Exactly, over all entries: what one code is off says nothing of the next."""
    period = int(sympy.ilcm(*steps))
    apart = math.gcd(steps[0], steps[-1]) == 1
    for read, all_steps in squares.coded(steps):
        added_up = squares.enumerated(read, steps, period) == squares.expected(all_steps)
        assert added_up == (apart or read is squares.ring)


def test_entries_that_are_not_uniform_between_codes_have_another_mean_square():
    """The hypothesis is needed: below a period that a step does not divide they are not."""
    assert squares.enumerated(squares.ring, [3, 5], 3) != squares.expected([3, 5])
