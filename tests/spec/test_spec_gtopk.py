"""gTop-k keeps what it should: the tree's largest entries, the same on all ranks, and every entry that was cut."""

from __future__ import annotations

import random

import pytest

from sparring import page, run
from sparring.spec.core.runner import PieceRun
from sparring.spec.gtopk import selects

PAGE = page("gtopk", k=3)
WITNESS = [[0, 5, 0, 0], [0, 0, 6, 0], [0, 9, 0, 0], [0, 0, 0, 1]]


def vectors(p, n, seed):
    """Small whole numbers, full of ties."""
    rng = random.Random(seed)
    return [[rng.randrange(-9, 10) for _ in range(n)] for _ in range(p)]


def top(entries, k):
    """The k largest, as a dictionary; of equal ones the lower index."""
    return dict(sorted(entries.items(), key=lambda one: (-abs(one[1]), one[0]))[:k])


def merged(a, b, k):
    """The k largest of the sum."""
    return top({i: a.get(i, 0) + b.get(i, 0) for i in {*a, *b}}, k)


def published_tree(xs, k):
    """As the paper has it, for powers of two: neighbours pair up, the even one has the sum's largest."""
    there = [top(dict(enumerate(x)), k) for x in xs]
    while len(there) > 1:
        there = [merged(a, b, k) for a, b in zip(there[::2], there[1::2])]
    return there[0]


def total(vectors, n):
    """The sum of sparse vectors, entry by entry."""
    sums = [0] * n
    for x in vectors:
        for i, v in zip(x.indices, x.values):
            sums[i] += v
    return sums


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16])
def test_published_result(p):
    """Where p is a power of two, that of the published tree, on every rank."""
    for n, k in ((1, 1), (5, 2), (40, 3), (40, 0), (6, 9)):
        xs = vectors(p, n, n + k)
        ran = run("gtopk", xs, k=k)
        want = published_tree(xs, k)
        assert all(dict(zip(y.indices, y.values)) == want for y in ran.results)


@pytest.mark.parametrize("p", range(1, 14))
def test_nothing_is_lost(p):
    """Result and residuals make up what was put in, for any number of ranks."""
    for n in (0, 1, 2 * p + 1, 40):
        xs = vectors(p, n, p)
        ran = run("gtopk", xs, k=3)
        assert isinstance(ran, PieceRun)
        assert total([ran.results[0], *ran.residuals], n) == [sum(column) for column in zip(*xs)]
        assert len({y.indices for y in ran.results}) == 1


@pytest.mark.parametrize("p", [2, 3, 4, 5, 8])
def test_messages(p):
    """Each rank but 0 sends up once, and is shown the result once; all messages have k entries."""
    ran = run("gtopk", vectors(p, 40, p), k=3)
    up, back = ran.trace[: len(ran.trace) // 2], ran.trace[len(ran.trace) // 2 :]

    assert sorted(m.src for wire in up for m in wire) == sorted(m.dst for wire in back for m in wire) == [*range(1, p)]
    assert {len(m.entries.indices) for wire in ran.trace for m in wire} == {3}
    assert len(up) == (p - 1).bit_length()


def lost(xs, k):
    """What the published residual loses, entry by entry."""
    ran = run("gtopk", xs, k=k)
    assert isinstance(ran, PieceRun)
    left = [x.without(selects(x, k=k).meeting(ran.results[0])) for x in ran.whole]
    has = total([ran.results[0], *left], len(xs[0]))
    return [sum(column) - y for column, y in zip(zip(*xs), has)]


def test_the_published_residual_loses_what_one_half_cuts():
    """Rank 0's 5: index 1 is in the result, but by rank 2's 9 alone."""
    assert lost(WITNESS, 1) == [0, 5, 0, 0]


def test_two_ranks_lose_nothing():
    """What is cut at the only sum has its index in no result; so the witness needs three ranks."""
    assert not any(any(lost(vectors(2, 6, seed), 2)) for seed in range(200))
    assert lost(WITNESS[:3], 1) == [0, 5, 0, 0]


def test_it_selects_before_it_adds():
    """Of rank 0's entries, too: the second of them is not in the sum, though it would be the largest there."""
    xs = [[9, 8, 0], [0, 5, 0]]
    ran = run("gtopk", xs, k=1)

    assert dict(zip(ran.results[0].indices, ran.results[0].values)) == {0: 9}
    assert [dict(zip(x.indices, x.values)) for x in ran.residuals] == [{1: 13, 2: 0}, {0: 0, 2: 0}]


def test_bytes_and_words():
    """An entry is an index of 4 bytes and a value."""
    assert (PAGE.octets(3, 1000, 8), PAGE.words(0, 0, 0, 4, 1000, 3), PAGE.added(0, 0, 0, 4, 1000, 3)) == (36, 6, 3)
