"""Descent on least squares whose solution is known: it comes as near as theory says, and nothing is lost on the way."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.spec.core import pages
from sparring.spec.core.runner import run
from sparring.spec.training import local_sgd
from tests.impl.algorithms import called
from tests.impl.descent_targets import slope
from tests.impl.least_squares import N, problem, settled
from tests.sweeps import third

TARGETS = Path(__file__).with_name("descent_targets.py")
ROUNDING = 1e-9
"""Doubles, a few hundred steps of numbers of size 1."""


def ran(function, xs, **params):
    """What every rank has, and how many bytes of vectors are sent in all; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", len(xs), xs, call=functools.partial(called, **params))
    assert not outcome.findings
    return np.array(outcome.results), sum(m.nbytes for m in outcome.messages if m.nbytes >= 8 * N // len(xs))


def walked(one, kind, rate=None, **params):
    """By step: where all ranks are, with the same bits; and the means of gradients and of what is kept."""
    found, _ = ran("walked", one.rows, kind=kind, rate=rate or one.rate, **params)
    assert len({np.ascontiguousarray(y[:, 0]).tobytes() for y in found}) == 1
    return found[0, :, 0], found[:, :, 1].mean(0), found[:, :, 2].mean(0)


def distance(a, b):
    return np.linalg.norm(a - b, axis=-1)


FED_BACK = ("oktopk", "arc ef14", "rank 1", "rank 2")
ESTIMATED = ("estimates", "estimates of means", "arc ef21", "arc ef21m")


@pytest.mark.parametrize(
    ("kind", "forgets"),
    third([*((kind, False) for kind in (*FED_BACK, *ESTIMATED)), ("oktopk", True), ("estimates", True)]),
)
def test_each_comes_to_the_optimum(kind, forgets):
    """With a part of the entries a step, though ranks differ.

    Without what it remembers it does not: ranks send again and again what cancels, or estimates do not move.
    """
    one = problem(2)
    near, part = (0.05, 4) if kind == "oktopk" else (1e-3, 2)
    places, _, _ = walked(one, kind, one.rate / part, steps=300, forgets=forgets)
    far = distance(places, one.best) / np.linalg.norm(one.best)
    assert far[-1] > 0.1 if forgets else far[-1] < near and far[-1] < far[99] < far[0]


def off_course(one, places, slopes, kept):
    """How far all, less what they keep in the mean, are from where steps against the mean gradients lead."""
    return abs(places - kept + one.rate * np.cumsum(slopes, axis=0)).max()


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("kind", FED_BACK)
def test_nothing_is_lost_and_it_is_as_near_as_theory_says(kind, p):
    """Step by step: less what is kept, (1 - rate least) times as far, and rate most times what was kept before."""
    one = problem(p)
    assert off_course(one, *walked(one, kind, steps=80, forgets=True)) > 1e-3
    places, slopes, kept = walked(one, kind, steps=80)
    assert off_course(one, places, slopes, kept) < ROUNDING
    least, most = one.curvatures[[0, -1]]
    bound, before = distance(0, one.best), 0.0
    for w, left in zip(places, kept):
        bound = (1 - one.rate * least) * bound + one.rate * most * before
        assert distance(w - left, one.best) <= bound + ROUNDING
        before = np.linalg.norm(left)


def largest(v, k):
    """Its ``k`` largest entries, of equal ones the first, by numpy."""
    at, y = np.argsort(-np.abs(v), kind="stable")[:k], np.zeros_like(v)
    y[at] = v[at]
    return y


@pytest.mark.parametrize(("p", "k"), [(1, 12), (2, 4)])
def test_ef21_falls_as_its_theorem_says(p, k):
    """Theorem 2 of EF21, as remembered, from the first estimates on: f - f* + (rate / theta) G falls by 1 - rate mu.

    The k largest of n entries are contractive with k / n.  Its rate is the largest that the theorem allows.
    """
    one = problem(p)
    least, top = one.curvatures[[0, -1]]
    own = np.sqrt(np.mean([np.square(np.linalg.eigvalsh(a)[-1]) for a in one.a]))
    theta = 1 - np.sqrt(1 - k / N)
    beta = (1 - k / N) / theta
    rate = min(1 / (top + own * np.sqrt(2 * beta / theta)), theta / (2 * least))
    places, _, _ = walked(one, "estimates", rate, steps=400, k=k)

    def f(w):
        return np.mean([np.square(rows[:, :-1] @ w - rows[:, -1]).mean() / 2 for rows in one.rows])

    est, psi = np.zeros((p, N)), []
    for w, after in zip([np.zeros(N), *places[:-1]], places):
        grads = np.array([slope(rows, w) for rows in one.rows])
        est = est + [largest(v, k) for v in grads - est]
        assert distance(after, w - rate * est.mean(0)) < ROUNDING
        psi.append(f(w) - f(one.best) + rate / theta * np.square(est - grads).sum(1).mean())
    bound = psi[0] * (1 - rate * least) ** np.arange(len(psi))
    assert (np.array(psi) <= bound * (1 + 1e-9) + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["estimates of means", "arc ef21m"])
def test_with_noise_momentum_comes_nearer(kind):
    """Over ten seeds: EF21M reaches a smaller neighbourhood of the optimum than without momentum."""
    one, plain = problem(2), {"estimates of means": "estimates", "arc ef21m": "arc ef21"}[kind]
    ends = {name: [distance(walked(one, name, 0.05, steps=160, noise=2.0, seed=seed)[0][-60:], one.best).mean()
                   for seed in range(10)] for name in (kind, plain)}  # fmt: skip
    apart = np.array(ends[plain]) - np.array(ends[kind])
    assert apart.mean() > 3 * apart.std(ddof=1) / np.sqrt(10)  # paired by seed, about 99.9 %


def test_many_ranks_of_arc_are_one_node_on_the_mean():
    """The path of EF21M with ARC on three ranks is that of one rank that has all rows, up to rounding."""
    one = problem(3)
    alone = one._replace(rows=[np.concatenate(one.rows)])
    (whole, *_), (ours, *_) = (walked(some, "arc ef21m", steps=60) for some in (alone, one))
    np.testing.assert_allclose(ours, whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("momentum", [{}, {"momentum": 1000}, {"momentum": 250}], ids=str)
def test_the_result_is_the_sum_of_estimates(momentum):
    """By hand, on whole numbers, so that nothing is rounded; all ranks hold it."""
    xs = [np.random.default_rng([8, r]).integers(-9, 10, (5, 7)).astype(np.float64) * 4**6 for r in range(3)]
    found, _ = ran("estimates", xs, k=2, **momentum)
    est, means, part = np.zeros((3, 7)), None, momentum.get("momentum", 1000) / 1000
    for i in range(5):
        now = np.array([x[i] for x in xs])
        means = now if means is None else means + part * (now - means)
        est = est + [largest(v, 2) for v in means - est]
        np.testing.assert_array_equal(found[:, i], [[est.sum(0), each] for each in est])


def local(p, every, steps=60, **params):
    """By rank and step, where it is and whether means were taken; and what was sent."""
    one = problem(p)
    found, sent = ran("local", one.rows, rate=one.rate, every=every, steps=steps, **params)
    return found[:, :, :-1], found[0, :, -1], sent


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("every", [1, 2, 5])
def test_local_descent_comes_to_rest_where_theory_says(p, every):
    """Round by round on the way to the fixed point, which is the solution for 1 alone; all ranks at one place."""
    one, (places, met, sent) = problem(p), local(p, every)
    around, rest = settled(one, every)
    w = np.zeros(N)
    for t in range(every - 1, 60, every):
        w = rest + around @ (w - rest)
        assert len({place.tobytes() for place in places[:, t]}) == 1
        np.testing.assert_allclose(places[0, t], w, atol=ROUNDING)
    assert np.flatnonzero(met).tolist() == [*range(every - 1, 60, every)]
    assert (distance(rest, one.best) < ROUNDING) == (1 in (p, every))
    assert sent * every == local(p, 1)[2]


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_local_descent_is_the_reference(through):
    """The same places as the exact text's on floats, whatever sums them."""
    one, (places, _, _) = problem(3), local(3, 4, steps=12, through=through)

    def summed(ws):
        return run(pages.find(through), ws).results

    right = local_sgd.descended(
        summed, 3, [*np.zeros(N)], lambda r, w: slope(one.rows[r], np.array(w)), rate=one.rate, every=4, steps=12
    )
    for t, ws in enumerate(right):
        np.testing.assert_array_equal(places[:, t], ws)


def test_bad_numbers_of_steps_are_one_sentence():
    """On every rank; of ranks that differ alike."""
    texts = [bytes(y).decode() for y in world.run(f"{TARGETS}:refused", 3, [[2], [0], [2]]).results]
    assert texts[1] == "every = 0: it must be a whole number, 1 or more"
    assert all("rank 1's arguments are refused" in text for text in (texts[0], texts[2]))
    texts = [bytes(y).decode() for y in world.run(f"{TARGETS}:refused", 2, [[2], [3]]).results]
    assert texts == ["rank 1 has every=3, rank 0 every=2: all ranks need one value of each"] * 2


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 4])
def test_real_ranks(group, p):
    """The same bits on real ranks."""
    one = problem(p)
    params = {"rate": one.rate, "every": 3, "steps": 9}
    real = group.run(f"{TARGETS}:local", one.rows, **params)
    np.testing.assert_array_equal(real, ran("local", one.rows, **params)[0])
