"""Descent on least squares whose solution is known: no further from it than theory says, and what is sent for it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import world
from sparring.spec.core import local_sgd, pages
from sparring.spec.core.runner import run
from tests.impl.least_squares import N, problem, settled

TARGETS = Path(__file__).with_name("descent_targets.py")
ROUNDING = 1e-9
"""Doubles, a few hundred steps of numbers of size 1."""


def called(function: Any, comm: Any, x: Any, **params: Any) -> Any:
    """How the world calls a target with parameters."""
    return function(comm, x, **params)


def ran(function, p, xs, **params):
    """What every rank has, and how many bytes of vectors are sent in all."""
    outcome = world.run(f"{TARGETS}:{function}", p, xs, call=functools.partial(called, **params))
    assert not outcome.findings
    return outcome.results, sum(m.nbytes for m in outcome.messages if m.nbytes >= 8 * N // p)


def walk(p, every, steps=60, **params):
    """By rank and step, where it is and whether means were taken."""
    one = problem(p)
    results, sent = ran("local", p, one.rows, rate=one.rate, every=every, steps=steps, **params)
    return np.array(results)[:, :, :-1], np.array(results)[0, :, -1], sent


def distance(a, b):
    return np.linalg.norm(a - b, axis=-1)


@pytest.mark.parametrize("p", [1, 2, 4])
def test_with_a_mean_in_each_step_it_is_minibatch_descent(p):
    """Step by step against the mean gradient, but for rounding; as near the solution as such descent promises."""
    one, (places, _, _) = problem(p), walk(p, 1)
    w, rate = np.zeros(N), one.rate
    for t in range(60):
        w = w - rate * (one.a.mean(0) @ w - one.b.mean(0))
        np.testing.assert_allclose(places[:, t], [w] * p, atol=ROUNDING)
        slowest = max(abs(1 - rate * one.curvatures)) ** (t + 1)
        assert distance(w, one.best) <= slowest * distance(0, one.best) + ROUNDING


@pytest.mark.parametrize("p", [2, 3, 4])
@pytest.mark.parametrize("every", [1, 2, 5, 10])
def test_it_comes_to_rest_where_theory_says(p, every):
    """Round by round on the way to the fixed point, which is the solution for 1 alone; all ranks at one place."""
    one, (places, met, _) = problem(p), walk(p, every)
    around, rest = settled(one, every)
    w = np.zeros(N)
    for t in range(every - 1, 60, every):
        w = rest + around @ (w - rest)
        assert len({place.tobytes() for place in places[:, t]}) == 1
        np.testing.assert_allclose(places[0, t], w, atol=ROUNDING)
    assert np.flatnonzero(met).tolist() == [*range(every - 1, 60, every)]
    assert (distance(rest, one.best) < ROUNDING) == (every == 1)


@pytest.mark.parametrize("p", [2, 4])
@pytest.mark.parametrize("every", [2, 5, 10])
def test_ranks_stay_as_near_each_other_as_theory_says(p, every):
    """Of the longest gradient of the walk: 2 (1 - 1/p) of so many steps between two means."""
    one, (places, _, _) = problem(p), walk(p, every)
    before = np.concatenate([np.zeros((p, 1, N)), places[:, :-1]], axis=1)
    longest = max(np.linalg.norm(a @ w - b) for a, b, ws in zip(one.a, one.b, before) for w in ws)
    apart = distance(places, places.mean(0)).max()
    assert 0 < apart <= 2 * (1 - 1 / p) * one.rate * (every - 1) * longest


@pytest.mark.parametrize("p", [2, 3, 4])
def test_it_sends_as_much_less_as_there_are_fewer_means(p):
    every_step = walk(p, 1)[2]
    for every in (2, 3, 5):
        assert walk(p, every)[2] * every == every_step > 0


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_it_is_the_reference(through):
    """The same places as the exact text's on floats, whatever sums them."""
    one, p = problem(3), 3
    places, _, _ = walk(p, 4, steps=12, through=through)

    def summed(ws):
        return run(pages.find(through), ws).results

    def slope(r, w):
        rows = one.rows[r]
        return rows[:, :-1].T @ (rows[:, :-1] @ np.array(w) - rows[:, -1]) / len(rows)

    right = local_sgd.descended(summed, p, [*np.zeros(N)], slope, rate=one.rate, every=4, steps=12)
    for t, ws in enumerate(right):
        np.testing.assert_array_equal(places[:, t], ws)


