"""The sparse recursive doubling holds the sum and the union of supports, whole vectors in every message."""

from __future__ import annotations

import random

import pytest

from sparring import page, run
from sparring.spec.core.runner import PieceRun
from sparring.spec.core.sparse import SparseVector

PAGE = page("ssar_recursive_doubling")


def lists(p, n, seed):
    """Random supports with whole numbers."""
    rng = random.Random(seed)
    for _ in range(p):
        at = sorted(rng.sample(range(n), rng.randrange(n + 1)))
        yield SparseVector(tuple(at), tuple(rng.randrange(-9, 10) for _ in at), n)


@pytest.mark.parametrize("p", range(1, 20))
def test_every_rank_ends_with_the_sum(p):
    """Entries of no rank are absent, or zero where the vector is full."""
    for n in (0, 1, 3, 2 * p + 1, 9 * p):
        xs = [*lists(p, n, n)]
        want = {i: sum(x.values[x.indices.index(i)] for x in xs if i in x.indices) for x in xs for i in x.indices}

        for result in run("ssar_recursive_doubling", xs).results:
            found = dict(zip(result.indices, result.values))
            assert {i: found.pop(i) for i in want} == want
            assert {*found.values()} <= {0}


def test_supports_double_where_none_meet():
    """One entry of each rank, then two, then four: SparCML's worst case, ``(p - 1) k`` entries in all."""
    p, k = 8, 5
    xs = [SparseVector(tuple(range(r * k, (r + 1) * k)), (1,) * k, 10_000) for r in range(p)]

    assert [{len(m.entries.indices) for m in wire} for wire in run("ssar_recursive_doubling", xs).trace] == [
        {k}, {2 * k}, {4 * k}
    ]  # fmt: skip


def test_supports_stay_where_all_are_the_same():
    """SparCML's best case, ``log2(p) k`` entries in all; the fold sends as many twice."""
    xs = [SparseVector((3, 500, 9_999), (1, 2, 3), 10_000)] * 6

    sizes = [{len(m.entries.indices) for m in wire} for wire in run("ssar_recursive_doubling", xs).trace]

    assert sizes == [{3}] * 4


def test_it_turns_dense_on_the_way():
    """As soon as dense is the cheapest, of the vector and not of a chunk of it."""
    xs = [SparseVector(tuple(range(r, 64, 4)), (1.0,) * 16, 64) for r in range(4)]

    ran = run("ssar_recursive_doubling", xs)

    assert isinstance(ran, PieceRun) and ran.bounds == [0, 64]
    assert [{PAGE.encoded(len(m.entries.indices), 64, 8) for m in wire} for wire in ran.trace] == [{"bitmap"}] * 2
    assert [len(y.indices) for y in ran.results] == [64] * 4
