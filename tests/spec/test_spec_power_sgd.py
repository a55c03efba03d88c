"""PowerSGD beside projections on exact numbers, numpy's factorisations and one node's run; its edges; its faults."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sparring
from sparring.spec import power_sgd
from sparring.spec.core import matrices
from sparring.spec.core.compositions import Memory
from sparring.spec.core.runner import run
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.vectors import Vector
from tests.proofs.wrong_texts import wrong

ROUNDING = 1e-10
"""Of doubles whose sizes are about 1, with matrices of good condition: far above what rounding does to them."""
SHAPES = [(4, 3, 1), (7, 5, 2), (6, 6, 3), (70, 3, 2), (3, 9, 2)]
"""Rows, columns and rank; of 70 rows more than one piece is added up."""


def drawn(p, m, columns, calls=1):
    """By call and rank normal numbers."""
    return np.random.default_rng([p, m, columns]).standard_normal((calls, p, m * columns))


def played(calls, **params):
    """By call, the run."""
    yield from on(sparring.page("power_sgd", **{"rate": 0, "epsilon": 0, **params}), calls)


def on(page, calls):
    state = None
    for xs in calls:
        ran = run(page, [np.array(x) for x in xs], state)
        state = ran.state
        yield ran


def first(seed, columns, rank):
    """The drawn ``Q``."""
    return np.array([matrices.normal(seed, 0, s, columns) for s in range(rank)], float).T


def oracle(calls, m, columns, rank, seed=0):
    """By call result, errors and ``Q``, with numpy's QR and products: whatever signs columns have."""
    q, errors = first(seed, columns, rank), 0
    for xs in calls:
        given = xs.reshape(len(xs), m, columns) + errors
        mean = given.mean(0)
        p = np.linalg.qr(mean @ np.linalg.qr(q)[0])[0]
        q = mean.T @ p
        errors = given - p @ q.T
        yield p @ q.T, errors


def unlike(calls, m, columns, rank, **params):
    """In which call the page is not the oracle; None where it always is."""
    return differs(played(calls, columns=columns, rank=rank, **params), calls, m, columns, rank)


def differs(ran_, calls, m, columns, rank):
    for i, (ran, (y, errors)) in enumerate(zip(ran_, oracle(calls, m, columns, rank), strict=True)):
        if max(abs(np.array(ran.results) - y.reshape(-1)).max(), 0) > ROUNDING:
            return i, "result"
        if abs(np.array([[*x] for x in ran.state.kept]) - errors.reshape(len(errors), -1)).max() > ROUNDING:
            return i, "error"
    return None


@pytest.mark.parametrize("p", range(1, 6))
@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_finds_the_same_call_after_call(p, shape):
    m, columns, rank = shape
    assert unlike(drawn(p, m, columns, 4), m, columns, rank, through=("ring", "two_shot")[p % 2]) is None


FAULTS = {
    "errors are not added": ("m = x + state.kept\n    q", "m = x\n    q", 1),
    "another Q on each rank": (
        "p: int, call: int, state: State, params: Params) -> Text:\n",
        "p, r, call, state, params):\n    params = params._replace(seed=params.seed + r)\n", 0,
    ),
    "columns are not orthonormal": (
        "left = orthonormal(sums, shape.rows, params.epsilon)\n    right = (yield", "left = sums\n    right = (yield",
        0,
    ),
    "the sum for the mean": ("through=params.through)) / p\n    y =", "through=params.through))\n    y =", 0),
    "all is kept": ("State(m - y, right)", "State(m, right)", 0),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_tells_a_fault(fault):
    """In the first call, or in the second where errors count."""
    old, new, call = FAULTS[fault]
    calls = drawn(3, 7, 5, 3)
    assert unlike(calls, 7, 5, 2) is None
    page = wrong("power_sgd", old, new, columns=5, rank=2, rate=0, epsilon=0)
    found = differs(on(page, calls), calls, 7, 5, 2)
    assert found and found[0] == call


@pytest.mark.parametrize("shape", SHAPES)
def test_no_better_than_the_best_of_that_rank(shape):
    """What is left is at least the singular values beyond the rank [Eckart and Young], and nothing beyond all."""
    m, columns, rank = shape
    (xs,) = drawn(2, m, columns)
    mean = xs.mean(0).reshape(m, columns)
    (ran,) = played([xs], columns=columns, rank=rank)
    left = np.linalg.norm(mean.reshape(-1) - ran.results[0])
    assert left >= np.linalg.norm(np.linalg.svd(mean)[1][rank:]) - ROUNDING
    (ran,) = played([xs], columns=columns, rank=99)
    np.testing.assert_allclose(ran.results[0], mean.reshape(-1), atol=ROUNDING)


def test_the_power_iteration_comes_nearer():
    """Of a matrix that stays, without errors, what is left shrinks from call to call, to the best of that rank."""
    m, columns, rank = 8, 6, 2
    x, page, state = drawn(1, m, columns)[0], sparring.page("power_sgd", columns=6, rank=2, rate=0, epsilon=0), None
    best, left = np.linalg.norm(np.linalg.svd(x.reshape(m, columns))[1][rank:]), []
    for _ in range(60):
        ran = run(page, list(x), state)
        state = Memory(ran.state.call, [one._replace(kept=NOTHING) for one in ran.state.ranks])
        left.append(np.linalg.norm(x[0] - ran.results[0]))
    assert all(b <= a + ROUNDING for a, b in pairwise(left))
    assert best - ROUNDING <= left[-1] <= left[0]


def test_a_call_of_zeros_is_not_the_last(monkeypatch):
    """Columns of zeros are drawn anew; by the published rule nothing is ever sent again."""
    calls = [np.zeros((2, 12)), *drawn(2, 4, 3, 2)]
    assert all(np.any(ran.results[0]) for ran in [*played(calls, columns=3, rank=2)][1:])
    monkeypatch.setattr(matrices, "any", lambda column: True, raising=False)
    state = Memory(1, [power_sgd.State(Vector([0.0] * 12, 0.0), Vector([0.0] * 6, 0.0))] * 2)
    page = sparring.page("power_sgd", columns=3, rank=2, rate=0)
    for xs in calls[1:]:
        ran = run(page, list(xs), state)
        state = ran.state
        assert not np.any(ran.results)


def test_what_is_not_worth_it_is_sent_whole():
    """And leaves no error: single rows and columns, and factors too large."""
    for n, params in ((5, {"columns": 1}), (5, {"columns": 5}), (9, {"columns": 3, "rank": 2}), (1, {}), (0, {})):
        xs = [np.arange(n) + 1.0 * r for r in range(4)]
        (ran,) = played([xs], rate=1, **params)
        np.testing.assert_array_equal(ran.results, [np.arange(n) + 1.5] * 4)
        assert not ran.state.kept


def test_padding_is_nothing():
    """Seven entries are three rows of three; results are those of the matrix with two zeros more."""
    (xs,) = drawn(2, 7, 1)
    full = np.pad(xs, ((0, 0), (0, 2)))
    (short,), (long,) = (list(played([x], columns=3, rank=1)) for x in (xs, full))
    np.testing.assert_array_equal(short.results, [y[:7] for y in long.results])
    assert [len(x) for x in short.state.kept] == [7, 7]
