"""Moshpit on simulated and real ranks: the page's bits and messages, every failure point; Moshpit SGD."""

from __future__ import annotations

import functools
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.errors import InputError
from sparring.impl.core.moshpit_sgd import MoshpitSGD
from sparring.impl.core.parties import Asked
from sparring.proofs.averaging.outcomes import wrong
from sparring.proofs.core import refinement
from sparring.proofs.mutants.beside import beside
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("moshpit_targets.py")
TARGET = "sparring.impl.moshpit:allreduce"
OTHERS = [{}, {"m": 3, "chance": 5}, {"m": 4, "rounds": 3, "weights": (2, 0, 3, 1), "bandwidths": (5, 0, 1, 2, 7)},
          {"m": 3, "rounds": 5, "dead": ((1, 0, 1), (3, 1, -1), (4, 1, 0), (0, 2, 3))},
          {"m": 2, "weights": (0, 0), "bandwidths": (0, 1, 0)},
          {"m": 4, "rounds": 3, "failing": ((0, 0, 0), (1, 0, 2), (2, 1, 4), (0, 1, 3), (3, 1, 1)),
           "dead": ((3, 1, 5),)}]  # fmt: skip
ASKED = {"m": 3, "chance": 3, "dead": ((1, 0, 1), (2, 1, 0))}
KINDS = {"dead": (-1, 0, 1, 2), "failing": (0, 1)}
POINTS = [{kind: ((r, t, sent),)} for kind, of in KINDS.items() for r in range(8) for t in range(3) for sent in of]


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def simulated(target, xs, buffers="synchronous", **params):
    """What every rank returns, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        outcome = world.run(target, len(xs), xs, buffers=buffers, call=functools.partial(called, **params))
    assert not outcome.findings, outcome.findings[0].text
    assert outcome.deterministic
    return outcome.results


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep(range(1, 10), few=(1, 2, 4, 5)))
def test_simulated(p, buffers):
    """Bit for bit the page for both dtypes, whoever dies."""
    for i, n in enumerate((0, p - 1, 3 * p + 1)):
        for j, params in enumerate(OTHERS):
            xs = refinement.vectors(("float32", "float64")[(i + j) % 2], p, n)
            right = refinement.expected(sparring.page("moshpit", **params), xs)
            for y, wanted in zip(simulated(f"{TARGETS}:three_ways", xs, buffers, **params), right, strict=True):
                np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("params", OTHERS)
@pytest.mark.parametrize("p", [1, 2, 5, 7])
def test_messages_are_the_pages(p, params):
    assert [*beside(sparring.page("moshpit", **params), TARGET, p)] == []


@pytest.mark.parametrize("params", [*OTHERS[1:4], OTHERS[-1]])
def test_conforms_step_by_step(params):
    """As a user would ask."""
    report = sparring.check(TARGET, "moshpit", level="steps", ranks=range(1, 6), max_examples=20, **params)
    assert report.verdict == "holds"
    assert {"result", "steps", "volume", "deadlock"} <= {
        r.property for r in report.results if "tested" in str(r.verdict)
    }


@pytest.mark.parametrize(
    ("fault", "found", "asked"),
    [("sum_not_mean", "result", ASKED), ("never_moves", "steps", ASKED), ("other_order", "result", {"m": 3}),
     ("other_parts", "steps", ASKED), ("sends_all", "steps", ASKED)],
)  # fmt: skip
def test_faults_are_found(fault, found, asked, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = sparring.check(
        f"{TARGETS}:{fault}", "moshpit", level="steps", ranks=range(3, 6), max_examples=10, only=(found,), **asked
    )
    assert found in {r.property for r in report.results if str(r.verdict) == "refuted"}


def test_without_a_fault_it_holds(tmp_path, monkeypatch):
    """So that it is the fault that is found."""
    monkeypatch.chdir(tmp_path)
    report = sparring.check(f"{TARGETS}:good", "moshpit", level="steps", ranks=range(3, 6), max_examples=10, **ASKED)
    assert report.verdict == "holds"


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


def test_every_failure_point_of_eight_simulated():
    """All 144: each rank, each round, before the group is formed and after each message, dead or not."""
    assert len(POINTS) == 144
    xs = eight()
    judged(simulated(f"{TARGETS}:every_end", xs, points=POINTS), xs)


@pytest.mark.mpi
def test_every_failure_point_of_eight_on_real_ranks(group):
    """In one group of processes, one call after the other; none hangs."""
    xs = eight()
    judged(group.run(f"{TARGETS}:every_end", xs, points=POINTS), xs)


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for i, params in enumerate(OTHERS):
        xs = refinement.vectors(("float32", "float64")[(i + p) % 2], p, 60)
        right = refinement.expected(sparring.page("moshpit", **params), xs)
        for y, wanted in zip(group.run(TARGET, xs, **params), right, strict=True):
            np.testing.assert_array_equal(y, wanted)


TEXTS = {
    "groups of one": "m = 1: it must be a whole number, 2 or more, below 2^63",
    "half a round": "rounds = 1.5: it must be a whole number, 0 or more, below 2^63",
    "negative chance": "chance = -1: it must be a whole number, 0 or more, below 2^63",
    "negative weight": "weights: -1 must be a whole number, 0 or more, below 2^63",
    "negative bandwidth": "bandwidths: -2 must be a whole number, 0 or more, below 2^63",
    "no point": "dead: [0, 0] must be a rank, a round from 0, and a number of messages, or -1",
    "dies twice": "dead: a rank dies once at most",
    "not there": "failing: [0, 0, -1] must be a rank, a round from 0, and a number of messages",
    "fails twice": "failing: a rank fails once a round at most",
}


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    ys = simulated(f"{TARGETS}:{function}", [np.ones(1)] * 4, **params)
    return [bytes(y).decode() for y in ys]


@pytest.mark.parametrize("what", TEXTS)
def test_bad_on_one_rank_is_one_sentence_on_all(what):
    texts = heard("refused", what=what, bad=2)
    assert texts[2] == TEXTS[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


@pytest.mark.parametrize("what", ["another m", "another death", "another failure"])
def test_ranks_that_differ_hear_it_alike(what):
    (text,) = {*heard("refused", what=what, bad=2)}
    assert text.startswith("rank 2 has float64, 5 entries, m=")
    assert text.endswith("all ranks need one dtype, length and parameters")


def test_whole_numbers_have_no_mean():
    assert {*heard("whole_numbers")} == {"x has dtype int64: a mean needs float32 or float64"}


@pytest.mark.parametrize(("p", "m"), [(1, 2), (4, 2), (8, 2), (4, 4), (8, 8)])
def test_with_a_period_of_one_it_is_minibatch_sgd(p, m):
    """Gradients and rate are chosen so that all is exact in binary: then bit for bit, on every rank."""
    gradients = np.random.default_rng(p).integers(-64, 64, (p, 5, 7)).astype(np.float64)
    w = np.arange(7.0)
    for mean in gradients.mean(0):
        w -= 0.25 * mean
    for y in simulated(f"{TARGETS}:descended", [*gradients], period=1, m=m, rate=0.25):
        np.testing.assert_array_equal(y, w)


def test_between_averages_every_rank_goes_by_itself():
    """With a period of 2 and four steps, the average of ranks' own paths; after three, one step from it."""
    gradients = np.random.default_rng(3).integers(-64, 64, (4, 4, 6)).astype(np.float64)
    ended = np.arange(6.0) - 0.5 * gradients.sum(1).mean(0)
    for y in simulated(f"{TARGETS}:descended", [*gradients], period=2, m=2, rate=0.5):
        np.testing.assert_array_equal(y, ended)
    own = np.arange(6.0) - 0.5 * gradients[:, :2].sum(1).mean(0) - 0.5 * gradients[:, 2]
    for y, right in zip(simulated(f"{TARGETS}:descended", [*gradients[:, :3]], period=2, m=2, rate=0.5), own):
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
