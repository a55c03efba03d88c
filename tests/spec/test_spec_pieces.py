"""Pages over pieces of sparse vectors: the sparse ring, and the ring that selects at every hop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.sparse import Sparse
from sparring.spec import ring_sparse, ring_topk
from sparring.spec.core import pages
from sparring.spec.core.runner import PieceRun, run
from sparring.spec.core.schedule import truth
from sparring.spec.core.sparse import NOTHING, SparseVector

SPARSE = pages.find("ring_sparse")


def full(m: int, size: int, w: int) -> bool:
    """On numbers a truth is a bool."""
    return truth(ring_sparse.full(m, size, w))


def topk(k: int):
    return pages.find("ring_topk", k=k)


@st.composite
def sparse(draw: Any) -> list[Sparse]:
    """One sparse vector of integers a rank, long enough for chunks that become full."""
    p, n = draw(st.integers(1, 5)), draw(st.integers(0, 200))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    xs = []
    for _ in range(p):
        at = np.flatnonzero(rng.random(n) < draw(st.sampled_from([0.0, 0.1, 0.6, 0.97, 1.0])))
        xs.append(Sparse(at, rng.integers(-9, 9, at.size), n))
    return xs


@given(sparse())
def test_every_rank_has_the_sum(xs):
    """Entries that are there only because a chunk is full are zero."""
    wanted = np.sum([x.dense() for x in xs], axis=0)
    for y in run(SPARSE, xs).results:
        assert y.dense().tolist() == wanted.tolist()


@given(sparse())
def test_the_support_depends_on_the_union_alone(xs):
    """A chunk ends full exactly if its part of the union makes dense the cheapest encoding."""
    p, n = len(xs), xs[0].n
    union = set().union(*(x.indices.tolist() for x in xs))
    wanted: set[int] = set()
    for c in range(p):
        chunk = set(range(c * n // p, (c + 1) * n // p))
        here = union & chunk
        wanted |= chunk if full(len(here), len(chunk), 8) else here
    assert [set(y.indices.tolist()) for y in run(SPARSE, xs).results] == [wanted] * p


@given(sparse())
def test_no_message_is_longer_than_the_dense_one(xs):
    """Header and dense chunk are the most that is sent, and a dense message has all entries."""
    for wire in run(SPARSE, xs).trace:
        for _, _, x in wire:
            size = SPARSE.octets(len(x.indices), x.n, 8)
            assert size <= ring_sparse.HEADER + 8 * x.n
            assert (len(x.indices) == x.n) == (size == ring_sparse.HEADER + 8 * x.n)


@given(st.integers(0, 300_000), st.integers(0, 10), st.sampled_from([4, 8]))
def test_full_from_some_count_on(size, tenths, w):
    """With more entries a chunk does not stop being full."""
    m = size * tenths // 10
    assert full(size, size, w)
    assert not full(m, size, w) or full(min(size, m + 1), size, w)


@pytest.mark.parametrize(
    ("m", "size", "w", "octets"),
    [
        (0, 0, 4, 8),
        (0, 100, 4, 8),
        (1, 100, 4, 8 + 4 + 2),
        (3, 2**16, 4, 8 + 3 * 6),
        (1, 2**16 + 1, 4, 8 + 8),  # pairs: offsets would need a count
        (9, 2**16 + 1, 4, 8 + 9 * 6 + 4),
        (50, 100, 4, 8 + 200 + 13),
        (97, 100, 4, 8 + 400),
        (2**31, 2**33, 4, 8 + 2**31 * 4 + 2**30),
    ],
)
def test_sizes_by_hand(m, size, w, octets):
    """Each encoding where it is the cheapest."""
    assert SPARSE.octets(m, size, w) == octets


@st.composite
def vectors(draw: Any) -> tuple[int, list[list[int]]]:
    """How many entries to keep, and one vector of integers a rank."""
    p, n = draw(st.integers(1, 5)), draw(st.integers(0, 12))
    entries = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    return draw(st.integers(0, 15)), draw(st.lists(entries, min_size=p, max_size=p))


def total(parts: Sequence[SparseVector], n: int) -> list[int]:
    """The sum as a list."""
    dense = [0] * n
    for part in parts:
        for i, v in zip(part.indices, part.values):
            dense[i] += v
    return dense


@given(vectors())
def test_mass_is_conserved(drawn):
    """The result and all residuals are the sum of all inputs; all ranks have the same few entries."""
    k, xs = drawn
    ran = run(topk(k), xs)
    assert isinstance(ran, PieceRun)
    assert total([ran.results[0], *ran.residuals], len(xs[0])) == [sum(column) for column in zip(*xs)]
    assert all(y == ran.results[0] for y in ran.results)
    assert len(ran.results[0].indices) <= k


@given(vectors())
def test_no_message_has_more_than_the_chunks_part(drawn):
    """Sums do not fill in."""
    k, xs = drawn
    p = len(xs)
    for t, wire in enumerate(run(topk(k), xs).trace):
        for src, _, x in wire:
            assert len(x.indices) == min(ring_topk.part((src - t) % p, p, min(k, len(xs[0]))), x.n)


def test_one_rank_selects_too():
    """Nothing is sent, and the residual is what was not selected."""
    ran = run(topk(1), [[3, -4]])
    assert isinstance(ran, PieceRun)
    assert (ran.results, ran.residuals, ran.trace) == (
        [SparseVector((1,), (-4,), 2)],
        [SparseVector((0,), (3,), 2)],
        [],
    )


def test_nothing_is_the_identity():
    """Of numpy's numbers too, whichever side it stands on."""
    for v in (np.float32(-0.0), np.float64(5e-324), np.int32(3), -0.0):
        for got in (v + NOTHING, NOTHING + v):
            assert (type(got), str(got)) == (type(v), str(v))


def test_lengths_that_differ_are_refused():
    with pytest.raises(InputError, match="rank 1 has n=3, rank 0 has n=2"):
        run(SPARSE, [Sparse([], [], 2), Sparse([], [], 3)])
