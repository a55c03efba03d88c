"""The lossy two-shot allreduce has the page's bits and versions on simulated and real ranks; faults are found."""

from __future__ import annotations

import functools
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl.lossy_two_shot import AGGREGATORS, sizes
from sparring.proofs.core import iterations
from sparring.proofs.core.refinement import vectors
from sparring.proofs.mutants.beside import beside
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("lossy_two_shot_targets.py")
TARGET = "sparring.impl.lossy_two_shot:Allreduce"
OTHERS = [{"packet": 2, "lost": 300}, {"aggregator": "ratio", "lost": 1000, "packet": 1},
          {"aggregator": "ratio0", "lost": 700, "packet": 3, "running": 1, "seed": 11},
          {"aggregator": "zero", "lost": 500, "packet": 1, "seed": 2**63 - 1}, {"lost": 0}]  # fmt: skip
WRONG = {
    "no such aggregator": "aggregator = 'mean': it must be one of ht, ratio, ratio0, zero",
    "negative loss": "lost = -1: it must be a whole number, 0 or more",
    "half a thousandth": "lost = 0.5: it must be a whole number, 0 or more",
    "no packet": "packet = 0: it must be a whole number, 1 or more",
    "more than all": "lost = 1001: it must be 0 to 1000",
    "nothing arrives": "lost = 1000 with aggregator ht: what never arrives has no weight; right is less",
    "neither 0 nor 1": "running = 2: it must be 0 to 1",
}
CALLED = {
    "longer": "x has 6 entries: this Allreduce was made for 5",
    "whole numbers": "x has dtype int64: it must be float32 or float64, since means are divided",
    "another dtype": "x has dtype float32, the calls before float64: all need one dtype",
}


def several(dtype, p, n):
    """For each rank four vectors: two of small integers, two of what goes wrong."""
    rng = np.random.default_rng([p, n])
    return [np.stack([*rng.integers(-3, 4, (2, n)).astype(dtype), odd, odd[::-1]]) for odd in vectors(dtype, p, n)]


def wanted(xs, **options):
    """By rank, after each call the page's result and versions."""
    found = []
    for ran in iterations.runs(sparring.page("lossy_two_shot", **options), xs):
        flat = [[one for shard in rank for one in shard] for rank in ran.state.versions]
        found.append([np.concatenate([y.astype(np.float64), row]) for y, row in zip(ran.results, flat)])
    return [np.stack(rows) for rows in zip(*found)]


def same(ys, rights):
    """The same bits, up to NaN's."""
    for y, right in zip(ys, rights, strict=True):
        np.testing.assert_array_equal(y, right)
        assert (np.signbit(y) == np.signbit(right))[~np.isnan(right)].all()


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep(range(1, 9)))
def test_simulated(p, buffers):
    """Bits and versions, call after call, whatever is lost."""
    for i, (n, options) in enumerate(product((0, 1, p - 1, 3 * p + 1, 40), OTHERS)):
        xs = several(("float32", "float64")[(i + p) % 2], p, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
            outcome = world.run(f"{TARGETS}:states", p, xs, buffers=buffers, call=functools.partial(called, **options))
        assert not outcome.findings, outcome.findings[0].text
        assert outcome.deterministic
        same(outcome.results, wanted(xs, **options))


@pytest.mark.parametrize("p", sweep(range(1, 8)))
def test_messages_are_the_pages(p):
    """From each rank to each go messages of the page's lengths."""
    for options in OTHERS:
        assert [*beside(sparring.page("lossy_two_shot", **options), TARGET, p)] == []


@pytest.mark.parametrize("options", OTHERS)
def test_conforms_step_by_step(options):
    """As a user would ask."""
    report = sparring.check(TARGET, "lossy_two_shot", level="steps", ranks=range(1, 5), max_examples=20, **options)
    assert report.verdict == "holds"
    assert {"result", "steps", "volume"} <= {r.property for r in report.results if "tested" in str(r.verdict)}


FAULTS = ["Swapped", "OneMask", "WholeShards", "SameEveryCall", "OwnIsLost", "Cleared"]


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault):
    """Each sends what is right, and ends with something else."""
    xs = several("float64", 3, 10)
    outcome = world.run(f"{TARGETS}:planted", 3, xs, call=functools.partial(called, fault=fault))
    assert not outcome.findings
    with pytest.raises(AssertionError):
        same(outcome.results, wanted(xs, lost=400, packet=2))


