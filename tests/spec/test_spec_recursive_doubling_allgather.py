"""Recursive doubling of lists sums them on any number of ranks; for powers of two its messages are MPICH's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page, run
from sparring.spec.core.schedule import step_sends
from sparring.spec.core.sparse import SparseVector, total

PAGE = page("recursive_doubling_allgather")
VECTORS = st.dictionaries(st.integers(0, 9), st.integers(-5, 5)).map(
    lambda d: SparseVector(tuple(sorted(d)), tuple(d[i] for i in sorted(d)), 10)
)


def mpich(p: int) -> Iterator[set[tuple[int, int, tuple[int, ...]]]]:
    """MPIR_Allgather_intra_recursive_doubling for powers of two: who sends to whom which ranks' blocks, by step."""
    mask = 1
    while mask < p:
        yield {(r, r ^ mask, tuple(range(r // mask * mask, r // mask * mask + mask))) for r in range(p)}
        mask *= 2


def sends(p: int) -> list[set[tuple[int, int, tuple[int, ...]]]]:
    """The page's, likewise."""
    return [{(r, d, tuple(chunks)) for r, d, chunks in step_sends(PAGE, t, p)} for t in range(PAGE.steps(p))]


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16, 64])
def test_messages_are_mpich_s(p):
    """The same ranks and the same lists in the same order, worked out in another way."""
    assert sends(p) == [*mpich(p)]


@pytest.mark.parametrize("p", [3, 5, 6, 7, 11, 23, 33])
def test_no_list_comes_twice(p):
    """Folds included: what a rank receives it never has yet, and nobody is left without one."""
    have = [{r} for r in range(p)]
    for wire in sends(p):
        before = [set(lists) for lists in have]
        for r, d, chunks in wire:
            assert {*chunks} <= before[r]
            assert not {*chunks} & have[d]
            have[d] |= {*chunks}
    assert have == [{*range(p)}] * p


@given(st.lists(VECTORS, min_size=1, max_size=17))
@settings(deadline=None, max_examples=60)
def test_every_rank_ends_with_the_sum(xs):
    """Whatever the supports, with one rank and with empty lists too."""
    assert run(PAGE, xs).results == [total(xs)] * len(xs)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, 13])
def test_it_has_the_ring_s_bits(p):
    """Floats in the order of the ranks, on lists of unequal sizes."""
    xs = [SparseVector((0, r + 1), (10.0**r, 0.1 * r), 20) for r in range(p)]

    assert run(PAGE, xs).results == run("ring_allgather", xs).results
