"""sparring.Sparse: what it holds, what it refuses, and that nobody can change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import InputError, Sparse

DTYPES = ("float32", "float64", "int32", "int64")

entries = st.lists(st.tuples(st.integers(0, 30), st.integers(-99, 99)), max_size=40)


@given(entries, st.sampled_from(DTYPES), st.sampled_from(["int32", "int64"]))
def test_of_sorts_and_merges(pairs, dtype, width):
    """It is the dictionary of sums, in the dtypes that were given."""
    sums: dict[int, int] = {}
    for i, v in pairs:
        sums[i] = sums.get(i, 0) + v

    x = Sparse.of(np.array([i for i, _ in pairs], width), np.array([v for _, v in pairs], dtype), 31)

    assert dict(zip(x.indices.tolist(), x.values.tolist())) == sums
    assert x.indices.tolist() == sorted(sums)
    assert (x.dtype, x.indices.dtype) == (np.dtype(dtype), np.dtype(width))


def test_of_adds_in_the_order_of_the_entries():
    """Floats are added as they come, and a lone -0.0 keeps its sign."""
    values = np.array([1e8, 1.0, -1e8, -0.0], np.float32)

    x = Sparse.of([3, 3, 3, 5], values, 6)

    assert x.values.tolist() == [(values[0] + values[1]) + values[2], -0.0]
    assert np.signbit(x.values[1])


@given(st.sets(st.integers(0, 30)), st.integers(31, 40))
def test_dense_has_zeros_where_nothing_is(support, n):
    """And the values at their indices."""
    at = sorted(support)
    x = Sparse(at, [i + 1 for i in at], n)

    assert x.dense().tolist() == [i + 1 if i in support else 0 for i in range(n)]
    assert len(x) == len(support)
    assert x.size == x.n == n


@pytest.mark.parametrize(
    ("indices", "values", "n", "why"),
    [
        (
            [*range(395, 411), 411, 408],
            [1.0] * 18,
            500,
            "indices not strictly ascending: indices[17]=408 follows 411. Sort and merge with sparring.Sparse.of(",
        ),
        ([1, 1], [1, 2], 5, "indices[1]=1 follows 1"),
        ([1, 5], [1, 2], 5, "indices[1]=5, but n=5; indices count from 0 to n - 1"),
        ([-1, 3], [1, 2], 5, "indices[0]=-1, but n=5"),
        ([0], [1], 0, "indices[0]=0, but n=0"),
        ([1, 2], [1], 5, "2 indices and 1 values: there must be one value for each index"),
        ([1], [1], -1, "n = -1: it must be a whole number, 0 or more"),
        ([1], [1], 2.5, "n = 2.5: it must be a whole number"),
        ([1], [1], 2**63, "n = 9223372036854775808: it must be a whole number, 0 or more, below 2**63"),
        ([[1], [1, 2]], [1, 2], 5, "indices make no array: "),
        ([1.0], [1], 5, "indices have dtype float64: it must be int32 or int64"),
        ([1], [1j], 5, "values have dtype complex128: it must be float32, float64, int32 or int64"),
        ([[1]], [1], 5, "indices have 2 dimensions: they must have 1"),
        ([1], ["a"], 5, "values have dtype <U1"),
    ],
)
def test_what_makes_no_sparse_vector_is_refused(indices, values, n, why):
    """In one sentence that names the first bad entry."""
    with pytest.raises(InputError) as error:
        Sparse(indices, values, n)

    assert why in str(error.value)


def test_of_refuses_what_no_order_mends():
    """An index out of range, and values that are missing."""
    with pytest.raises(InputError, match="out of range"):
        Sparse.of([9, 1], [1, 2], 5)
    with pytest.raises(InputError, match="one value for each index"):
        Sparse.of([2, 1], [1], 5)


def test_it_is_immutable():
    """Neither through its own arrays nor through those it was made from."""
    at, values = np.array([1, 3]), np.array([1.0, 2.0])
    x = Sparse(at, values, 5)
    at[0], values[0] = 2, 9.0

    assert repr(x) == "Sparse([1 3], [1. 2.], n=5)"
    with pytest.raises(ValueError, match="read-only"):
        x.values[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        x.indices[0] = 0
    with pytest.raises(AttributeError):
        x.n = 7  # type: ignore[misc]  # that is the test
    at.sort()  # the caller's arrays are still his


def test_empty_vectors_are_legal():
    """No entries, and no length either."""
    assert Sparse([], [], 0).dense().size == 0
    assert Sparse([], np.empty(0, np.float32), 3).dense().tolist() == [0.0] * 3
