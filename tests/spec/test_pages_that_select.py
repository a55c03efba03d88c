"""What pages that select entries have in common: nothing is lost, messages are short; and what others make of each."""

from __future__ import annotations

from heapq import nlargest
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

import sparring
from sparring import Sparse, run
from sparring.proofs.core import iterations
from sparring.spec.core.runner import worded
from sparring.spec.core.schedule import step_sends
from sparring.spec.core.sparse import SparseVector

NAMES = [name for name in sparring.pages() if (page := sparring.page(name)).selecting and not page.composed]
ALL = {"topka2a"}
"""Its result has every entry."""


def drawn(p: int, n: int, seed: int = 0) -> list[list[int]]:
    """Small whole numbers, full of ties."""
    return np.random.default_rng([p, n, seed]).integers(-9, 10, (p, n)).tolist()


@st.composite
def vectors(draw: Any) -> tuple[int, list[list[int]]]:
    """How many entries to keep, and one vector of integers a rank, fewer entries than ranks and ties included."""
    p, n = draw(st.integers(1, 9)), draw(st.integers(0, 14))
    entries = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    return draw(st.integers(0, 17)), draw(st.lists(entries, min_size=p, max_size=p))


def dense(y: SparseVector) -> Any:
    x = np.zeros(y.n, np.int64)
    x[[*y.indices]] = y.values
    return x


@pytest.mark.parametrize("name", NAMES)
@given(vectors(), st.integers(1, 3))
@settings(max_examples=40)
def test_nothing_is_lost_call_after_call(name, some, calls):
    """All results and the last residuals are all inputs; ranks have the same few entries, and no message more."""
    k, xs = some
    page, p, n = sparring.page(name, k=k), len(xs), len(xs[0])
    rows = [np.array([np.roll(x, i) for i in range(calls)]).reshape(calls, n) for x in xs]
    had, got = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i, ran in enumerate(iterations.runs(page, rows)):
        had, got = had + sum(x[i] for x in rows), got + dense(ran.results[0])
        assert (got + sum(map(dense, ran.residuals)) == had).all()
        assert all(y == ran.results[0] for y in ran.results)
        assert len(ran.results[0].indices) == n if name in ALL and p else len(ran.results[0].indices) <= k
        if name not in ALL:
            sizes_are_parts(page, ran, n, min(k, n))


def sizes_are_parts(page, ran, n, k):
    """Of each chunk a message has as many entries as its part of ``k``, one chunk after the other."""
    p = len(ran.results)
    for t, wire in enumerate(ran.trace):
        for (_, _, chunks), (_, _, x) in zip(step_sends(page, t, p), wire, strict=True):
            cuts = int(page.chunks(p))
            sizes = [(c + 1) * n // cuts - c * n // cuts for c in chunks]
            parts = [min(size, (c + 1) * k // cuts - c * k // cuts) for c, size in zip(chunks, sizes)]
            ends = np.cumsum([0, *parts]).tolist()
            assert (len(x.indices), x.n) == (ends[-1], sum(sizes))
            for size, i, j in zip(sizes, ends, ends[1:]):
                assert [*x.indices[i:j]] == sorted({*x.indices[i:j]} & {*range(size)})


WORDS = {
    "ring_topk": lambda p, n, k: 4 * k * (p - 1) // p,
    "spardl": lambda p, n, k: 4 * k * (p - 1) // p,
    "topka2a": lambda p, n, k: (2 * k + n) * (p - 1) // p,
}
"""Published: of every rank, where ``p`` divides ``k`` and ``n`` and some entry of a chunk stays behind."""


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("p", [2, 3, 5, 8, 12])
def test_words_are_the_published(name, p):
    for k, n in ((p, 2 * p), (p, 5 * p), (3 * p, 10 * p)):
        page, sent = sparring.page(name, k=k), [0] * p
        for wire in run(page, [[*range(n)]] * p).trace:
            for m in wire:
                sent[m.src] += worded(page, m.entries, 4)
        assert sent == [WORDS[name](p, n, k)] * p


def tree(xs, k):
    """gTop-k as the paper has it, for powers of two: neighbours pair up, the even one has the sum's largest."""

    def top(some):
        return dict(sorted(some.items(), key=lambda one: (-abs(one[1]), one[0]))[:k])

    there = [top(dict(enumerate(x))) for x in xs]
    while len(there) > 1:
        there = [top({i: a.get(i, 0) + b.get(i, 0) for i in {*a, *b}}) for a, b in zip(there[::2], there[1::2])]
    return there[0]


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16])
def test_gtopk_is_the_published_tree(p):
    """On every rank; each but rank 0 sends up once, and is shown the result once."""
    for n, k in ((1, 1), (5, 2), (40, 3), (40, 0), (6, 9)):
        xs = drawn(p, n, k)
        ran = run("gtopk", xs, k=k)
        assert [dict(zip(y.indices, y.values)) for y in ran.results] == [tree(xs, k)] * p
        up, back = ran.trace[: len(ran.trace) // 2], ran.trace[len(ran.trace) // 2 :]
        sent = [sorted(m.src for wire in up for m in wire), sorted(m.dst for wire in back for m in wire)]
        assert sent == [[*range(1, p)]] * 2 and len(up) == (p - 1).bit_length()


def selected(x, k, p):
    """The indices that a rank selects: of equal entries heapq takes the first."""
    n = len(x)
    k = min(k, n)
    shards = [range(c * n // p, (c + 1) * n // p) for c in range(p)]
    parts = [(c + 1) * k // p - c * k // p for c in range(p)]
    return sorted(i for shard, part in zip(shards, parts) for i in nlargest(part, shard, key=lambda i: abs(x[i])))


@given(vectors())
def test_topka2a_is_the_sum_of_what_ranks_select(some):
    """By heapq and scipy; the residual is what a rank has not selected."""
    k, xs = some
    p, n = len(xs), len(xs[0])
    ran, at = run("topka2a", xs, k=k), [selected(x, k, len(xs)) for x in xs]
    columns = [i for mine in at for i in mine]
    values = [x[i] for x, mine in zip(xs, at) for i in mine]
    if n:
        wanted = coo_array((values, ([0] * len(columns), columns)), shape=(1, n), dtype=np.int64).toarray()[0]
        assert ran.results == [SparseVector((*range(n),), (*wanted.tolist(),), n)] * p
    for x, mine, left in zip(xs, at, ran.residuals):
        assert [*left.indices] == sorted({*range(n)} - {*mine})
        assert [*left.values] == [x[i] for i in left.indices]


@pytest.mark.parametrize("name", NAMES)
def test_sparse_vectors_lose_nothing_either(name):
    """An entry that a rank has from others alone goes back to somebody."""
    xs = [Sparse([3], [5], 4), Sparse([2, 3], [9, -1], 4), Sparse([], [], 4)]
    ran = run(name, xs, k=2)
    assert np.sum([dense(y) for y in (ran.results[0], *ran.residuals)], 0).tolist() == [0, 0, 9, 4]
