"""The split with a dense allgather holds the sum at every index; each entry is sent once, then whole regions."""

from __future__ import annotations

import random

import pytest

from sparring import page, run
from sparring.spec.core.sparse import SparseVector

TOPKDSA = page("dsar_split_allgather", thirds=1)


def lists(p, n, seed):
    """Random supports with whole numbers."""
    rng = random.Random(seed)
    for _ in range(p):
        at = sorted(rng.sample(range(n), rng.randrange(n + 1)))
        yield SparseVector(tuple(at), tuple(rng.randrange(-9, 10) for _ in at), n)


@pytest.mark.parametrize("p", range(2, 20))
def test_every_rank_ends_with_the_dense_sum(p):
    """Zero where no rank has an entry; shorter than there are ranks, too."""
    for n in (0, 1, 3, 2 * p + 1, 9 * p):
        xs = [*lists(p, n, n)]
        want = [sum(x.values[x.indices.index(i)] for x in xs if i in x.indices) for i in range(n)]

        for result in run("dsar_split_allgather", xs).results:
            assert result.indices == (*range(n),)
            assert [*result.values] == want


def test_a_single_rank_keeps_its_vector():
    """Nothing is sent."""
    x = SparseVector((1, 3), (5, -2), 9)
    ran = run("dsar_split_allgather", [x])
    assert (ran.trace, ran.results) == ([], [x])


@pytest.mark.parametrize("thirds", range(5))
def test_the_second_step_is_known_beforehand_or_decided_by_thirds(thirds):
    """Each entry that is not its owner's already goes once; then a region goes whole from so many thirds on."""
    p, n = 5, 1500
    xs = [SparseVector((*range(7, 7 + 150), 700, 905, 1203), (1,) * 153, n)] * p
    split, shown = run("dsar_split_allgather", xs, thirds=thirds).trace

    assert sum(len(m.entries.indices) for m in split) == 153 * (p - 1)
    whole = [{300}, {300, 0, 1}, {150, 0, 1}, {150, 0, 1}, {150, 0, 1}]
    assert {len(m.entries.indices) for m in shown} == whole[thirds]


@pytest.mark.parametrize(("held", "goes"), [(0, 0), (29, 29), (30, 90), (31, 90), (89, 90)])
def test_topkdsa_turns_at_a_third(held, goes):
    """From a third of a region's entries on, where pairs would still be fewer words than the whole."""
    x = SparseVector((*range(held), *range(90, 90 + held)), (1,) * (2 * held), 180)
    split, shown = run(TOPKDSA, [x, x]).trace
    assert [len(m.entries.indices) for m in shown] == [goes] * 2
    assert {len(m.entries.indices) for m in split} == {held if held < 89 else 90}


@pytest.mark.parametrize("p", range(1, 9))
def test_topkdsa_that_stays_sparse_is_the_sparse_two_shot(p):
    """Message by message, where no region has a third of its entries."""
    xs = [SparseVector(tuple(range(r % 3, 90 * p, 30)), (1,) * 3 * p, 90 * p) for r in range(p)]
    assert run(TOPKDSA, xs).trace == run("two_shot_sparse", xs).trace
