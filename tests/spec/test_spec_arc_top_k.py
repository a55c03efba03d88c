"""ARC-Top-K beside a dense oracle of numpy on exact numbers; one node's run on the mean; its edges; its faults."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sparring
from sparring.spec.core import matrices
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import wrong

RANKS = range(1, 7)
FEEDBACK = ("none", "ef14", "ef21", "ef21m")
MOMENTUM = 300


def drawn(p, n, calls=4, seed=0):
    """Small fractions full of ties, a third of them zeros."""
    rng = np.random.default_rng([p, n, seed])
    many = [Fraction(int(v), 3) for v in rng.integers(-4, 5, calls * p * n) * (rng.random(calls * p * n) < 0.7)]
    return np.array(many, object).reshape(calls, p, n)


def played(calls, **params):
    """By call, what ranks hold, and what is remembered."""
    yield from on(sparring.page("arc_top_k", **params), calls)


def on(page, calls):
    state = None
    for xs in calls:
        ran = run(page, [[*x] for x in xs], state)
        state = ran.state
        yield ran.results, state


def oracle(calls, k, columns, sketch, seed, feedback):
    """The same with numpy's products of matrices and its sorting, on exact numbers."""
    n = calls.shape[2]
    rows = -(-n // columns)

    def shaped(xs):
        full = np.full((len(xs), rows * columns), Fraction(0), object)
        full[:, :n] = xs
        return full.reshape(len(xs), rows, columns)

    kept, mean = shaped(np.full_like(calls[0], Fraction(0))), None
    for call, xs in enumerate(map(shaped, calls)):
        eta, sent = Fraction(MOMENTUM, 1000), np.zeros_like(xs)
        mean = xs if mean is None or feedback != "ef21m" else (1 - eta) * mean + eta * xs
        if feedback in ("ef21", "ef21m") and not call:
            kept = mean
        else:
            v = {"none": xs, "ef14": xs + kept}.get(feedback, mean - kept)
            normal = [*zip(*(matrices.normal(seed, call, s, columns) for s in range(sketch)))]
            scores = (v.sum(0).dot(np.array(normal, object)) ** 2).sum(1)
            at = np.argsort(-scores, kind="stable")[:k]
            sent = np.zeros_like(v)
            sent[:, at] = v[:, at]
            kept = {"none": kept, "ef14": v - sent}.get(feedback, kept + sent)
        result = kept if feedback in ("ef21", "ef21m") else sent
        yield result.sum(0).reshape(-1)[:n], kept.reshape(len(xs), -1)[:, :n]


def unlike(calls, k, columns, sketch, **params):
    """In which call the page is not the oracle; None where it always is."""
    given = {"columns": columns, "sketch": sketch, "k": k, "seed": 7, **params}
    right = oracle(calls, k, columns, sketch, 7, given["feedback"])
    for i, ((results, state), (wanted, kept)) in enumerate(zip(played(calls, momentum=MOMENTUM, **given), right)):
        if any([*y] != [*wanted] for y in results):
            return i, "result"
        if given["feedback"] != "none" and [[*x] for x in state.kept] != [[*x] for x in kept]:
            return i, "memory"
    return None


@pytest.mark.parametrize("p", RANKS)
@pytest.mark.parametrize("feedback", FEEDBACK)
@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_every_call_is_the_dense_oracles(p, feedback, through):
    for n, (k, columns, sketch) in product((1, 6, 11), ((1, 1, 1), (2, 3, 2), (0, 2, 1), (99, 4, 3))):
        assert unlike(drawn(p, n), k, columns, sketch, feedback=feedback, through=through) is None


FAULTS = {
    "an estimate is not moved": ("sums = nearer(at, state.sums, sums)", "sums = state.sums", "ef21"),
    "what was sent waits, too": ("where(at, 0, given)", "given", "ef14"),
    "a mean that is not scaled": ("mean * (WHOLE - momentum)", "mean * WHOLE", "ef21m"),
    "the sketch of the call before": (
        "sketched(given, shape, params.sketch, call, params.seed), through",
        "sketched(given, shape, params.sketch, call - 1, params.seed), through", "none",
    ),
    "a row fewer": ("params.sketch, params.k)\n    sums", "params.sketch, params.k - 1)\n    sums", "none"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_tells_a_fault(fault):
    old, new, feedback = FAULTS[fault]
    calls = drawn(3, 12)
    assert unlike(calls, 1, 2, 1, feedback=feedback) is None
    params = {"columns": 2, "sketch": 1, "k": 1, "seed": 7, "momentum": MOMENTUM, "feedback": feedback}
    played_ = on(wrong("arc_top_k", old, new, **params), calls)
    assert any([*results[0]] != [*y] for (results, _), (y, _) in zip(played_, oracle(calls, 1, 2, 1, 7, feedback)))


def test_edges():
    nan = float("nan")
    for p in (1, 3):
        assert sparring.run("arc_top_k", [[]] * p).results == [[]] * p
        assert sparring.run("arc_top_k", [[1.0, 2.0]] * p, k=0).results == [[0.0, 0.0]] * p
        assert sparring.run("arc_top_k", [[1.0, 2.0]] * p, k=9).results == [[p * 1.0, p * 2.0]] * p
        assert sparring.run("arc_top_k", [[0.0] * 3] * p, k=1).results == [[0.0] * 3] * p
    (y,) = sparring.run("arc_top_k", [[5.0, 1.0, nan, 2.0]], k=1, columns=1).results
    assert str(y) == "[0.0, 0.0, nan, 0.0]"
    (y,) = sparring.run("arc_top_k", [[-0.0, -0.0]], k=1, columns=1).results
    assert str(y) == "[0.0, 0.0]"