def test_the_same_class_without_a_fault_holds():
    """So that it is the fault that is found."""
    xs = several("float64", 3, 10)
    same(world.run(f"{TARGETS}:planted", 3, xs, call=functools.partial(called, fault="Changed")).results,
         wanted(xs, lost=400, packet=2))  # fmt: skip
    report = sparring.check(f"{TARGETS}:Changed", "lossy_two_shot", ranks=[1, 3], max_examples=10, lost=400, packet=2)
    assert report.verdict == "holds"


def test_packets_cut_a_shard():
    for start, length, packet in product((0, 3), range(9), (1, 2, 3, 256)):
        found = sizes(slice(start, start + length), packet)
        assert found.sum() == length and (found[:-1] == packet).all() and (found > 0).all()


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for i, options in enumerate(OTHERS):
        xs = several(("float32", "float64")[(i + p) % 2], p, 3 * p + 1)
        same(group.run(f"{TARGETS}:states", xs, **options), wanted(xs, **options))


def patterns(group, calls, seed):
    """So many calls on four real ranks, each with losses of its own: nobody hangs, and all states are the page's.

    Returns how many different patterns of losses there were.
    """
    p, n, options = 4, 8, {"aggregator": AGGREGATORS[seed], "lost": 350, "packet": 1, "running": seed % 2, "seed": seed}
    xs = [np.arange(n) * 0.5 + r for r in range(p)]
    rows = [np.stack([x * (call % 7 - 3) + call for call in range(calls)]) for x in xs]
    ys = group.run(f"{TARGETS}:repeated", xs, times=calls, timeout=240.0, **options)
    same(ys, wanted(rows, **options))
    return len({tuple(np.concatenate([y[call, n:] == call + 1 for y in ys])) for call in range(calls)})


@pytest.mark.mpi
def test_hundreds_of_patterns_on_real_ranks(group):
    """Of each aggregator; of the 2^24 patterns of the second step alone hardly one comes twice."""
    for seed in range(4):
        assert patterns(group, 200, seed) > 190


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_thousand_patterns_on_real_ranks(group):
    assert sum(patterns(group, 2500, seed) for seed in range(4)) > 9900


@pytest.mark.mpi
@pytest.mark.slow
def test_large(group):
    """Messages far above the size that MPI sends eagerly."""
    xs = [np.random.default_rng(r).standard_normal((2, 100_001)).astype(np.float32) for r in range(3)]
    same(group.run(f"{TARGETS}:states", xs, lost=200), wanted(xs, lost=200))


@pytest.mark.parametrize("what", WRONG)
def test_bad_when_made_on_one_rank_is_one_sentence_on_all(what):
    texts = heard("refused", what=what, bad=2)
    assert texts[2] == WRONG[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def test_bad_on_all_ranks_is_refused_on_all():
    assert heard("refused", what="nothing arrives", bad=-1) == [WRONG["nothing arrives"]] * 4


@pytest.mark.parametrize("what", ["another loss", "another aggregator", "another seed"])
def test_ranks_that_differ_hear_it_alike(what):
    (text,) = {*heard("refused", what=what, bad=2)}
    assert text.startswith("rank 2 has n=5, ") and text.endswith(": all ranks need one value of each")


@pytest.mark.parametrize("what", CALLED)
def test_a_bad_call_leaves_all_as_it_was(what):
    texts = heard("refused_when_called", what=what)
    assert texts[2] == CALLED[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", 4, [None] * 4, call=functools.partial(called, **params))
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def test_before_the_first_call_it_has_nothing_from_anybody():
    outcome = world.run(f"{TARGETS}:made_only", 2, [np.ones(5)] * 2)
    assert [y.tolist() for y in outcome.results] == [[0, 0, 0]] * 2


def test_versions_are_compared_with_the_pages():
    """Of a class whose results are right, and which shows other versions than the page has."""
    page = sparring.page("lossy_two_shot", lost=500, packet=1)
    case = iterations.Case(0, several("float32", 3, 7))
    assert not iterations.on_numbers(page, TARGET, case, "dtypes")
    (flaw,) = iterations.on_numbers(page, f"{TARGETS}:Forgetful", case, "dtypes")
    assert "rank 0's versions entry" in flaw.detail
