"""Sparse vectors reach real ranks and come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.checks import carried


@given(
    st.sets(st.integers(0, 99)),
    st.sampled_from(["float32", "float64", "int32", "int64"]),
    st.sampled_from(["int32", "int64"]),
)
def test_round_trip(support, dtype, width):
    """Bit for bit, dtypes included."""
    x = Sparse(np.array(sorted(support), width), np.arange(len(support)).astype(dtype), 100)

    y = carried.sparse(carried.octets(x))

    assert (y.indices.tolist(), y.values.tobytes(), y.n) == (x.indices.tolist(), x.values.tobytes(), 100)
    assert (y.dtype, y.indices.dtype) == (x.dtype, x.indices.dtype)


def test_a_result_that_is_not_sparse_is_told(tmp_path):
    """With the function's name."""
    file = tmp_path / "mine.py"
    file.write_text("def dense(comm, x):\n    return x.dense()\n")

    with pytest.raises(ValueError, match=r"mine\.py:dense returned ndarray: it must return a Sparse"):
        carried.rank(None, carried.octets(Sparse([1], [1.0], 3)), function=f"{file}:dense")
