"""SparDL's page: what is sent, how much of it, and that what is collected in the end loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.proofs.core import iterations
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.runner import PieceRun, run
from sparring.spec.core.schedule import number, step_sends
from sparring.spec.core.sparse import SparseVector

PAGE = pages.find("spardl")
SENT = {  # gaps and numbers of blocks that init_send_info of the paper's code has for one team of so many workers
    2: ([1], [1]),
    3: ([2, 1], [1, 1]),
    5: ([4, 2, 1], [1, 2, 1]),
    6: ([4, 2, 1], [2, 2, 1]),
    8: ([4, 2, 1], [4, 2, 1]),
    11: ([8, 4, 2, 1], [3, 4, 2, 1]),
}
"""Worked out by hand from its text (MachineLearningSystem/SparDL, allreducer.py)."""


def spardl(k: int):
    return pages.find("spardl", k=k)


def ran(k: int, xs: Sequence[Any]) -> PieceRun:
    """A run that keeps ``k`` entries."""
    found = run(spardl(k), xs)
    assert isinstance(found, PieceRun)
    return found


@st.composite
def vectors(draw: Any) -> tuple[int, list[list[int]]]:
    """How many entries to keep, and one vector of integers a rank."""
    p, n = draw(st.integers(1, 9)), draw(st.integers(0, 14))
    entries = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    return draw(st.integers(0, 17)), draw(st.lists(entries, min_size=p, max_size=p))


def total(parts: Sequence[SparseVector], n: int) -> list[int]:
    """The sum as a list."""
    dense = [0] * n
    for part in parts:
        for i, v in zip(part.indices, part.values):
            dense[i] += v
    return dense


@pytest.mark.parametrize("p", SENT)
def test_rounds_are_those_of_the_papers_code(p):
    """Who sends to whom, and which blocks: those that begin with the receiver's own."""
    gaps, counts = SENT[p]
    for t, (gap, count) in enumerate(zip(gaps, counts, strict=True)):
        for r, d, chunks in step_sends(PAGE, t, p):
            assert d == (r + gap) % p
            assert [*chunks] == [(d + j) % p for j in range(count)]
    assert number(PAGE.steps(p)) == 2 * len(gaps)


@given(vectors())
def test_mass_is_conserved(drawn):
    """The result and all residuals are the sum of all inputs; all ranks have the same few entries."""
    k, xs = drawn
    found = ran(k, xs)
    assert total([found.results[0], *found.residuals], len(xs[0])) == [sum(column) for column in zip(*xs)]
    assert all(y == found.results[0] for y in found.results)
    assert len(found.results[0].indices) <= k


@given(vectors(), st.integers(1, 4))
def test_mass_is_conserved_call_after_call(drawn, calls):
    """What stays behind is added to the next vector: after each call nothing is missing."""
    k, xs = drawn
    rows = [np.array([np.roll(x, i) for i in range(calls)]) for x in xs]
    given_so_far = result_so_far = np.zeros(len(xs[0]), np.int64)
    for i, found in enumerate(iterations.runs(spardl(k), rows)):
        given_so_far = given_so_far + sum(x[i] for x in rows)
        result_so_far = result_so_far + total([found.results[0]], len(xs[0]))
        left = total(found.residuals, len(xs[0]))
        assert (result_so_far + left).tolist() == given_so_far.tolist()


@given(vectors())
def test_where_the_result_has_nothing_each_rank_has_its_own_again(drawn):
    """And where it has an entry, what all ranks keep is what is missing to the sum."""
    k, xs = drawn
    found = ran(k, xs)
    result = found.results[0]
    for x, left in zip(xs, found.residuals):
        mine = dict(zip(left.indices, left.values))
        assert all(mine[i] == v for i, v in enumerate(x) if i not in result.indices)
    missing = [sum(column) - v for column, v in zip(zip(*xs), total([result], len(xs[0])))]
    kept = total([left.meeting(result) for left in found.residuals], len(xs[0]))
    assert all(kept[i] == missing[i] for i in result.indices)


def test_what_another_rank_drops_comes_back_to_who_sent_it():
    """Rank 1 cuts index 3 of the sum: rank 0 has it again, and rank 1 has nothing of it."""
    xs = [[0, 0, 0, 3], [0, 0, 9, 0]]
    collected, cut = ran(2, xs), PieceRun(replace(spardl(2), left=lambda x, cut, y: cut), xs)

    assert [total([left], 4) for left in collected.residuals] == [[0, 0, 0, 3], [0, 0, 0, 0]]
    assert [total([left], 4) for left in cut.residuals] == [[0, 0, 0, 0], [0, 0, 0, 3]]
    assert collected.results == cut.results


@given(vectors())
def test_messages_have_their_parts_and_no_more(drawn):
    """Of each chunk as many entries as its part of k, one chunk after the other; sums do not fill in."""
    k, xs = drawn
    p, n = len(xs), len(xs[0])
    page, k = spardl(k), min(k, n)
    for t, wire in enumerate(run(page, xs).trace):
        for (_, _, chunks), (_, _, x) in zip(step_sends(page, t, p), wire, strict=True):
            sizes = [(c + 1) * n // p - c * n // p for c in chunks]
            parts = [min(size, (c + 1) * k // p - c * k // p) for c, size in zip(chunks, sizes)]
            ends = np.cumsum([0, *parts]).tolist()
            assert (len(x.indices), x.n) == (ends[-1], sum(sizes))
            for size, i, j in zip(sizes, ends, ends[1:]):
                assert [*x.indices[i:j]] == sorted({*x.indices[i:j]} & {*range(size)})


@pytest.mark.parametrize("p", [2, 3, 4, 7, 8, 12])
def test_words_are_the_papers(p):
    """``4 k (p - 1) / p`` in ``2 ceil(log2 p)`` messages, where p divides k."""
    k, sent = 5 * p, [0] * p
    found = ran(k, [[*range(8 * p)]] * p)
    for wire in found.trace:
        for src, _, x in wire:
            sent[src] += 2 * len(x.indices)
    assert sent == [4 * k * (p - 1) // p] * p
    assert len(found.trace) == 2 * (p - 1).bit_length()


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, 13])
def test_where_all_is_kept_it_is_numpys_sum(p):
    """Nothing stays behind."""
    xs = np.random.default_rng(p).integers(-99, 99, (p, 3 * p + 1))
    found = ran(9 * p, [*xs])
    assert [total([y], xs.shape[1]) for y in found.results] == [np.add.reduce(xs).tolist()] * p
    assert not any(total(found.residuals, xs.shape[1]))


def test_sparse_vectors_lose_nothing_either():
    """An entry that a rank has from others alone goes back to them."""
    xs = [Sparse([3], [5], 4), Sparse([2, 3], [9, -1], 4), Sparse([], [], 4)]
    found = ran(2, xs)
    assert total([found.results[0], *found.residuals], 4) == [0, 0, 9, 4]
