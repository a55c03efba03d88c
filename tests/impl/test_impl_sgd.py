"""Descent with a sparse sum finds what numpy's least squares find; without residuals it does not."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from sparring import world

TARGETS = Path(__file__).with_name("sgd_targets.py")
N, ROWS = 30, 300


def problem(p):
    """Rows and right-hand sides by rank, each rank's of another offset, so that their gradients never vanish."""
    rng = np.random.default_rng(p)
    right = rng.standard_normal(N)
    parts = []
    for _ in range(p):
        a = rng.standard_normal((ROWS, N))
        parts.append(np.column_stack([a, a @ (right + rng.standard_normal(N))]))
    return parts


def descended(p, kind="oktopk", steps=500, k=6):
    """By rank parameters, what was to be gone and what waits."""
    call = functools.partial(called, kind=kind, steps=steps, k=k)
    outcome = world.run(f"{TARGETS}:fitted", p, problem(p), call=call)
    assert not outcome.findings
    return [np.split(y, 3) for y in outcome.results]


def called(function, comm, rows, **params):
    """How the world calls a target with parameters."""
    return function(comm, rows, **params)


def distance(p, w):
    """From the least squares of all rows, beside their size."""
    rows = np.concatenate(problem(p))
    best = np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0]
    return np.linalg.norm(w - best) / np.linalg.norm(best)


@pytest.mark.parametrize("p", [1, 3])
def test_it_comes_to_the_least_squares(p):
    """With a fifth of the entries a step, on every rank the same bits."""
    ends = descended(p)
    assert len({w.tobytes() for w, _, _ in ends}) == 1
    assert distance(p, ends[0][0]) < 0.05


def test_without_residuals_it_does_not():
    """Ranks send again and again the entries in which they differ most, which cancel."""
    assert distance(3, descended(3, "forgetful")[0][0]) > 0.1


@pytest.mark.parametrize("p", [1, 3])
def test_what_is_not_gone_yet_waits(p):
    """All steps together are the way that was gone and the residuals, up to rounding."""
    ends = descended(p, steps=20)
    gone, left = (np.sum([end[i] for end in ends], axis=0) for i in (1, 2))
    np.testing.assert_allclose(-p * ends[0][0] + left, gone, rtol=1e-12, atol=1e-12)
    assert np.count_nonzero(left)
