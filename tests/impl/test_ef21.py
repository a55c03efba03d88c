"""EF-SGD, EF21 and EF21M on least squares with a known optimum: they come to it as the theory says."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import world
from sparring.errors import InputError
from sparring.impl.estimates import Estimates

TARGETS = Path(__file__).with_name("ef21_targets.py")
N, ROWS = 12, 60


def problem(p, seed=0):
    """Rows and right-hand sides by rank, each rank's of another solution, so that their gradients never vanish."""
    rng = np.random.default_rng([p, seed])
    right = rng.standard_normal(N)
    parts = []
    for _ in range(p):
        a = rng.standard_normal((ROWS, N))
        parts.append(np.column_stack([a, a @ (right + rng.standard_normal(N))]))
    return parts


def paths(parts, function="path", **params):
    """By rank, what the function returns; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", len(parts), parts, call=functools.partial(called, **params))
    assert not outcome.findings
    return outcome.results


def called(function, comm, rows, **params):
    """How the world calls a target with parameters."""
    return function(comm, rows, **params)


def best(parts):
    """The least squares of all rows, by numpy."""
    rows = np.concatenate(parts)
    return np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0]


def distances(parts, **params):
    """After each step, from the optimum beside its size; all ranks have the same bits."""
    ran = paths(parts, **params)
    assert len({y.tobytes() for y in ran}) == 1
    wanted = best(parts)
    return np.linalg.norm(ran[0].reshape(-1, N) - wanted, axis=1) / np.linalg.norm(wanted)


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("kind", ["estimates", "estimates of means", "arc ef14", "arc ef21", "arc ef21m"])
def test_each_comes_to_the_optimum(kind, p):
    """With a quarter of the rows or a sixth of the entries a step, though ranks differ."""
    far = distances(problem(p), kind=kind, steps=600, k=1 if kind.startswith("arc") else 2, rate=0.05)
    assert far[-1] < 1e-5 and far[99] < far[0]


def test_estimates_that_do_not_move_stay_away():
    assert distances(problem(3), kind="unmoved", steps=600, k=2, rate=0.05)[-1] > 1e-2


def constants(parts):
    """L, the mean square root of the ranks' own squared, and mu."""
    matrices = [rows[:, :-1].T @ rows[:, :-1] / ROWS for rows in parts]
    own = [np.linalg.eigvalsh(a)[-1] for a in matrices]
    whole = np.linalg.eigvalsh(np.mean(matrices, axis=0))
    return whole[-1], np.sqrt(np.mean(np.square(own))), whole[0]


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("k", [2, 6])
def test_ef21_falls_as_its_theorem_says(p, k):
    """Theorem 2 of EF21, as remembered, from the first estimates on: f - f* + (rate / theta) G falls by 1 - rate mu.

    The k largest of n entries are contractive with k / n.  Its rate is the largest that the theorem allows.
    """
    parts = problem(p)
    top, own, least = constants(parts)
    theta = 1 - np.sqrt(1 - k / N)
    beta = (1 - k / N) / theta
    rate = min(1 / (top + own * np.sqrt(2 * beta / theta)), theta / (2 * least))
    ws = paths(parts, kind="estimates", steps=400, k=k, rate=rate)[0].reshape(-1, N)
    ws = [np.zeros(N), *ws]
    wanted = best(parts)

    def f(w):
        return np.mean([np.square(rows[:, :-1] @ w - rows[:, -1]).mean() / 2 for rows in parts])

    est, psi = [np.zeros(N)] * p, []
    for w in ws[:-1]:
        grads = [rows[:, :-1].T @ (rows[:, :-1] @ w - rows[:, -1]) / ROWS for rows in parts]
        est = [e + largest(g - e, k) for e, g in zip(est, grads)]
        off = np.mean([np.square(e - g).sum() for e, g in zip(est, grads)])
        psi.append(f(w) - f(wanted) + rate / theta * off)
    bound = psi[0] * (1 - rate * least) ** np.arange(len(psi))
    assert (np.array(psi) <= bound * (1 + 1e-9) + 1e-12).all()
    np.testing.assert_allclose(ws[1], -rate * np.mean([largest(g0, k) for g0 in first(parts)], axis=0), atol=1e-14)


