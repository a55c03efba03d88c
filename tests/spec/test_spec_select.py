"""The selection order, in words that leave nothing to choose."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.spec.core.select import top

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
