"""Regions of the split with a dense allgather are all of the vector, as the published last one is not always."""

from __future__ import annotations

import numpy as np
import pytest

from sparring import Sparse, world
from sparring.proofs.core import refinement
from tests.impl.algorithms import PAGES, TARGETS, planted, simulated

NAME = "dsar_split_allgather"
BOUNDS = "[bound(c, mine.n, p) for c in range(p + 1)]"
LONGER = "[*(c * (mine.n // p) for c in range(p)), mine.n]"
"""Regions of ``n // p`` entries; the last has what is left, ``n % p`` more."""
PUBLISHED = "[*(c * (mine.n // p) for c in range(p)), p * (mine.n // p) + mine.n % (mine.n // p)]"
"""The same in a public code, which gives the last region ``n % (n // p)`` more."""
PLACES = [(n, p) for p in range(2, 6) for n in sorted({p, p + 1, 2 * p - 1, 11, p * p - 1, p * p, p * p + 1})]


def whole(p, n, bounds=BOUNDS):
    """What is found where every rank has one entry at every index, so that none may be missing."""
    xs = [Sparse(np.arange(n), np.full(n, 2.0**r), n) for r in range(p)]
    with planted(NAME, (BOUNDS, bounds)):
        outcome = world.run(TARGETS[NAME], p, xs)
    unlike = refinement.compared(PAGES[NAME], xs, outcome.results, "result") if not outcome.findings else ()
    return [*outcome.findings, *unlike]


def test_regions_are_all_of_the_vector():
    """The published rest of the last region, ``n % (n // p)``, is found exactly where it is not ``n % p``."""
    for n, p in PLACES:
        assert whole(p, n) == whole(p, n, LONGER) == []
        assert (whole(p, n, PUBLISHED) == []) == (n % (n // p) == n % p)


def test_where_the_published_rest_is_right():
    """Always from ``n = p^2`` on; below that, on four ranks, with six lengths not."""
    assert all(n % (n // p) == n % p for n, p in PLACES if n >= p * p)
    assert [n for n in range(4, 17) if n % (n // 4) != n % 4] == [5, 6, 7, 10, 11, 15]


def test_fewer_entries_than_ranks():
    """Most regions are empty here; the published code divides by zero."""
    assert whole(5, 3) == []
    assert {finding.kind.value for finding in whole(5, 3, PUBLISHED)} == {"raised"}


@pytest.mark.parametrize(("held", "sent"), [(32, 32), (33, 99), (34, 99), (97, 99), (99, 99)])
def test_a_third_makes_a_region_dense(held, sent):
    """By TopkDSA's rule, of each region; that of two ranks here is all alike."""
    xs = [Sparse([*range(held), *range(99, 99 + held)], np.ones(2 * held, np.float32), 198)] * 2
    assert [len(y) for y in simulated(TARGETS[NAME], xs, thirds=1)] == [2 * sent] * 2


def test_all_entries_are_there():
    """Of two ranks or more, also where all are absent; and where dense is the cheapest, of recursive doubling, too."""
    assert [len(y) for y in simulated(TARGETS[NAME], [Sparse([], [], 7)] * 3)] == [7] * 3
    xs = [Sparse(np.arange(99), np.ones(99, np.float32), 100) for _ in range(3)]
    assert [len(y) for y in simulated(TARGETS["ssar_recursive_doubling"], xs)] == [100] * 3