def first(parts):
    return [rows[:, :-1].T @ -rows[:, -1] / ROWS for rows in parts]


def largest(v, k):
    """Its ``k`` largest entries, by numpy."""
    at, y = np.argpartition(-np.abs(v), k - 1)[:k], np.zeros_like(v)
    y[at] = v[at]
    return y


@pytest.mark.parametrize("kind", ["estimates of means", pytest.param("arc ef21m", marks=pytest.mark.slow)])
def test_with_noise_momentum_comes_nearer(kind):
    """Over ten seeds: EF21M reaches a neighbourhood of the optimum, and a smaller one than without momentum."""
    plain, k = {"estimates of means": ("estimates", 2), "arc ef21m": ("arc ef21", 1)}[kind]
    ends = {name: [distances(problem(2, seed), kind=name, steps=160, k=k, rate=0.05, noise=2.0, seed=seed)[-60:].mean()
                   for seed in range(10)] for name in (kind, plain)}  # fmt: skip
    assert max(ends[kind]) < 0.5
    apart = np.array(ends[plain]) - np.array(ends[kind])
    assert apart.mean() > 3 * apart.std(ddof=1) / np.sqrt(10)  # paired by seed, about 99.9 %


def test_many_ranks_of_arc_are_one_node_on_the_mean():
    """The path of EF21M with ARC on three ranks is that of one rank that has all rows, up to rounding."""
    parts = problem(3)
    options = {"kind": "arc ef21m", "steps": 60, "k": 1, "rate": 0.05}
    (alone,), (ours, *_) = paths([np.concatenate(parts)], **options), paths(parts, **options)
    np.testing.assert_allclose(ours, alone, rtol=1e-9, atol=1e-12)
    separate = [paths([part], **options)[0] for part in parts]
    assert np.abs(np.mean(separate, axis=0) - alone).max() > 1e-3


@pytest.mark.parametrize("momentum", [1000, 250])
def test_the_result_is_the_sum_of_estimates(momentum):
    """By hand, on whole numbers, so that nothing is rounded; all ranks hold it."""
    xs = [np.random.default_rng([8, r]).integers(-9, 10, (5, 7)).astype(np.float64) * 4**6 for r in range(3)]
    ran = [y.reshape(5, 2, 7) for y in paths(xs, "estimates", k=2, momentum=momentum)]
    est, means = np.zeros((3, 7)), None
    for i in range(5):
        now = np.array([x[i] for x in xs])
        means = now if means is None else means + momentum / 1000 * (now - means)
        est = est + [largest_first(v, 2) for v in means - est]
        for r in range(3):
            np.testing.assert_array_equal(ran[r][i], [est.sum(0), est[r]])


def largest_first(v, k):
    """Its ``k`` largest entries, of equal ones the first, by numpy."""
    at, y = np.argsort(-np.abs(v), kind="stable")[:k], np.zeros_like(v)
    y[at] = v[at]
    return y


def test_bad_arguments_are_refused():
    class One:
        def Get_size(self):  # MPI's name
            return 1

    alone: Any = One()
    with pytest.raises(InputError, match="momentum = 1001: it must be 1000 or less, thousandths"):
        Estimates(alone, 5, momentum=1001)
    with pytest.raises(InputError, match="momentum"):
        Estimates(alone, 5, momentum=-1)
    heard = world.run(f"{TARGETS}:estimates", 2, [np.ones((1, 4), np.int32)] * 2, call=functools.partial(called, k=1))
    assert any("it must be float32 or float64" in finding.text for finding in heard.findings)
