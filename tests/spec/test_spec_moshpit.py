"""Moshpit beside the paper's algorithm on tuples of chunk indices, for every permutation; its edges; what may fail."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import sparring
from sparring.analysis.averaging.outcomes import groups, wrong
from sparring.errors import InputError
from sparring.impl.core.averaging_groups import Asked
from sparring.spec import moshpit
from sparring.spec.core.runner import run
from sparring.spec.library import group_average


def vectors(p, n, seed=0):
    """Fractions, all different."""
    rng = np.random.default_rng([p, n, seed])
    return [[Fraction(int(v), 7) for v in row] for row in rng.permuted(np.arange(-p * n, p * n))[: p * n].reshape(p, n)]


def ran(xs, **params):
    return run(sparring.page("moshpit", **params), xs)


def by_keys(p, m, d, rounds, drawn):
    """Algorithm 1 on tuples: the members of each group of each round, with keys as the paper has them."""
    keys = [tuple(r // m**e % m for e in range(1, d)) for r in range(p)]
    for t in range(rounds):
        met = defaultdict(list)
        for r in range(p):
            met[keys[r]].append(r)
        yield sorted(met.values())
        for ranks in met.values():
            for r, c in zip(ranks, drawn(t, ranks)):
                keys[r] = (*keys[r], c)[1:]


@pytest.mark.parametrize("p", range(1, 28))
@pytest.mark.parametrize("m", [2, 3, 5])
def test_groups_are_those_of_the_papers_keys(p, m, monkeypatch):
    """Also where cells are empty: a key, first its oldest index, and a grid with a next side tell the same groups."""
    d, seen = moshpit.sides(p, m), []

    def drawn(t, ranks):
        return np.random.default_rng([t, *ranks]).permutation(m).tolist()

    def grouped(keys, exchange):
        found = defaultdict(list)
        for r in sorted(keys):
            found[keys[r]].append(r)
        seen.append(sorted(found.values()))
        return [dict(zip(ranks, drawn(exchange.t, ranks))) for ranks in found.values()]

    monkeypatch.setattr(group_average, "grouped", grouped)
    _ = ran(vectors(p, 1), m=m, rounds=5).results
    assert seen == [*by_keys(p, m, d, 5, drawn)]
    assert all(len(ranks) <= m for each in seen for ranks in each)


def steps(p, n, m, rounds, dead=(), **params):
    """Vectors before and after each round, and what is asked."""
    xs = vectors(p, n)
    asked = Asked(m=m, rounds=rounds, dead=dead, **params)
    states = [xs, *(ran(xs, m=m, rounds=t + 1, dead=dead, **params).results for t in range(rounds))]
    return [(before, after, t, asked) for t, (before, after) in enumerate(pairwise(states))]


KINDS = {"dead": (-1, 0, 1, 2), "failing": (0, 1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sent", range(-1, 7))
def test_every_failure_point_of_a_group_of_four(sent, kind):
    """Copies go out one by one, then means; also where two of a group die or fail, and members are unlike."""
    sent += sent < 0 and kind == "failing"
    for r, options in product(range(4), ({}, {"weights": (2, 0, 1, 1), "bandwidths": (1, 3, 0, 2)})):
        for others in ((), (((r + 1) % 4, 0, 2),)):
            for points in ({kind: ((r, 0, sent), *others)}, {kind: ((r, 0, sent),), other(kind): others}):
                for step in steps(4, 5, 4, 2, **points, **options):
                    assert [*wrong(*step)] == []


def other(kind):
    """The other way to end."""
    return next(one for one in KINDS if one != kind)


def damaged(after, t, asked):
    """The round's result with a fault, by what is wrong with it."""
    one = next(one for one in groups(8, 5, t, asked) if len(one.ranks) == 2)
    r, other = one.ranks
    part = one.bounds[0]

    def put(rank, value):
        return [[value if (q, e) == (rank, part) else v for e, v in enumerate(x)] for q, x in enumerate(after)]

    yield "a zero where a part is missing", put(r, Fraction(0))
    yield "half of a copy", put(r, after[r][part] / 2)
    yield "only one of two has the mean", put(other, after[other][part] + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("points", [(), ((0, 1, 0),), ((0, 1, 1),)])
def test_other_outcomes_are_refused(kind, points):
    before, after, t, asked = steps(8, 5, 2, 3, **{kind: points})[1]
    for what, bad in damaged(after, t, asked):
        assert [*wrong(before, bad, t, asked)], what


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"weights": (1, -2)}, r"weights = \(1, -2\): it must be a list of whole numbers, 0 or more"),
        ({"bandwidths": (-3,)}, r"bandwidths = \(-3,\): it must be a list of whole numbers, 0 or more"),
        ({"weights": "1,2"}, r"weights = '1,2': it must be a list of whole numbers, as in \[1, 2\]"),
        ({"dead": ((0, 1),)}, r"dead = .* a list of \[rank, round from 0, number of messages, or -1\], a rank once at"),
        ({"dead": ((0, 1, 2), (0, 2, 2))}, "dead = .* a rank once at most"),
        ({"dead": ((),)}, r"dead = \(\(\),\): it must be a list of \[rank"),
        ({"failing": ((0, 1, -1),)}, r"failing = .* number of messages\], a rank once a round at most"),
        ({"failing": ((0, 1, 2), (0, 1, 1))}, "failing = .* a rank once a round at most"),
    ],
)
def test_what_means_nothing_is_refused(params, text):
    with pytest.raises(InputError, match=text):
        _ = ran(vectors(2, 2), **params).results


def test_a_point_ends_its_rank_in_its_own_round_alone():
    """After so many of its messages."""
    assert group_average.ending(1, ((0, 0, 2), (3, 1, 0), (2, 1, 5))) == {3: 0, 2: 5}
    assert group_average.ending(2, ((0, 0, 2),)) == {}
