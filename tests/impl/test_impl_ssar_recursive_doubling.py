"""The sparse recursive doubling: the dense one's bits, the page's support and the shortest messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import Sparse
from sparring.proofs.core import refinement
from sparring.spec.core import pages
from tests.impl.sparse_inputs import vectors

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
