"""The fast selection is the reference's, ties and NaN included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.errors import InputError
from sparring.impl.core.selection import top
from sparring.spec.core import select

SPECIAL = [0.0, -0.0, 1.0, -1.0, 1.5, np.inf, -np.inf, np.nan, -np.nan, 5e-324, 1e-40]


@st.composite
def vectors(draw):
    """Few different magnitudes, so that ties are the rule, at the edges of each dtype."""
    dtype = np.dtype(draw(st.sampled_from(["float32", "float64", "int32", "int64"])))
    if dtype.kind == "f":
        values = st.sampled_from(SPECIAL) | st.floats(width=32)
        return np.array(draw(st.lists(values, max_size=30)), dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return draw(hnp.arrays(dtype, st.integers(0, 30), elements=st.sampled_from([low, -high, high, -1, 0, 1])))


@given(vectors(), st.integers(0, 33))
def test_it_selects_what_the_reference_selects(x, k):
    """For every k, k = 0 and k > n included; the values are x's own."""
    kept = top(x, k)

    assert kept.indices.tolist() == select.top(x.tolist(), k)
    assert kept.values.tobytes() == x[kept.indices].tobytes()
    assert kept.n == x.size


@pytest.mark.parametrize("k", [1, 999, 1000, 63_000])
def test_a_sample_that_misleads(k):
    """Where every 64th entry is unlike the others, larger or smaller, the answer is still exact."""
    for large in (True, False):
        x = np.random.default_rng(1).random(64_000)
        x[::64] += 5 if large else -0.5
        assert top(x, k).indices.tolist() == select.top(x.tolist(), k)


@pytest.mark.parametrize(
    ("x", "k", "options", "why"),
    [
        (np.ones(3), -1, {}, "k = -1: it must be 0 or more"),
        (np.array([1.0, np.nan]), 1, {"allow_nan": False}, r"x\[1\] is NaN"),
        (np.ones((2, 2)), 1, {}, "2 dimensions"),
        ([1.0], 1, {}, "must be a numpy array"),
    ],
)
def test_what_cannot_be_selected_from_is_refused(x, k, options, why):
    """One sentence."""
    with pytest.raises(InputError, match=why):
        top(x, k, **options)
