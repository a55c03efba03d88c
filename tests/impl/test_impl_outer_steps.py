"""Training that sends rarely: with inner steps of AdamW it goes where one dense program does."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from tests.impl.algorithms import called
from tests.impl.descent_targets import slope
from tests.impl.least_squares import N, problem
from tests.impl.outer_targets import AdamW

TARGETS = Path(__file__).with_name("outer_targets.py")


def trained(p, **params):
    """By rank and outer step where it goes on; nobody waits."""
    outcome = world.run(f"{TARGETS}:trained", p, problem(p).rows, call=functools.partial(called, **params))
    assert not outcome.findings
    return np.array(outcome.results)


def diloco(p, inner, outer, rate=0.7, momentum=0.9):
    """Algorithm 1 of the paper, all workers in one loop."""
    theta, buffer, optimisers, rows = np.zeros(N), np.zeros(N), [AdamW(N) for _ in range(p)], problem(p).rows
    for _ in range(outer):
        deltas = []
        for mine, optimiser in zip(rows, optimisers):
            w = theta.copy()
            for _ in range(inner):
                optimiser.step(w, slope(mine, w))
            deltas.append(theta - w)
        delta = np.mean(deltas, axis=0)
        buffer = momentum * buffer + delta
        theta = theta - rate * (delta + momentum * buffer)
        yield theta


@pytest.mark.parametrize("p", [1, 3])
def test_diloco_is_its_papers_algorithm(p):
    """All ranks with the same bits, after each outer step."""
    found = trained(p, name="diloco", inner=5, outer=12)
    assert len({rank.tobytes() for rank in found}) == 1
    np.testing.assert_allclose(found[0], [*diloco(p, 5, 12)], atol=1e-9)


@pytest.mark.parametrize("p", [1, 3])
def test_streaming_in_one_part_at_once_is_diloco(p):
    """With nothing of a rank's own in the mixture."""
    found = trained(p, name="streaming_diloco", inner=5, outer=12, fragments=1, delay=0, mix=0)
    np.testing.assert_allclose(found, trained(p, name="diloco", inner=5, outer=12), atol=1e-12)


def test_it_comes_nearer_to_the_optimum():
    """Of all ranks' rows, though each sees its own alone."""
    best = problem(3).best
    far = np.linalg.norm(trained(3, name="diloco", inner=10, outer=60)[0] - best, axis=1) / np.linalg.norm(best)
    assert far[-1] < 0.3 < far[0]
