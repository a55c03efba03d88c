"""A message holds the entries, all of them, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.errors import InputError
from sparring.impl.core import wire
from sparring.proofs.core.terms import NoTerm, Table, Terms, leaves

DTYPES = ("float32", "float64", "int32", "int64")
SMALL, LARGE = 1 << 31, (1 << 31) + 1


@given(
    st.sets(st.integers(0, SMALL - 1), max_size=20),
    st.sampled_from(DTYPES),
    st.sampled_from(["int32", "int64"]),
    st.sampled_from([SMALL, LARGE, 1 << 50]),
)
def test_round_trip(support, dtype, kept, n):
    """Bit for bit, whatever the dtypes and the length; an index takes 4 bytes up to n = 2^31, then 8."""
    x = Sparse(np.array(sorted(support), kept), np.arange(len(support)).astype(dtype), n)

    message = wire.pack(x)
    indices, values = wire.unpack(message, x.values, n)

    assert indices.tolist() == x.indices.tolist()
    assert values.tobytes() == x.values.tobytes()
    assert values.dtype == x.dtype
    assert message.dtype == np.uint8
    assert message.size == len(x) * (x.dtype.itemsize + (4 if n <= SMALL else 8)) == wire.room(len(x), x.values, n).size


def test_values_come_first():
    """So that they are aligned in any buffer."""
    x = Sparse([7], np.array([1.5], np.float32), 9)

    assert wire.pack(x).tobytes() == np.float32(1.5).tobytes() + np.int32(7).tobytes()


def test_the_largest_index_of_each_width():
    """Nothing is cut off at the border."""
    for n in (SMALL, LARGE, 1 << 62):
        x = Sparse([n - 1], [1.0], n)
        assert wire.unpack(wire.pack(x), x.values, n)[0].tolist() == [n - 1]


def test_terms_pass_through_and_stay_terms():
    """They come out as terms, which add; as plain integers they would add to nonsense that is found out."""
    table = Table()
    x = Sparse([2, 5], leaves(table, ["a", "b"]), 6)

    _, values = wire.unpack(wire.pack(x), x.values, x.n)

    assert isinstance(values, Terms)
    assert table.show((x.values + values)[1]) == "(b+b)"
    raw = values.view(np.ndarray)
    with pytest.raises(NoTerm):
        _ = x.values + (raw + raw)


def test_a_message_cut_short_is_refused():
    """Its length is no number of entries."""
    x = Sparse([2, 5], np.ones(2, np.float32), 6)
    with pytest.raises(InputError, match="15 bytes holds no whole number of entries of float32"):
        wire.unpack(wire.pack(x)[:-1], x.values, x.n)
