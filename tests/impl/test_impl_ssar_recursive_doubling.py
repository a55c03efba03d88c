"""The sparse recursive doubling: the dense one's bits, the page's support and the shortest messages."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import Sparse, world
from sparring.proofs.core import refinement
from sparring.spec.core import pages
from sparring.spec.core.runner import run
from tests.impl.sparse_inputs import DTYPES, EDGES, vectors

PAGE = pages.find("ssar_recursive_doubling")
TARGETS = Path(__file__).with_name("ssar_recursive_doubling_targets.py")
TARGET = "sparring.impl.ssar_recursive_doubling:allreduce"


def of_the_page(xs, ys):
    """Whether every rank has the page's support and bits."""
    return refinement.compared(PAGE, xs, ys, "result") == []


def simulated(target, xs):
    """All ranks' results on the simulated world; infinities may cancel."""
    ran = refinement.run(target, xs, "synchronous", "here", "result")
    assert not ran.flaws
    assert not ran.outside  # one schedule decides for all
    return ran.ys


@pytest.mark.parametrize("density", [0, 0.01, 0.3, 0.9, 0.99, 1])
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_simulated(p, density):
    """Bit for bit the page for every dtype, n < p and n = 0 included, without a finding."""
    for dtype in DTYPES:
        for n in (0, 1, p, 3 * p + 1, 70 * p):
            xs = vectors(p, n, dtype, density)
            assert of_the_page(xs, simulated(TARGET, xs))


@given(st.integers(1, 6), st.integers(0, 400), st.sampled_from(DTYPES), st.floats(0, 1), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_sparse_and_dense_routes_agree(p, n, dtype, density, seed):
    """Bit for bit the dense one: subnormals, signed zeros, infinities and cancellations."""
    xs = vectors(p, n, dtype, density, seed)
    dense = simulated("sparring.impl.recursive_doubling:allreduce", [x.dense() for x in xs])
    for y, wanted in zip(simulated(TARGET, xs), dense):
        assert refinement.difference(y.dense(), wanted) is None


@pytest.mark.parametrize("density", [0.01, 0.3, 0.9])
def test_bytes_are_the_pages(density):
    """What is counted on the wire is the page's formula for each message, exactly."""
    p, n = 4, 4 * 70_000
    xs = vectors(p, n, "float32", density)
    with warnings.catch_warnings(action="ignore"):
        outcome = world.run(TARGET, p, xs)
        trace = run(PAGE, xs).trace
    wanted = [(m.src, m.dst, PAGE.octets(len(m.entries.indices), m.entries.n, 4)) for wire in trace for m in wire]
    assert sorted((m.src, m.dst, m.nbytes) for m in outcome.messages) == sorted(wanted)


@pytest.mark.parametrize("xs", EDGES)
def test_edge_cases(xs):
    """The union stays, explicit zeros included."""
    outcome = world.run(TARGET, len(xs), xs)
    assert not outcome.findings
    assert of_the_page(xs, outcome.results)


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for dtype in DTYPES:
        for density in (0.05, 0.9):
            xs = vectors(p, 700, dtype, density)
            assert of_the_page(xs, group.run(TARGET, xs))


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly, of vectors of several blocks."""
    xs = vectors(3, 400_000, "float32", 0.3)
    assert of_the_page(xs, group.run(TARGET, xs))


@pytest.mark.parametrize("k", [0, 3, 99])
def test_selection_within(k):
    """With k, dense vectors are reduced to their k largest entries first; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    kept = [np.where(np.argsort(np.argsort(-np.abs(x))) < k, x, 0.0) for x in xs]

    ours = world.run(f"{TARGETS}:largest", 3, xs, call=functools.partial(called, k=k)).results
    dense = world.run("sparring.impl.recursive_doubling:allreduce", 3, kept).results

    assert [y.dense().tobytes() for y in ours] == [y.tobytes() for y in dense]


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def test_without_the_exchange():
    """Ranks that are alike need none, but room for dense messages."""
    xs = vectors(3, 210, "float64", 0.5)
    assert of_the_page(xs, simulated(f"{TARGETS}:unchecked", xs))


def test_bad_input_on_one_rank_is_told_on_all():
    """Nobody waits."""
    xs = [Sparse([1], [1.0], 5), Sparse([1], [1.0], 6), Sparse([1], [1.0], 5)]
    told = [finding.text for finding in world.run(TARGET, 3, xs).findings]
    assert len(told) == 3
    assert all("rank 1 has float64 and 6 entries, rank 0 float64 and 5" in text for text in told)


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    xs = vectors(p, 20 * p, "float64", 0.6)
    assert of_the_page(xs, simulated(f"{TARGETS}:twin", xs))


@pytest.mark.parametrize("fault", ["falling_bits", "one_bit", "without_zeros"])
def test_a_planted_fault_is_found(fault):
    """Another order of addition shows in the last bits, on four ranks or more."""
    values = np.random.default_rng(1).standard_normal((4, 30))
    values[1, :9], values[2:, :9] = -values[0, :9], 0  # these cancel
    xs = [Sparse(np.arange(30), row, 900) for row in values]
    assert of_the_page(xs, simulated(TARGET, xs))
    assert not of_the_page(xs, simulated(f"{TARGETS}:{fault}", xs))


def test_a_vector_sent_whole_stays_whole():
    """Where dense is the cheapest there is an entry at every index, on folded ranks, too."""
    xs = [Sparse(np.arange(99), np.ones(99, np.float32), 100) for _ in range(3)]
    assert [len(y) for y in simulated(TARGET, xs)] == [100] * 3


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message."""
    assert sparring.check(TARGET, page="ssar_recursive_doubling", level="steps", max_examples=10).verdict == "holds"
