"""Moshpit where each rank dies or fails at each point, simulated and real; and descent by its averages."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.analysis.averaging.outcomes import wrong
from sparring.errors import InputError
from sparring.impl.core.averaging_groups import Asked
from sparring.impl.training.moshpit_sgd import MoshpitSGD
from tests.impl.algorithms import RANKS, simulated

KINDS = {"dead": (-1, 0, 1, 2), "failing": (0, 1)}
POINTS = [{kind: ((r, t, sent),)} for kind, of in KINDS.items() for r in range(8) for t in range(3) for sent in of]


def eight(n=5):
    """Whole numbers, of which means of two and of eight are exact in float64."""
    return [*np.random.default_rng(8).integers(-999, 999, (8, n)).astype(np.float64)]


def fractions(xs):
    """The vectors in exact numbers."""
    return [[Fraction(v) for v in x] for x in xs]


def judged(ys, xs):
    """Each point's outcome: the page's, and among those that it allows, round by round."""
    for k, point in enumerate(POINTS):
        mine = [y[k * xs[0].size : (k + 1) * xs[0].size] for y in ys]
        before = fractions(xs)
        for t in range(3):
            asked = Asked(rounds=t + 1)._replace(**point)
            after = sparring.run(sparring.page("moshpit", rounds=t + 1, **point), fractions(xs)).results
            assert [*wrong(before, after, t, asked)] == []
            before = after
        assert fractions(mine) == [[*y] for y in before], point


@pytest.mark.slow
def test_every_failure_point_of_eight_simulated():
    """All 144: each rank, each round, before the group is formed and after each message, dead or not."""
    assert len(POINTS) == 144
    xs = eight()
    judged(simulated(f"{RANKS}:every_end", xs, points=POINTS), xs)


@pytest.mark.mpi
def test_failure_points_of_eight_on_real_ranks(group):
    """Each round, way and number of messages, of one rank or another, in one group of processes.

    One call comes after the other: none hangs, and all have what simulated ranks have.
    """
    ways = (run(f"{RANKS}:every_end", eight(), points=POINTS[::5]) for run in (group.run, simulated))
    real, right = ([y.tobytes() for y in ys] for ys in ways)
    assert real == right


def test_between_averages_every_rank_goes_by_itself():
    """All is exact in binary: of a period of 2 and four steps the average of ranks' own paths; after three, a step on.

    With a period of 1 each step is that of minibatch SGD, which ends there, too.
    """
    gradients = np.random.default_rng(3).integers(-64, 64, (4, 4, 6)).astype(np.float64)
    ended = np.arange(6.0) - 0.5 * gradients.sum(1).mean(0)
    for period, m in ((2, 2), (1, 2), (1, 4)):
        for y in simulated(f"{RANKS}:descended", [*gradients], period=period, m=m, rate=0.5):
            np.testing.assert_array_equal(y, ended)
    own = np.arange(6.0) - 0.5 * gradients[:, :2].sum(1).mean(0) - 0.5 * gradients[:, 2]
    for y, right in zip(simulated(f"{RANKS}:descended", [*gradients[:, :3]], period=2, m=2, rate=0.5), own):
        np.testing.assert_array_equal(y, right)


def test_what_sgd_does_not_take():
    with pytest.raises(InputError, match="w has dtype int64: parameters must be float32 or float64"):
        MoshpitSGD(np.ones(3, np.int64), lambda w, _: w, 0.1)
    with pytest.raises(InputError, match="period = 0: it must be 1 or more"):
        MoshpitSGD(np.ones(3), lambda w, _: w, 0.1, 0)
    made = MoshpitSGD(np.ones(3), lambda w, _: w, 0.1)
    with pytest.raises(
        InputError, match="the gradient has 4 entries of float64, w has 3 of float64: they must be alike"
    ):
        made.step(np.ones(4))
    assert (made.w == 1).all() and made.steps == 0


def test_each_average_has_its_number():
    """From 0 on, so that groups are drawn anew."""
    seen: list[int] = []
    made = MoshpitSGD(np.ones(3), lambda w, i: seen.append(i) or w, 0.1, 2)
    assert [made.step(np.ones(3)) for _ in range(4)] == [False, True] * 2
    assert seen == [0, 1]
