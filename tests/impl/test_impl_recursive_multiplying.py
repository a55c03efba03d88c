"""Recursive multiplying gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import page, world
from sparring.impl.recursive_multiplying import digit, further, largest, member
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES, difference, sizes, vectors

TARGETS = Path(__file__).with_name("multiplying_targets.py")
THREE_WAYS, TARGET = f"{TARGETS}:three_ways", "sparring.impl.recursive_multiplying:allreduce"
PAGE = page("recursive_multiplying")
OTHERS = {2: "binary", 3: "ternary", 8: "octal"}


def expected(xs, radix=4):
    """By hand: rank by rank in ascending order, first what folds into one, then ever larger lots."""
    p, core = len(xs), 1
    while core * radix <= p:
        core *= radix
    with np.errstate(all="ignore"):
        sums = [left_to_right(xs[v::core]) for v in range(core)]
        d = 1
        while d < core:
            sums = [left_to_right([sums[(v // d // radix * radix + i) * d + v % d] for i in range(radix)])
                    for v in range(core)]  # fmt: skip
            d *= radix
        return sums[0] + sums[0].dtype.type(0)


def left_to_right(parts):
    total = parts[0].copy()
    for part in parts[1:]:
        total = total + part
    return total


def same_bits(ys, want):
    """Whether every rank has exactly these bits, up to NaN's."""
    return all(difference(y, want) is None for y in ys)


@pytest.mark.parametrize("radix", [2, 3, 4, 7])
def test_arithmetic(radix):
    """Distances are powers; the ranks that differ in one digit are as many as the radix and find each other."""
    for p in range(1, 60):
        core = largest(p, radix)
        assert core in {radix**e for e in range(7)} and core <= p < further(core, radix)
        for r in range(p):
            assert digit(r, core, radix) == r // core and member(r, 0, core, radix) == r % core
        d = 1
        while d < core:
            for r in range(core):
                group = [member(r, i, d, radix) for i in range(radix)]
                assert group == sorted(set(group)) and r in group and 0 <= group[0] <= group[-1] < core
                assert all([member(s, i, d, radix) for i in range(radix)] == group for s in group)
            d = further(d, radix)


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("p", range(1, 9))
def test_every_size(group, p, dtype):
    """New array, given array and in place: the same bits as the sum by hand, on all ranks; the input is kept."""
    for n in sizes(p):
        xs = vectors(dtype, p, n)
        assert same_bits(group.run(THREE_WAYS, xs), expected(xs)), n


@pytest.mark.mpi
@pytest.mark.parametrize("radix", OTHERS)
@pytest.mark.parametrize("p", [2, 3, 5, 8])
def test_every_radix(group, p, radix):
    """Bit for bit, under real MPI."""
    xs = vectors("float32", p, 2 * p + 1)
    assert same_bits(group.run(f"{TARGETS}:{OTHERS[radix]}", xs), expected(xs, radix))


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly, three at a time."""
    xs = vectors("float32", 5, 300_000)
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7, 16])
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


@pytest.mark.parametrize("radix", OTHERS)
@pytest.mark.parametrize("p", [*range(1, 10), 27, 64])
def test_terms_of_every_radix(p, radix):
    """Of the page with that radix."""
    ran = refinement.on_terms(
        page("recursive_multiplying", radix=radix), f"{TARGETS}:{OTHERS[radix]}", p, 1, "synchronous"
    )
    assert (ran.flaws, ran.outside) == ([], ())


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("radix", OTHERS)
def test_terms_of_every_radix_up_to_64_ranks(radix):
    """None left out."""
    for p in range(1, 65):
        test_terms_of_every_radix(p, radix)


@pytest.mark.parametrize("p", [1, 2, 5, 7, 16, 18])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 1, "synchronous").flaws == []


@pytest.mark.parametrize(
    ("fault", "p", "why"),
    [
        ("missing_fold", 2, "rank 0 entry 0 is (x0[0]+0.0), the page's is ((x0[0]+x1[0])+0.0)"),
        ("own_first", 4, "the page's is"),
        ("wrong_digit", 16, "the page's is"),
    ],
)
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p, why):
    """Fewer ranks cannot show it."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        if fault != "wrong_digit" or fewer in (4, 7, 15):
            assert refinement.on_terms(PAGE, target, fewer, 1, "synchronous").flaws == []

    flaws = refinement.on_terms(PAGE, target, p, 1, "synchronous").flaws

    assert flaws[0].property == "terms" and why in flaws[0].detail


def test_each_rank_s_own_order_of_addition_breaks_agreement():
    """Ranks that begin with their own copy end with other terms, hence with other bits for some input."""
    flaws = refinement.on_terms(PAGE, f"{TARGETS}:own_first", 4, 1, "synchronous").flaws

    assert [flaw.property for flaw in flaws] == ["terms", "agreement"]


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; a sum in another order is not."""
    options = {"page": "recursive_multiplying", "level": "steps", "ranks": [1, 2, 4, 5, 6], "max_examples": 10}

    assert sparring.check(TARGET, **options).verdict == "holds"
    assert sparring.check(f"{TARGETS}:own_first", **options).verdict == "refuted"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("other_radix", "rank 1 has float64, 2 entries and radix 3, rank 0 float64, 2 entries and radix 2"),
        ("no_radix", "radix is 1: it must be an integer of at least 2"),
    ],
)
def test_a_radix_that_cannot_be_is_told_on_every_rank(target, words):
    """Nothing hangs: each rank raises, and one says why."""
    outcome = world.run(f"{TARGETS}:{target}", 3, [np.ones(2)] * 3)

    told = [finding.text for finding in outcome.findings]
    assert len(told) == 3 and any(words in text for text in told)


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.recursive_multiplying; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_a_radix_beyond_all_ranks():
    """Digits that no rank has are not gone through: of two thousand millions that would take minutes."""
    xs = [np.arange(3.0) + r for r in range(3)]

    def sums(radix):
        return world.run(TARGET, 3, xs, call=lambda f, comm, x: f(comm, x, radix=radix)).results

    assert same_bits(sums(2**31 - 1), sums(3)[0])
