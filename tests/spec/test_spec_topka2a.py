"""Selection by alltoall against selections by heapq and sums by scipy, and against the published cost."""

from __future__ import annotations

from heapq import nlargest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array

from sparring import page, run
from sparring.spec.core.runner import PieceRun, worded
from sparring.spec.core.sparse import SparseVector


def selected(x, k, p):
    """The indices that a rank selects: of equal entries heapq takes the first."""
    n = len(x)
    k = min(k, n)
    shards = [range(c * n // p, (c + 1) * n // p) for c in range(p)]
    parts = [(c + 1) * k // p - c * k // p for c in range(p)]
    return sorted(i for shard, part in zip(shards, parts) for i in nlargest(part, shard, key=lambda i: abs(x[i])))


def summed(xs, k):
    """What all ranks have selected, added up."""
    p, n = len(xs), len(xs[0])
    at = [selected(x, k, p) for x in xs]
    values = [x[i] for x, mine in zip(xs, at) for i in mine]
    columns = [i for mine in at for i in mine]
    return coo_array((values, ([0] * len(columns), columns)), shape=(1, n), dtype=np.int64).toarray()[0].tolist()


@st.composite
def given_vectors(draw):
    """How many entries to select, and one vector of integers a rank; fewer entries than ranks and ties included."""
    p, n = draw(st.integers(1, 6)), draw(st.integers(0, 14))
    entries = st.lists(st.integers(-4, 4), min_size=n, max_size=n)
    return draw(st.integers(0, 17)), draw(st.lists(entries, min_size=p, max_size=p))


@given(given_vectors())
def test_it_is_the_sum_of_what_ranks_select(drawn):
    """On every rank, with an entry at every index; the residual is what a rank has not selected."""
    k, xs = drawn
    n = len(xs[0])
    ran = run(page("topka2a", k=k), xs)
    assert isinstance(ran, PieceRun)

    if n:
        assert ran.results == [SparseVector(tuple(range(n)), tuple(summed(xs, k)), n)] * len(xs)
    for x, left in zip(xs, ran.residuals):
        assert [*left.indices] == sorted({*range(n)} - {*selected(x, k, len(xs))})
        assert [*left.values] == [x[i] for i in left.indices]


def test_it_is_no_selection_from_the_whole_vector():
    """Both of the largest entries are in one shard, of which one is taken."""
    ran = run(page("topka2a", k=2), [[9, 8, 1, 0], [0, 0, 0, 0]])
    assert ran.results[0].values == (9, 0, 1, 0)


def test_a_shard_is_added_up_from_its_own_rank_downwards():
    """Letters show the order, and that an entry which nobody selects is there all the same."""
    xs = [[Letter(name), Letter("")] * 3 for name in "abc"]

    (result, *others) = run(page("topka2a", k=3), xs).results

    assert [str(v) for v in result.values[::2]] == ["bca", "cab", "abc"]
    assert result.values[1::2] == (0, 0, 0)
    assert all(str(y) == str(result) for y in others)


class Letter(str):
    """A letter, larger than no letter."""

    def __abs__(self):
        return len(self)

    def __add__(self, other):
        return Letter(str(self) + str(other))


@pytest.mark.parametrize("p", [2, 3, 5, 8, 32])
@pytest.mark.parametrize("share", [(1, 1), (1, 4), (3, 7)])
def test_each_rank_sends_the_published_words(p, share):
    """(2 k + n) (p - 1) / p, where p divides both and some entry of a shard stays behind."""
    k, n = (p * x for x in (share[0], share[0] + share[1]))
    one = page("topka2a", k=k)
    sent = [0] * p
    for wire in run(one, [[*range(n)]] * p).trace:
        assert {m.src for m in wire} == {m.dst for m in wire} == {*range(p)}
        for m in wire:
            sent[m.src] += worded(one, m.entries, 4)

    assert sent == [(2 * k + n) * (p - 1) // p] * p


def test_what_is_selected_whole_needs_no_indices():
    """Then it costs as much as a dense allreduce."""
    one = page("topka2a", k=9)
    wires = run(one, [[*range(9)]] * 3).trace
    assert {worded(one, m.entries, 4) for wire in wires for m in wire} == {3}
    assert (one.octets(3, 3, 4), one.octets(2, 3, 4)) == (12, 16)
    assert (one.encoded(3, 3, 4), one.encoded(2, 3, 4)) == ("values", "pairs")


def test_one_rank_selects_too():
    """Nothing is sent."""
    ran = run(page("topka2a", k=1), [[3, -4]])
    assert isinstance(ran, PieceRun)
    assert (ran.results, ran.residuals, ran.trace) == (
        [SparseVector((0, 1), (0, -4), 2)],
        [SparseVector((0,), (3,), 2)],
        [],
    )
