"""The sparse two-shot allreduce holds the sum and the union of supports, and forwards nothing."""

from __future__ import annotations

import random

import pytest

from sparring import run
from sparring.spec.core.sparse import SparseVector


def lists(p, n, seed):
    """Random supports with whole numbers."""
    rng = random.Random(seed)
    for _ in range(p):
        at = sorted(rng.sample(range(n), rng.randrange(n + 1)))
        yield SparseVector(tuple(at), tuple(rng.randrange(-9, 10) for _ in at), n)


@pytest.mark.parametrize("p", range(1, 20))
def test_every_rank_ends_with_the_sum(p):
    """Entries of no rank are absent, or zero where a chunk is full."""
    for n in (0, 1, 3, 2 * p + 1, 9 * p):
        xs = [*lists(p, n, n)]
        want = {i: sum(x.values[x.indices.index(i)] for x in xs if i in x.indices) for x in xs for i in x.indices}

        for result in run("two_shot_sparse", xs).results:
            found = dict(zip(result.indices, result.values))
            assert {i: found.pop(i) for i in want} == want
            assert {*found.values()} <= {0}


def test_entries_are_sent_once_to_be_added():
    """Each entry that is not its owner's already is in one message of the first step, and in no other."""
    p, n = 5, 1000
    xs = [SparseVector((7, 203, 590, 999), (1, 2, 3, 4), n)] * p
    collected, handed = run("two_shot_sparse", xs).trace

    for wire in (collected, handed):
        assert sum(len(m.entries.indices) for m in wire) == 4 * (p - 1)
