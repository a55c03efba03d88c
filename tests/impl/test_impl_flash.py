"""Flash Communication gives the page's bits and bytes on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import page, world
from sparring.impl.flash import above, below, cut
from sparring.proofs.core.refinement import difference, sizes, vectors

TARGETS = Path(__file__).with_name("flash_targets.py")
TARGET = "sparring.impl.flash:allreduce"
WAYS = [
    {}, {"b1": 4, "g": 3}, {"b1": 3, "b2": 5, "g": 8, "spikes": 1}, {"b1": 2, "b2": 7, "g": 1}, {"b1": 1, "b2": 6},
]  # fmt: skip
WRONG = {
    "no bits": "b1 = 0: it must be a whole number, 1 or more",
    "nine bits": "b1=8, b2=9, g=128, spikes=0",
    "half a bit": "b1 = 4.5: it must be a whole number, 1 or more",
    "no group": "g = 0: it must be a whole number, 1 or more",
    "a group too large": "g=4294967297",
    "two spikes": "spikes=2",
    "other bits": "b1=5, b2=8, g=128, spikes=0",
    "other groups": "g=64",
}


def called(function, comm, x, **params):
    return function(comm, x, **params)


def simulated(function, xs, buffers="synchronous", **params):
    """By rank what it returns, without a finding."""
    call = functools.partial(called, **params)
    outcome = world.run(f"{TARGETS}:{function}", len(xs), xs, buffers=buffers, call=call)
    assert not outcome.findings, outcome.findings[0].text
    return outcome.results


def expected(xs, **params):
    """By rank what the page has."""
    with np.errstate(all="ignore"):
        return sparring.run(page("flash", **params), xs).results


def same(ys, wanted):
    return all(difference(y, right) is None for y, right in zip(ys, wanted))


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Every rank sends to every other and hears from every other; blocks are all of the vector."""
    for r in range(p):
        assert sorted(above(r, d, p) for d in range(p)) == sorted(below(r, d, p) for d in range(p)) == [*range(p)]
        assert all(below(above(r, d, p), d, p) == r for d in range(p))
    for n in (0, 1, p, 3 * p + 1):
        ends = [cut(c, n, p) for c in range(p + 1)]
        assert (ends[0], ends[-1]) == (0, n) and ends == sorted(ends)


@pytest.mark.parametrize("way", range(len(WAYS)))
@pytest.mark.parametrize("p", [*range(1, 10), *(pytest.param(p, marks=pytest.mark.slow) for p in range(10, 17))])
def test_simulated(p, way):
    """New array, given array and in place: the page's bits on all ranks, whatever is in the vectors."""
    for n in sizes(p)[way % 2 :: 2]:
        xs = vectors(("float32", "float64")[p % 2], p, n)
        assert same(simulated("three_ways", xs, ("synchronous", "unbounded")[way % 2], **WAYS[way]),
                    expected(xs, **WAYS[way])), n  # fmt: skip


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p, dtype):
    """So also under MPI."""
    for n in sizes(p):
        xs = vectors(dtype, p, n)
        for way in WAYS[:3]:
            assert same(group.run(f"{TARGETS}:three_ways", xs, **way), expected(xs, **way)), n


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly, in several blocks."""
    xs = [np.random.default_rng(r).standard_normal(300_001).astype(np.float32) for r in range(3)]
    first, *rest = group.run(f"{TARGETS}:three_ways", xs)
    assert all(y.tobytes() == first.tobytes() for y in rest)
    assert abs(first - sum(xs)).max() < 3 * 10 / 255


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_the_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    xs = vectors("float32", p, 21)
    assert same(simulated("twin", xs, b1=4, g=4), expected(xs, b1=4, g=4))


@pytest.mark.parametrize("fault", ["owner_exact", "descending", "truncating", "own_exact"])
def test_a_planted_fault_is_found(fault):
    """Each leaves the page."""
    xs = [np.random.default_rng(r).standard_normal(1000).astype(np.float32) for r in range(5)]
    assert not same(simulated(fault, xs), expected(xs))


def refuted(report):
    """The properties that do not hold."""
    return {one.property for one in report.results if one.verdict.word.name == "REFUTED"}


def test_an_owner_that_keeps_its_sum_agrees_with_nobody():
    """``check`` says that ranks differ, and not only that bits are others."""
    options = {"page": "flash", "ranks": [3], "max_examples": 10}
    assert {"agreement", "result"} <= refuted(sparring.check(f"{TARGETS}:owner_exact", **options))
    assert {"agreement", "result"} & refuted(sparring.check(f"{TARGETS}:own_exact", **options)) == {"result"}


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_check_compares_its_messages_step_by_step(way):
    """A run is the page's, message by message, with any parameters."""
    report = sparring.check(TARGET, page="flash", level="steps", ranks=[1, 2, 3, 4, 5], max_examples=10, **WAYS[way])
    assert report.verdict == "holds"


@pytest.mark.parametrize("what", WRONG)
def test_bad_parameters_are_told_on_all_ranks(what):
    """On the rank itself what is wrong, elsewhere that it is; what only all could have is told as a difference."""
    texts = [bytes(y).decode() for y in simulated("refused", [np.ones(5)] * 3, what=what, bad=1)]
    assert all(texts) and WRONG[what] in texts[1]


def test_whole_numbers_are_told_on_all_ranks():
    texts = [bytes(y).decode() for y in simulated("refused_vector", [np.ones(5)] * 3, bad=2)]
    assert texts[2] == "x has dtype int64: it must be float32 or float64, which codes are made of"
    assert texts[0] == texts[1] == "rank 2's arguments are refused, as its own error says; nothing was computed"


@pytest.mark.parametrize(("params", "told"), [({"b1": 9}, "b1 = 9"), ({"spikes": 2}, "spikes = 2")])
def test_what_no_rank_may_have(params, told):
    """All ranks are wrong in the same way."""
    outcome = world.run(TARGET, 2, [np.ones(3)] * 2, call=functools.partial(called, **params))
    assert told in outcome.findings[0].text


def test_no_negative_zero():
    """-0.0 on every rank is +0.0, for one rank too."""
    for p in (1, 2, 3):
        assert same(simulated("three_ways", [np.full(5, -0.0)] * p), [np.zeros(5)] * p)


def test_a_quarter_of_the_bytes():
    """Of what a ring sends of float32, but for steps and zeros."""
    n, p = 40_000, 4
    xs = [np.zeros(n, np.float32)] * p
    ran = sparring.run(page("flash"), xs)
    sent = sum(m.entries.nbytes for wire in ran.trace for m in wire if m.src == 0)
    assert sent == 2 * (p - 1) * (n // p + 2 * 4 * -(-n // p // 128))
    assert 0.25 < sent / (2 * (p - 1) * n // p * 4) < 0.27


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.flash; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
