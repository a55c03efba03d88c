"""Sparse vectors reach real ranks and come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.checks.ranks import sparse_arrays


@given(
    st.sets(st.integers(0, 99)),
    st.sampled_from(["float32", "float64", "int32", "int64"]),
    st.sampled_from(["int32", "int64"]),
)
def test_round_trip(support, dtype, width):
    """Bit for bit, dtypes included."""
    x = Sparse(np.array(sorted(support), width), np.arange(len(support)).astype(dtype), 100)

    y = sparse_arrays.sparse(sparse_arrays.octets(x))

    assert (y.indices.tolist(), y.values.tobytes(), y.n) == (x.indices.tolist(), x.values.tobytes(), 100)
    assert (y.dtype, y.indices.dtype) == (x.dtype, x.indices.dtype)


def test_what_is_no_sparse_vector_travels_as_it_is():
    """Unsorted, doubled, out of range: it is for the judge to say."""
    x = Sparse.made(np.array([7, 2, 2]), np.array([1.0, -0.0, np.nan]), 3)

    y = sparse_arrays.sparse(sparse_arrays.octets(x))

    assert not sparse_arrays.unfit(x)
    assert (y.indices.tolist(), y.values.tobytes(), y.n) == ([7, 2, 2], x.values.tobytes(), 3)


@pytest.mark.parametrize(
    ("indices", "values", "n", "why"),
    [
        ([1], [1.0, 2.0], 5, "indices of shape (1,) and values of shape (2,)"),
        ([[1]], [[1.0]], 5, "indices of shape (1, 1) and values of shape (1, 1)"),
        ([1.0], [1.0], 5, "indices of float64 and values of float64"),
        ([1], [True], 5, "indices of int64 and values of bool"),
        ([1], [1.0], "5", "n='5'"),
        ([1], [1.0], 2**63, "n=9223372036854775808"),
        ([1], [1.0], -1, "n=-1"),
    ],
)
def test_what_cannot_travel_says_why(indices, values, n, why):
    """In the words that a verdict then has of what was returned."""
    assert sparse_arrays.unfit(Sparse.made(np.array(indices), np.array(values), n)) == why
