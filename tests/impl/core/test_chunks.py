"""A vector cut into chunks is all there, in its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.impl.core.chunks import Chunk, cut, joined
from tests.impl.core.chunk_strategies import DTYPES, chunks, held


@st.composite
def vectors(draw):
    """A sparse vector and where to cut it: chunks of length 0 are among them, and full ones."""
    parts = draw(st.lists(chunks(dtype=draw(st.sampled_from(DTYPES))), min_size=1, max_size=5))
    indices, values = joined(parts, draw(st.sampled_from([np.int32, np.int64])))
    bounds = np.cumsum([0, *[part.length for part in parts]]).tolist()
    return Sparse(indices, values, bounds[-1]), bounds, parts


@given(vectors())
def test_cut_and_joined_again(given):
    """The pieces are those that it was made of, and make it, bit for bit; a piece with all entries is full."""
    x, bounds, parts = given
    pieces = cut(x, bounds)

    assert [(held(piece), piece.length) for piece in pieces] == [(held(part), part.length) for part in parts]
    assert [piece.full for piece in pieces] == [len(part) == part.length for part in parts]
    indices, values = joined(pieces, x.indices.dtype)
    assert indices.tolist() == x.indices.tolist()
    assert values.tobytes() == x.values.tobytes()
    assert (indices.dtype, values.dtype) == (x.indices.dtype, x.dtype)


def test_pieces_of_a_long_vector():
    """Where bounds do not fit the indices' own dtype; values are not copied, positions are of 64 bits."""
    x = Sparse(np.array([0, (1 << 31) - 1], np.int32), [1.0, 2.0], 1 << 40)
    pieces = cut(x, [0, 1 << 30, 1 << 31, 1 << 39, 1 << 40])

    assert [held(piece).keys() for piece in pieces] == [{0}, {(1 << 30) - 1}, set(), set()]
    assert np.shares_memory(pieces[1].values, x.values)
    assert pieces[1].positions is not None and pieces[1].positions.dtype == np.int64
    for dtype in (np.int32, np.int64):
        assert joined(pieces, dtype)[0].tolist() == [0, (1 << 31) - 1]


@given(chunks())
def test_dense(chunk):
    """What is absent is -0.0, in integers 0, whether into new memory or into one's own."""
    out = np.ones(chunk.length, chunk.values.dtype)
    every = chunk.dense()

    absent = np.full(1, -0.0).astype(every.dtype).tobytes()
    assert [v.tobytes() for v in every] == [held(chunk).get(i, absent) for i in range(chunk.length)]
    assert chunk.dense(out) is out
    assert out.tobytes() == every.tobytes()
    assert not np.shares_memory(every, chunk.values)


def test_full_onto_itself():
    """The values may be asked to stay where they are."""
    chunk = Chunk(None, np.array([1.0, -0.0]), 2)

    assert chunk.dense(chunk.values) is chunk.values
    assert held(chunk) == {0: np.float64(1).tobytes(), 1: np.float64(-0.0).tobytes()}


@pytest.mark.parametrize("bounds", [[0], [0, 0]])
def test_nothing_to_cut(bounds):
    """A vector of no entries has as many pieces as asked for, each full of nothing."""
    pieces = cut(Sparse([], np.empty(0, np.float32), 0), bounds)

    assert [(piece.full, piece.length) for piece in pieces] == [(True, 0)] * (len(bounds) - 1)
