"""Every way to the sum of two chunks gives the same entries and the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparring.impl.core import merge
from sparring.impl.core.chunks import Chunk
from sparring.impl.core.encodings import threshold
from sparring.impl.core.merge import add
from sparring.proofs.core.terms import Table, leaves
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


def check(a, b, got):
    assert held(got) == expected(a, b)
    assert got.length == a.length
    assert got.full == (len(got) == got.length)
    assert got.values.dtype == a.values.dtype
    assert got.positions is None or got.positions.dtype == np.int64


@given(pairs())
def test_the_sum(given):
    """Against an oracle of dictionaries; the operands stay as they were."""
    a, b = given
    before = held(a), held(b)

    check(a, b, add(a, b))

    assert (held(a), held(b)) == before


@given(few())
def test_the_sum_of_few(given):
    """As much where the length plays no part, 2^40 included."""
    a, b = given
    if a.length < 1 << 40 or (len(a) + len(b)) * merge.DENSE <= a.length:
        check(a, b, add(a, b))


@given(few())
def test_all_ways_agree(given):
    """Merged, by a dense vector, and with either operand or both made full: one and the same bits."""
    a, b = given
    if a.length > 1000:
        return
    runs = np.concatenate([a.positions, b.positions]), np.concatenate([a.values, b.values])
    merged, full = merge._merged(*runs, a.length), [Chunk(None, c.dense(), c.length) for c in (a, b)]
    ways = [Chunk(None, merged.dense(), a.length), add(full[0], b), add(a, full[1]), add(full[0], full[1])]

    assert held(add(a, b)) == held(merged)
    assert len({way.values.tobytes() for way in ways}) == 1


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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("density", [0.001, 0.05, 0.3, 0.9, 0.999])
def test_a_hundred_thousand(density, dtype):
    """Long chunks on both sides of every border."""
    random = np.random.default_rng(round(1000 * density))
    a, b = (
        of(at, random.integers(-99, 99, at.size).astype(dtype), 100_000)
        for at in (np.flatnonzero(random.random(100_000) < density) for _ in range(2))
    )

    check(a, b, add(a, b))


def test_full_from_the_threshold_on():
    """One entry fewer, and the sum stays sparse."""
    least = threshold(1000, 4)
    a = of(np.arange(0, least - 1), np.ones(least - 1, np.float32), 1000)
    for last, full in ((least - 2, False), (least - 1, True)):
        b = of(np.array([0, last]), np.ones(2, np.float32), 1000)
        assert add(a, b).full is full
        assert add(b, a).full is full


@given(st.integers(0, 10_000) | st.integers(0, 1 << 50), st.sampled_from([4, 8]))
def test_few_entries_never_reach_the_threshold(length, w):
    """So the merge need not ask; a chunk of no entries is full and never comes to it."""
    assert length == 0 or length // merge.DENSE < threshold(length, w)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("length", [6, 100])
def test_terms(length, swap):
    """Sparse, dense and full: each adds those that both have, and leaves alone what one has."""
    table = Table()
    a = Chunk(np.array([1, 3]), leaves(table, ["a", "b"]), length)
    b = Chunk(np.array([3, 5]), leaves(table, ["c", "d"]), length)
    full = Chunk(None, b.dense(), length)
    x, y = (b, a) if swap else (a, b)

    got = add(x, y)
    assert got.positions is not None and got.positions.tolist() == [1, 3, 5]
    assert [table.show(v) for v in got.values] == ["a", "(b+c)", "d"]
    for every in (add(a, full), add(full, a), add(full, Chunk(None, a.dense(), length))):
        assert [table.show(v) for v in every.values[1:6]] == ["a", "-0.0", "(b+c)", "-0.0", "d"]
    out = full.dense()
    assert [table.show(v) for v in add(full, a, out).values[:2]] == ["-0.0", "a"]
    assert [table.show(v) for v in add(a, Chunk(None, out, length), out).values[:2]] == ["-0.0", "(a+a)"]