def powered(p, rank, steps=80, **params):
    """By step: where all are, and the means of gradients there and of what is kept."""
    one = problem(p)
    results, sent = ran("powered", p, one.rows, rate=one.rate, steps=steps, rank=rank, columns=4, **params)
    assert len({np.ascontiguousarray(y[:, :N]).tobytes() for y in results}) == 1
    _, slopes, kept = np.split(np.mean(results, axis=0), 3, axis=1)
    return results[0][:, :N], slopes, kept, sent


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("rank", [1, 2])
def test_within_a_low_rank_nothing_is_lost(p, rank):
    """Where all are, less what they keep in the mean, is where steps against the mean gradients lead."""
    one = problem(p)
    places, slopes, kept, _ = powered(p, rank)
    np.testing.assert_allclose(places - kept, -one.rate * np.cumsum(slopes, axis=0), atol=ROUNDING)
    lost = powered(p, rank, forgets=True)
    assert abs(lost[0] - lost[2] + one.rate * np.cumsum(lost[1], axis=0)).max() > 1e-3


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("rank", [1, 2])
def test_within_a_low_rank_it_is_as_near_as_theory_says(p, rank):
    """Step by step: less what is kept, (1 - rate least) times as far, and rate most times what was kept before."""
    one = problem(p)
    places, _, kept, _ = powered(p, rank)
    least, most = one.curvatures[[0, -1]]
    bound, before = distance(0, one.best), 0.0
    for w, left in zip(places, kept):
        bound = (1 - one.rate * least) * bound + one.rate * most * before
        assert distance(w - left, one.best) <= bound + ROUNDING
        before = np.linalg.norm(left)
        assert distance(w, one.best) <= bound + before + ROUNDING


def test_all_of_the_rank_is_minibatch_descent():
    """Four columns of four: nothing is kept but what rounding leaves, and what epsilon makes columns short by."""
    one, (places, _, kept, _) = problem(2), powered(2, 4, steps=20)
    w = np.zeros(N)
    for _ in range(20):
        w = w - one.rate * (one.a.mean(0) @ w - one.b.mean(0))
    assert np.isfinite(places).all() and places.shape == (20, N)
    assert (
        distance(places[-1] - kept[-1], w)
        <= one.rate * one.curvatures[-1] * np.linalg.norm(kept, axis=1).sum() + ROUNDING
    )


def test_bad_numbers_of_steps_are_one_sentence():
    """On every rank; of ranks that differ alike."""
    texts = [bytes(y).decode() for y in ran("refused", 3, [np.array([v]) for v in (2.0, 0.0, 2.0)])[0]]
    assert texts[1] == "every = 0: it must be a whole number, 1 or more"
    assert all("rank 1's arguments are refused" in text for text in (texts[0], texts[2]))
    texts = [bytes(y).decode() for y in ran("refused", 2, [np.array([v]) for v in (2.0, 3.0)])[0]]
    assert texts == ["rank 1 has every=3, rank 0 every=2: all ranks need one value of each"] * 2


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 2, 4])
def test_real_ranks(group, p):
    """The same bits on real ranks."""
    one = problem(p)
    params = {"rate": one.rate, "every": 3, "steps": 9}
    simulated = ran("local", p, one.rows, **params)[0]
    for has, right in zip(group.run(f"{TARGETS}:local", one.rows, **params), simulated, strict=True):
        np.testing.assert_array_equal(has, right)
