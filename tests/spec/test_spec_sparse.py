"""Sparse vectors of the pages, and runs of pages whose chunks are lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import InputError, Sparse, page, run
from sparring.spec.core.model import load
from sparring.spec.core.sparse import SparseVector, taken, total

PAGE = page("ring_allgather")
vectors = st.dictionaries(st.integers(0, 9), st.integers(-5, 5)).map(
    lambda d: SparseVector(tuple(sorted(d)), tuple(d[i] for i in sorted(d)), 10)
)


def as_dict(x):
    return dict(zip(x.indices, x.values))


@given(vectors, vectors, vectors)
def test_addition_is_that_of_vectors_on_the_union(a, b, c):
    """Commutative and associative on integers; cancelled sums and zeros stay."""
    assert as_dict(a + b) == {i: as_dict(a).get(i, 0) + as_dict(b).get(i, 0) for i in {*a.indices, *b.indices}}
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@given(st.lists(vectors, min_size=1, max_size=6))
def test_every_rank_ends_with_the_sum(xs):
    """Whatever the supports, on p = 1 and on empty lists too; in the class of the inputs."""
    want = total(xs)

    assert run(PAGE, xs).results == [want] * len(xs)
    ours = run(PAGE, [Sparse(x.indices, x.values, 10) for x in xs]).results
    assert [y.indices.tolist() for y in ours] == [list(want.indices)] * len(xs)
    assert [y.values.tolist() for y in ours] == [list(want.values)] * len(xs)


def test_lists_are_added_in_the_order_of_the_ranks():
    """Also on ranks that receive them in another order."""
    ran = run(PAGE, [SparseVector((0,), (letter,), 1) for letter in "abcd"])

    assert [y.values for y in ran.results] == [("abcd",)] * 4


def test_messages_are_whole_lists():
    """Entries of a message are one rank's list, counted by its entries."""
    first, second = run(PAGE, [Sparse([r], [1.0], 3) for r in range(3)]).trace

    assert [m.entries.indices for m in first] == [(0,), (1,), (2,)]
    assert [m.entries.indices for m in second] == [(2,), (0,), (1,)]


def test_zeros():
    """-0.0 is the identity while sums are formed and shows in no result; dtypes stay."""
    x = Sparse([0, 1, 2], np.array([-0.0, 1.0, -0.0], np.float32), 4)
    y = Sparse([1, 2], np.array([-1.0, -0.0], np.float32), 4)

    (result, _) = run(PAGE, [x, y]).results

    assert result.values.tobytes() == np.zeros(3, np.float32).tobytes()
    assert result.indices.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("xs", "why"),
    [
        ([], "no ranks"),
        ([[1.0], [2.0]], "rank 0 has a list: ring_allgather takes sparring.Sparse"),
        ([Sparse([], [], 3), Sparse([], [], 4)], "rank 1 has n=4, rank 0 has n=3"),
        ([SparseVector((2, 1), (0, 0), 3)], r"indices\[1\]=1 must be above 2 and below n=3"),
        ([SparseVector((3,), (0,), 3)], r"indices\[0\]=3 must be above -1 and below n=3"),
        ([SparseVector((1,), (), 3)], "1 indices and 0 values"),
    ],
)
def test_bad_lists_are_refused(xs, why):
    """One sentence each."""
    with pytest.raises(InputError, match=why):
        run(PAGE, xs)


def test_a_page_says_what_its_chunks_are():
    """Lists make an allreduce of an allgather; unknown data are refused."""
    assert (PAGE.kind, PAGE.data, PAGE.collective) == ("allgather", "lists", "allreduce")
    assert (page("ring").data, page("ring").collective) == ("vector", "allreduce")
    assert replace(PAGE, data="vector").collective == "allgather"
    module = type(PAGE.module)("wrong")
    module.data = "heaps"  # type: ignore[attr-defined]  # a page is any module
    with pytest.raises(InputError, match="page wrong: no data 'heaps'; there are vector, lists"):
        load(module)


def test_taken_keeps_values_as_they_are():
    """A float32 stays one, so that sums round as its own."""
    assert taken(Sparse([1], np.array([0.1], np.float32), 2)).values[0].dtype == np.float32
