"""The two-shot allreduce gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import page, world
from sparring.impl.two_shot import above, below, cut
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES, difference, sizes, vectors

TARGETS = Path(__file__).with_name("two_shot_targets.py")
THREE_WAYS, TARGET = f"{TARGETS}:three_ways", "sparring.impl.two_shot:allreduce"
PAGE = page("two_shot")


def expected(xs):
    """By hand: one after the other, in the order of the ranks."""
    with np.errstate(all="ignore"):
        return reduce(np.add, xs) + xs[0].dtype.type(0)


def same_bits(ys, want):
    """Whether every rank has exactly these bits, up to NaN's."""
    return all(difference(y, want) is None for y in ys)


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Every rank sends to every other and hears from every other; blocks are all of the vector."""
    for r in range(p):
        assert sorted(above(r, d, p) for d in range(p)) == sorted(below(r, d, p) for d in range(p)) == [*range(p)]
        assert all(below(above(r, d, p), d, p) == r for d in range(p))
    for n in (0, 1, p, 3 * p + 1):
        ends = [cut(c, n, p) for c in range(p + 1)]
        assert (ends[0], ends[-1]) == (0, n) and ends == sorted(ends)


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
    """Messages far above the size that MPI sends eagerly, all under way at once."""
    xs = vectors("float32", p, 300_001)
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


@pytest.mark.parametrize("p", range(1, 9))
def test_three_ways_in_the_world(p):
    """So also without MPI."""
    for n in sizes(p):
        xs = vectors("int64", p, n)
        assert same_bits(world.run(THREE_WAYS, p, xs).results, expected(xs)), n


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
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


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 5, "synchronous").flaws == []


@pytest.mark.parametrize(("fault", "p"), [("own_first", 3), ("one_copy_short", 2)])
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p):
    """Fewer ranks cannot show it: of two copies the order does not matter."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert refinement.on_terms(PAGE, target, fewer, 8, "synchronous").flaws == []

    assert refinement.on_terms(PAGE, target, p, 8, "synchronous").flaws[0].property == "terms"


def test_check_compares_its_messages_step_by_step(monkeypatch):
    """A run is the page's, message by message; whoever looks after another block is told its chunk."""
    monkeypatch.undo()  # the example is to be the smallest
    options = {"page": "two_shot", "level": "steps", "max_examples": 10}

    assert sparring.check(TARGET, ranks=[1, 2, 3, 4, 5], **options).verdict == "holds"
    report = sparring.check(f"{TARGETS}:next_block", ranks=[3], **options)
    assert report.verdict == "refuted"
    told = next(r.detail for r in report.results if r.property == "steps")
    assert (
        "step 0, chunk 2: rank 0 sends 1 entry [0] to rank 1" in told and "the page sends 1 entry [0] to rank 2" in told
    )


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.two_shot; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
