"""The sparse two-shot: the dense one's bits, the page's support, and messages as short as any encoding makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import Sparse
from sparring.proofs.core import refinement
from sparring.spec.core import pages
from tests.impl.sparse_inputs import vectors

PAGE = pages.find("two_shot_sparse")
TARGETS = Path(__file__).with_name("two_shot_sparse_targets.py")
TARGET = "sparring.impl.two_shot_sparse:allreduce"


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


@pytest.mark.parametrize("fault", ["own_first", "a_block_short", "without_zeros"])
def test_a_planted_fault_is_found(fault):
    """Another order of addition shows in the last bits, on three ranks or more."""
    values = np.random.default_rng(1).standard_normal((3, 30))
    values[1, :9], values[2, :9] = -values[0, :9], 0  # these cancel
    xs = [Sparse(np.arange(30), row, 900) for row in values]
    assert of_the_page(xs, simulated(TARGET, xs))
    assert not of_the_page(xs, simulated(f"{TARGETS}:{fault}", xs))


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, list by list."""
    assert sparring.check(TARGET, page="two_shot_sparse", level="steps", max_examples=10).verdict == "holds"
