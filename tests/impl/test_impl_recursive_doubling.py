"""Recursive doubling gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import page, world
from sparring.impl import recursive_doubling
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES, difference, sizes, vectors

TARGETS = Path(__file__).with_name("doubling_targets.py")
THREE_WAYS, TARGET = f"{TARGETS}:three_ways", "sparring.impl.recursive_doubling:allreduce"
PAGE = page("recursive_doubling")


def expected(xs):
    """By hand: fold pairs, add neighbouring blocks, then halves; IEEE addition is commutative."""
    p, rounds = len(xs), len(xs).bit_length() - 1
    beyond = p - 2**rounds
    with np.errstate(all="ignore"):
        sums = [xs[2 * v] + xs[2 * v + 1] for v in range(beyond)] + list(xs[2 * beyond :])
        while len(sums) > 1:
            sums = [a + b for a, b in zip(sums[::2], sums[1::2])]
        return sums[0] + sums[0].dtype.type(0)


def same_bits(ys, want):
    """Whether every rank has exactly these bits, up to NaN's."""
    return all(difference(y, want) is None for y in ys)


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Partners undo each other, are among those that exchange, and reach everybody in the last round."""
    beyond = recursive_doubling.beyond(p)
    awake = {r for r in range(p) if r >= 2 * beyond or r % 2}
    assert len(awake) == 1 << recursive_doubling.rounds(p)
    for r in awake:
        reached = {r}
        for i in range(recursive_doubling.rounds(p)):
            other = recursive_doubling.partner(r, i, p)
            assert other in awake and recursive_doubling.partner(other, i, p) == r != other
            reached |= {recursive_doubling.partner(s, i, p) for s in reached}
        assert reached == awake


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("p", range(1, 9))
def test_every_size(group, p, dtype):
    """New array, given array and in place: the same bits as the sum by hand, on all ranks; the input is kept."""
    for n in sizes(p):
        xs = vectors(dtype, p, n)
        assert same_bits(group.run(THREE_WAYS, xs), expected(xs)), n


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly."""
    xs = vectors("float32", 3, 300_000)
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


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


@pytest.mark.parametrize("p", [1, 2, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 2, "synchronous").flaws == []


@pytest.mark.parametrize(
    ("fault", "p", "why"),
    [
        ("no_unfold", 3, "rank 0 entry 0 is x0[0], the page's is"),
        ("fold_overwrites", 3, "the page's is"),
        ("wrong_mask", 4, "the page's is"),
        ("falling_masks", 4, "the page's is"),
    ],
)
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p, why):
    """Fewer ranks cannot show it; the order of masks matters for bits though not for the sum."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert refinement.on_terms(PAGE, target, fewer, 2, "synchronous").flaws == []

    first = refinement.on_terms(PAGE, target, p, 2, "synchronous").flaws[0]

    assert first.property == "terms" and why in first.detail


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; falling masks send other partial sums."""
    options = {"page": "recursive_doubling", "level": "steps", "ranks": [1, 2, 3, 4, 5], "max_examples": 10}

    assert sparring.check(TARGET, **options).verdict == "holds"
    assert sparring.check(f"{TARGETS}:falling_masks", **options).verdict == "refuted"


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.recursive_doubling; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
