"""Compositions beside dense programs of numpy, which know no messages: call after call; and faults that these tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.spec.core.runner import run
from sparring.spec.library import matrices
from tests.proofs.wrong_texts import wrong

CALLS = 5


def fractions(p, n):
    """By call and rank small fractions full of ties, a third of them zeros."""
    rng = np.random.default_rng([p, n])
    many = [Fraction(int(v), 3) for v in rng.integers(-9, 10, CALLS * p * n) * (rng.random(CALLS * p * n) < 0.7)]
    return np.array(many, object).reshape(CALLS, p, n)


def normal(p, n):
    return np.random.default_rng([p, n]).standard_normal((CALLS, p, n))


def arc_top_k(calls, k, columns, sketch, seed, feedback, momentum, **_):
    """With products of matrices and sorting, on exact numbers."""
    _, p, n = calls.shape
    rows, eta = -(-n // columns), Fraction(momentum, 1000)
    kept, mean = np.full((p, rows, columns), Fraction(0)), None
    for call, given in enumerate(calls):
        xs = np.full((p, rows * columns), Fraction(0))
        xs[:, :n] = given
        xs = xs.reshape(kept.shape)
        mean = xs if mean is None or feedback != "ef21m" else (1 - eta) * mean + eta * xs
        v = {"none": xs, "ef14": xs + kept}.get(feedback, mean - kept)
        drawn = np.array([*zip(*(matrices.normal(seed, call, s, columns) for s in range(sketch)))], object)
        at = np.argsort(-(v.sum(0).dot(drawn) ** 2).sum(1), kind="stable")[:k]
        if "ef21" in feedback and not call:
            at = np.arange(rows)
        sent = np.full_like(v, Fraction(0))
        sent[:, at] = v[:, at]
        kept = {"none": kept, "ef14": v - sent}.get(feedback, kept + sent)
        result = kept if "ef21" in feedback else sent
        yield result.sum(0).reshape(-1)[:n], kept.reshape(p, -1)[:, :n] if feedback != "none" else []


def power_sgd(calls, columns, rank, seed, **_):
    """With QR factorisations and products: whatever signs columns have."""
    n, errors = calls.shape[2], 0
    q = np.array([matrices.normal(seed, 0, s, columns) for s in range(rank)], float).T
    for xs in calls:
        given = np.pad(xs, ((0, 0), (0, -n % columns))).reshape(len(xs), -1, columns) + errors
        mean = given.mean(0)
        p = np.linalg.qr(mean @ np.linalg.qr(q)[0])[0]
        q = mean.T @ p
        errors = given - p @ q.T
        errors.reshape(len(xs), -1)[:, n:] = 0
        yield (p @ q.T).reshape(-1)[:n], errors.reshape(len(xs), -1)[:, :n]


def oktopk(calls, k, tau_prime, gain, **_):
    """Thresholds on whole vectors: without regions, messages and balancing."""
    left, local, least = np.zeros_like(calls[0]), [0], 0
    for t, xs in enumerate(calls):
        held = xs + left
        if t % tau_prime == 0:
            local = [kth(x, k) for x in held]
        mine = np.stack([(abs(x) >= least) & (x != 0) for x, least in zip(held, local)])
        sums = np.where(mine, held, 0).sum(0)
        if t % tau_prime == 0:
            least = kth(sums, k)
        stay = (abs(sums) >= least) & (sums != 0)
        left = np.where(mine & stay, 0, held)
        local = [least * factor(sent.sum(), k, gain) for least, sent in zip(local, mine)]
        least *= factor(stay.sum(), k, gain)
        yield np.where(stay, sums, 0), left


def factor(found, k, gain):
    """What the published code multiplies a threshold with that so many entries have reached."""
    up = Fraction(1000 + gain, 1000)
    return up if found > Fraction(4 * k, 3) else 1 / up if found < Fraction(2 * k, 3) else Fraction(1)


def kth(x, k):
    """The k-th largest magnitude; less than all where there are fewer, more where none is wanted."""
    magnitudes = sorted((abs(v) for v in x), reverse=True)
    return (magnitudes[k - 1] if k <= len(magnitudes) else 0) if k else float("inf")


def one_bit(calls, norm):
    """As the published code has it, with the norms and signs of numpy; chunks are of equal length."""
    _, p, n = calls.shape
    worker, server = np.zeros((p, n)), np.zeros((p, n // p))

    def coded(v):
        return np.linalg.norm(v, norm) / (v.size if norm == 1 else np.sqrt(v.size)) * np.where(np.signbit(v), -1.0, 1.0)

    for xs in calls:
        ms = xs + worker
        read = [*map(coded, ms)]
        chunks = (sum(read) / p).reshape(p, -1) + server
        results = [*map(coded, chunks)]
        worker, server = ms - read, chunks - results
        yield np.concatenate(results), [*worker, *server]


PROGRAMS = {
    "arc_top_k": (arc_top_k, fractions, lambda p: (1, 6, 11), lambda state: state.kept),
    "power_sgd": (power_sgd, normal, lambda p: (12, 35, 210), lambda state: state.kept),
    "oktopk": (oktopk, fractions, lambda p: (0, 1, p - 1, 3 * p + 2), None),
    "one_bit": (one_bit, normal, lambda p: (p, 8 * p), lambda state: [*state.worker, *state.server]),
}
"""By page, with what vectors, how long, and what of its state is compared; the others give back or keep nothing."""


def unlike(page, p, n):
    """In which call the page is not the program, and in which of results and what is kept; None where it always is."""
    program, drawn, _, kept = PROGRAMS[page.name]
    calls, left, state = drawn(p, n), 0, None
    for i, (xs, (result, memory)) in enumerate(zip(calls, program(calls, **page.params))):
        ran = run(page, [*(xs + left)], state)
        state = ran.state
        has = [*ran.results]
        if page.selecting:
            left = np.stack([dense(y) for y in ran.residuals])
            has = [*map(dense, has), *left]
        elif len(memory):
            has += kept(state)
        for r, (one, right) in enumerate(zip(has, [*[result] * p, *memory], strict=True)):
            alike = near if right.dtype == np.float64 else np.array_equal
            if not alike(np.array([*one], right.dtype), right):
                return i, r
    return None


def near(x, y):
    return np.allclose(x, y, rtol=1e-10, atol=1e-10)


def dense(y):
    x = np.zeros(y.n, object)
    x[[*y.indices]] = y.values
    return x


CASES = [
    *(("arc_top_k", {"columns": c, "sketch": s, "k": k, "feedback": way, "momentum": 300, "through": through})
      for way in ("none", "ef14", "ef21", "ef21m")
      for c, s, k, through in [(1, 1, 1, "ring"), (3, 2, 2, "two_shot"), (2, 1, 0, "ring"), (4, 3, 99, "ring")]),
    *(("power_sgd", {"columns": c, "rank": r, "rate": 0, "epsilon": 0, "through": through})
      for c, r, through in [(3, 1, "ring"), (3, 2, "two_shot"), (2, 2, "ring")]),
    *(("oktopk", {"k": k, "trigger": t, "bucket": b, "gain": gain, "tau": 3, "tau_prime": period})
      for k in (0, 1, 4, 1000) for t, b, gain, period in [(0, 1, 0, 2), (1, 2, 12, 2), (4, 8, 700, 5)]),
    *(("one_bit", {"norm": norm}) for norm in (1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "params"), CASES)
def test_every_call_is_the_dense_programs(name, params):
    page, lengths = sparring.page(name, **params), PROGRAMS[name][2]
    assert {unlike(page, p, n) for p in range(1, 6) for n in lengths(p)} == {None}


ARC, POWER = {"columns": 2, "sketch": 1, "k": 1, "momentum": 300}, {"columns": 5, "rank": 2, "rate": 0, "epsilon": 0}
FAULTS = {
    "an estimate is not moved": ("arc_top_k", "sums = nearer(at, state.sums, sums)", "sums = state.sums",
                                 {**ARC, "feedback": "ef21"}),
    "what was sent waits, too": ("arc_top_k", "where(at, 0, given)", "given", {**ARC, "feedback": "ef14"}),
    "a mean that is not scaled": ("arc_top_k", "mean * (WHOLE - momentum)", "mean * WHOLE",
                                  {**ARC, "feedback": "ef21m"}),
    "the sketch of the call before": (
        "arc_top_k", "sketched(given, shape, params.sketch, call, params.seed), through",
        "sketched(given, shape, params.sketch, call - 1, params.seed), through", ARC,
    ),
    "a row fewer": ("arc_top_k", "params.sketch, params.k)\n    sums", "params.sketch, params.k - 1)\n    sums", ARC),
    "errors are not added": ("power_sgd", "m = x + state.kept\n    q", "m = x\n    q", POWER),
    "another Q on each rank": (
        "power_sgd", "p: int, call: int, state: State, params: Params) -> Text:\n",
        "p, r, call, state, params):\n    params = params._replace(seed=params.seed + r)\n", POWER,
    ),
    "columns are not orthonormal": (
        "power_sgd", "left = orthonormal(sums, shape.rows, params.epsilon)\n    right = (yield",
        "left = sums\n    right = (yield", POWER,
    ),
    "the sum for the mean": ("power_sgd", "through=params.through)) / p\n    y =", "through=params.through))\n    y =",
                             POWER),
    "all is kept": ("power_sgd", "State(m - y, right)", "State(m, right)", POWER),
    "all that was selected is cleared": ("oktopk", "~(sent & y.support())", "~sent", {"k": 3}),
    "nothing is cleared": ("oktopk", "x.only(~(sent & y.support()))", "x", {"k": 3}),
    "whoever sent it clears the result": ("oktopk", "~(sent & y.support())", "~y.support()", {"k": 3}),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told(fault):
    name, old, new, params = FAULTS[fault]
    assert unlike(wrong(name, old, new, **params), 3, 35)
