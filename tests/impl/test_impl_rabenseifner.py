"""Reduce-scatter and allgather give the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import page, world
from sparring.impl import rabenseifner
from sparring.impl.recursive_doubling import beyond, rounds
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES, difference, sizes, vectors

TARGETS = Path(__file__).with_name("rabenseifner_targets.py")
THREE_WAYS, TARGET = f"{TARGETS}:three_ways", "sparring.impl.rabenseifner:allreduce"
PAGE = page("rabenseifner")


def expected(xs):
    """By hand: fold pairs, add neighbouring blocks, then halves; IEEE addition is commutative."""
    p = len(xs)
    with np.errstate(all="ignore"):
        sums = [xs[2 * v] + xs[2 * v + 1] for v in range(beyond(p))] + list(xs[2 * beyond(p) :])
        while len(sums) > 1:
            sums = [a + b for a, b in zip(sums[::2], sums[1::2])]
        return sums[0] + sums[0].dtype.type(0)


def same_bits(ys, want):
    """Whether every rank has exactly these bits, up to NaN's."""
    return all(difference(y, want) is None for y in ys)


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Halving until one piece is left gives each number a piece of its own, and going back all of them."""
    first = dict.fromkeys(range(rabenseifner.pieces(p)), 0)
    for i in range(rounds(p)):
        first = {v: f if rabenseifner.low(v, i) else rabenseifner.above(f, i, p) for v, f in first.items()}
    assert sorted(first.values()) == [*first]
    for i in reversed(range(rounds(p))):
        first = {v: f if rabenseifner.low(v, i) else rabenseifner.below(f, i, p) for v, f in first.items()}
    assert {*first.values()} == {0}


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("p", range(1, 9))
def test_every_size(group, p, dtype):
    """New array, given array and in place: the same bits as the sum by hand, on all ranks; the input is kept."""
    for n in sizes(p):
        xs = vectors(dtype, p, n)
        assert same_bits(group.run(THREE_WAYS, xs), expected(xs)), n


@pytest.mark.mpi
@pytest.mark.parametrize("p", [3, 4])
def test_large(group, p):
    """Messages far above the size that MPI sends eagerly."""
    xs = vectors("float32", p, 300_001)
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


@pytest.mark.parametrize("p", range(1, 9))
def test_three_ways_in_the_world(p):
    """So also without MPI."""
    for n in sizes(p):
        xs = vectors("int64", p, n)
        assert same_bits(world.run(THREE_WAYS, p, xs).results, expected(xs)), n


@pytest.mark.parametrize("p", [1, 2, 3, 5, 6, 7, 8])
def test_no_negative_zero(p):
    """-0.0 on every rank sums to +0.0, for one rank too."""
    outcome = world.run(TARGET, p, [np.full(3, -0.0)] * p)
    assert not outcome.findings
    assert same_bits(outcome.results, np.zeros(3))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", [*range(1, 10), 16, 21])
def test_terms_are_the_page_s(p, buffers):
    """Whatever the input, every rank has the page's bits; without a finding, decided by one schedule."""
    for n in (0, 1, p + 1):
        ran = refinement.on_terms(PAGE, TARGET, p, n, buffers)
        assert (ran.flaws, ran.outside) == ([], ())


def test_no_memory_but_the_result_s(monkeypatch):
    """Where the result is an array of its own, and p a power of two, nothing else is allocated."""
    made = []
    monkeypatch.setattr(rabenseifner.np, "empty_like", lambda x: made.append(x.size) or np.empty(x.size, x.dtype))
    world.run(lambda comm, x, y: rabenseifner.allreduce(comm, x, out=y), 4, [np.ones(8)] * 4, [np.ones(8)] * 4)
    assert made == []


@pytest.mark.parametrize("p", [1, 2, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 5, "synchronous").flaws == []


@pytest.mark.parametrize(
    ("fault", "p"),
    [("wrong_half", 4), ("wrong_block", 2), ("no_fold", 3)],
)
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p):
    """Fewer ranks cannot show it."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert refinement.on_terms(PAGE, target, fewer, 8, "synchronous").flaws == []

    assert refinement.on_terms(PAGE, target, p, 8, "synchronous").flaws[0].property == "terms"


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; other halves are named with their chunks."""
    options = {"page": "rabenseifner", "level": "steps", "max_examples": 10}

    assert sparring.check(TARGET, ranks=[1, 2, 3, 4, 5], **options).verdict == "holds"
    report = sparring.check(f"{TARGETS}:other_halves", ranks=[4], **options)
    assert report.verdict == "refuted"
    assert "chunks 2 to 3: rank 0 sends" in next(r.detail for r in report.results if r.property == "steps")


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.rabenseifner; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
