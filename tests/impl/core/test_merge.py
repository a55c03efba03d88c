"""Every way to the sum of two chunks gives the same entries and the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparring import Sparse
from sparring.impl.core import merge
from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.encodings import threshold
from sparring.impl.core.merge import add
from tests.impl.core.chunk_strategies import DTYPES, chunks, held, of, values


@pytest.fixture(autouse=True)
def quiet():
    """Infinities may cancel and sums overflow: they must in both ways."""
    with np.errstate(all="ignore"):
        yield


@st.composite
def pairs(draw):
    """Two chunks of one length and dtype."""
    length, dtype = draw(st.integers(0, 60)), draw(st.sampled_from(DTYPES))
    return draw(chunks(length, dtype)), draw(chunks(length, dtype))


@st.composite
def few(draw):
    """Two chunks of few entries, among them the same ones, equal and opposite values."""
    lengths = [40, 1000, 1 << 31, (1 << 31) + 1, 1 << 40]
    length, dtype = draw(st.sampled_from(lengths)), draw(st.sampled_from(DTYPES))
    near = st.integers(0, 12) | st.integers(length - 12, length - 1) | st.integers(0, length - 1)
    made = []
    for _ in range(2):
        at = np.array(sorted(draw(st.sets(near, max_size=20))), np.int64)
        made.append(of(at, draw(values(dtype, at.size)), length))
    return made


def expected(a, b):
    """By dictionaries, one addition at a time; full from the threshold on."""
    x, y = (dict(zip(held(c), np.asarray(c.values), strict=True)) for c in (a, b))
    union = {i: x[i] + y[i] if i in x and i in y else x.get(i, y.get(i)) for i in sorted(x.keys() | y.keys())}
    if a.full or b.full or len(union) >= threshold(a.length, a.values.itemsize):
        absent = np.full(1, -0.0).astype(a.values.dtype)[0]
        union = {i: union.get(i, absent) for i in range(a.length)}
    return {i: np.array(v).tobytes() for i, v in union.items()}


@given(pairs() | few())
def test_the_sum(given):
    """Against an oracle of dictionaries, also where the length plays no part; the operands stay as they were."""
    a, b = given
    if a.length == 1 << 40 and (len(a) + len(b)) * merge.DENSE > a.length:
        return
    before = held(a), held(b)

    got = add(a, b)

    assert held(got) == expected(a, b)
    assert (got.length, got.full, got.values.dtype) == (a.length, len(got) == got.length, a.values.dtype)
    assert got.positions is None or got.positions.dtype == np.int64
    assert (held(a), held(b)) == before


@given(pairs(), st.booleans())
@example((Chunk(np.array([0]), np.ones(1), 2), Chunk(np.array([1]), np.ones(1), 2)), True)
def test_in_given_memory(given, own):
    """A full sum is formed there, if need be in a full operand's own memory, with the same bits."""
    a, b = given
    wanted = held(add(a, b))
    place = next((c.values for c in (b, a) if own and c.full), np.empty_like(a.values, shape=a.length))
    got = add(a, b, place)

    assert held(got) == wanted
    assert got.full == (len(wanted) == a.length)
    assert not got.full or got.values.size == 0 or np.shares_memory(got.values, place)


def test_full_from_the_threshold_on():
    """One entry fewer, and the sum stays sparse; few entries never reach it, so that the merge need not ask."""
    least = threshold(1000, 4)
    a = of(np.arange(0, least - 1), np.ones(least - 1, np.float32), 1000)
    for last, full in ((least - 2, False), (least - 1, True)):
        b = of(np.array([0, last]), np.ones(2, np.float32), 1000)
        assert add(a, b).full is full
        assert add(b, a).full is full
    for length in (1, 10, 1000, 1 << 50):
        assert length // merge.DENSE < min(threshold(length, w) for w in (4, 8))


def test_pieces_of_a_long_vector():
    """Where bounds do not fit the indices' own dtype; values are not copied, positions are of 64 bits."""
    x = Sparse(np.array([0, (1 << 31) - 1], np.int32), [1.0, 2.0], 1 << 40)
    pieces = cut(x, [0, 1 << 30, 1 << 31, 1 << 39, 1 << 40])

    assert [held(piece).keys() for piece in pieces] == [{0}, {(1 << 30) - 1}, set(), set()]
    assert np.shares_memory(pieces[1].values, x.values)
    assert pieces[1].positions is not None and pieces[1].positions.dtype == np.int64
    for dtype in (np.int32, np.int64):
        assert joined(pieces, dtype)[0].tolist() == [0, (1 << 31) - 1]
    assert [piece.full for piece in cut(Sparse([0, 1, 2, 3, 5], np.ones(5), 6), [0, 2, 4, 6])] == [True, True, False]
