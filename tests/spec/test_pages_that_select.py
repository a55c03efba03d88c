"""What pages that select entries have in common: nothing is lost, messages are short; and what others make of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import Sparse, page_runs, run
from sparring.spec.core.schedule import step_sends
from sparring.spec.core.sparse import SparseVector

NAMES = [name for name in sparring.pages() if (page := sparring.page(name)).selecting and not page.composed]
ALL = {"topka2a"}
"""Its result has every entry."""


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
    for i, ran in enumerate(page_runs.runs(page, rows)):
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


@pytest.mark.parametrize("name", NAMES)
def test_sparse_vectors_lose_nothing_either(name):
    """An entry that a rank has from others alone goes back to somebody."""
    xs = [Sparse([3], [5], 4), Sparse([2, 3], [9, -1], 4), Sparse([], [], 4)]
    ran = run(name, xs, k=2)
    assert np.sum([dense(y) for y in (ran.results[0], *ran.residuals)], 0).tolist() == [0, 0, 9, 4]
