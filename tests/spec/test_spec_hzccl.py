"""hZCCL's promises, looked at from outside: how far off a result is, where it is NaN, and how long messages are."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparring
from sparring.spec.codecs.difference_blocks import Differences
from sparring.spec.core.vectors import Vector


def entries(p, exponent):
    """Entries around the most steps of ``p`` ranks, and others; in powers of two, so that sums are exact."""
    most = 2.0 ** (27 - exponent - (p - 1).bit_length())
    near = st.sampled_from([most, -most, most * (1 + 2.0**-30), most * (1 - 2.0**-30), float("nan"), float("inf"), 0.0])
    return st.one_of(st.floats(-most, most), near)


@given(st.data(), st.integers(1, 5), st.sampled_from([-64, -1, 0, 10, 64]))
def test_results_are_within_the_bound_and_nan_where_an_entry_has_too_many_steps(data, p, exponent):
    """In fractions: a result is one float64, and has 53 bits, more than a sum of codes."""
    xs = data.draw(st.lists(st.lists(entries(p, exponent), min_size=3, max_size=3), min_size=p, max_size=p))
    most = Fraction(2) ** (27 - exponent - (p - 1).bit_length())
    for i, y in enumerate(sparring.run("hzccl", xs, exponent=exponent).results[0]):
        column = [x[i] for x in xs]
        if all(np.isfinite(column)) and max(map(abs, map(Fraction, column))) <= most:
            assert abs(Fraction(y) - sum(map(Fraction, column))) <= p * Fraction(2) ** -exponent
        else:
            assert np.isnan(y)


@pytest.mark.parametrize(
    ("numbers", "widths"),
    [
        ([], []),
        ([0] * 40, [0, 0]),
        ([7] * 32, [4]),
        ([-1] + [0] * 31, [2]),
        ([*range(33)], [2, 2]),
        ([5] * 64, [4, 0]),
        ([-(2**28)], [29]),
    ],
)
def test_a_block_is_as_wide_as_its_largest_difference(numbers, widths):
    """One byte for each block, then four bytes for each bit."""
    message = Differences(30).written(Vector(numbers))
    assert message[: len(widths)] == widths and len(message) == len(widths) + 4 * sum(widths)
