"""ARC-Top-K beside a dense oracle of numpy on exact numbers; one node's run on the mean; its edges; its faults."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sparring
from sparring.errors import InputError
from sparring.spec import arc_top_k
from sparring.spec.core.runner import Message, run

RANKS = range(1, 7)
FEEDBACK = arc_top_k.FEEDBACK
MOMENTUM = 300


def drawn(p, n, calls=4, seed=0):
    """Small fractions full of ties, a third of them zeros."""
    rng = np.random.default_rng([p, n, seed])
    many = [Fraction(int(v), 3) for v in rng.integers(-4, 5, calls * p * n) * (rng.random(calls * p * n) < 0.7)]
    return np.array(many, object).reshape(calls, p, n)


def played(calls, **params):
    """By call, what rank 0 holds, that all hold it, and what is remembered."""
    page, state = sparring.page("arc_top_k", **params), None
    for xs in calls:
        ran = run(page, [[*x] for x in xs], state)
        state = ran.state
        yield ran.results, state


def oracle(calls, k, columns, sketch, seed, feedback):
    """The same with numpy's products of matrices and its sorting, on exact numbers."""
    n = calls.shape[2]
    rows = -(-n // columns)

    def matrices(xs):
        full = np.full((len(xs), rows * columns), Fraction(0), object)
        full[:, :n] = xs
        return full.reshape(len(xs), rows, columns)

    kept, mean = matrices(np.full_like(calls[0], Fraction(0))), None
    for call, xs in enumerate(map(matrices, calls)):
        eta, sent = Fraction(MOMENTUM, 1000), np.zeros_like(xs)
        mean = xs if mean is None or feedback != "ef21m" else (1 - eta) * mean + eta * xs
        if feedback in ("ef21", "ef21m") and not call:
            kept = mean
        else:
            v = {"none": xs, "ef14": xs + kept}.get(feedback, mean - kept)
            normal = [[arc_top_k.normal(seed, call, s, c) for s in range(sketch)] for c in range(columns)]
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


def last_first(scores, k):
    """Of equal scores the higher index."""
    return sorted(sorted(range(len(scores)), key=lambda i: (-scores[i], -i))[:k])


FAULTS = {
    "ties go to the last": ("first", last_first, "none"),
    "an estimate is not moved": ("nearer", lambda sent, e, more: e, "ef21"),
    "what was sent waits, too": ("waits", lambda sent, x, nothing: x, "ef14"),
    "a mean that is not scaled": ("mixed", lambda mean, x, momentum: mean * 1000 + x * momentum, "ef21m"),
    "the sketch of the call before": ("normal", lambda s, call, *at, good=arc_top_k.normal: good(s, call - 1, *at),
                                      "none"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_tells_a_fault(fault, monkeypatch):
    name, planted, feedback = FAULTS[fault]
    calls = drawn(3, 12)
    if fault.startswith("ties"):
        calls[:, :, 6:] = calls[:, :, :6]
    assert unlike(calls, 1, 2, 1, feedback=feedback) is None
    right = [*oracle(calls, 1, 2, 1, 7, feedback)]
    monkeypatch.setattr(arc_top_k, name, planted)
    page = {"columns": 2, "sketch": 1, "k": 1, "seed": 7, "momentum": MOMENTUM, "feedback": feedback}
    assert any([*results[0]] != [*y] for (results, _), (y, _) in zip(played(calls, **page), right))


@pytest.mark.parametrize("p", range(2, 6))
@pytest.mark.parametrize("feedback", FEEDBACK)
def test_the_mean_of_ranks_is_one_nodes_run_on_the_mean(p, feedback):
    """Results and memories, over several calls, in exact arithmetic."""
    calls = drawn(p, 13, calls=6)
    params = {"k": 2, "columns": 3, "sketch": 2, "feedback": feedback, "momentum": MOMENTUM}
    alone = played(calls.sum(1, keepdims=True) / Fraction(p), **params)
    for (results, state), (mean, single) in zip(played(calls, **params), alone, strict=True):
        assert [v / p for v in results[0]] == mean[0]
        if state.kept:
            assert [sum(column) / p for column in zip(*state.kept)] == [*single.kept[0]]


@pytest.mark.parametrize("feedback", FEEDBACK[1:])
def test_nothing_is_lost(feedback):
    """With ef14 all results and memories are all inputs; with the others the result is the sum of all estimates."""
    calls = drawn(4, 14, calls=6)
    given, sent = [Fraction(0)] * 14, [Fraction(0)] * 14
    for xs, (results, state) in zip(calls, played(calls, k=1, columns=4, feedback=feedback)):
        given, sent = [[a + b for a, b in zip(one, two)] for one, two in ((given, xs.sum(0)), (sent, results[0]))]
        kept = [sum(column) for column in zip(*state.kept)]
        if feedback == "ef14":
            assert given == [a + b for a, b in zip(sent, kept)]
        else:
            assert results[0] == kept


def own_first(xs, through):
    """Every rank is sent all, and adds from its own on."""
    p = len(xs)
    yield [Message(r, d, xs[r]) for r in range(p) for d in range(p) if r != d]
    rows = [[xs[(r + i) % p] for i in range(p)] for r in range(p)]
    return [[left(column) for column in zip(*row)] for row in rows]


def left(column):
    """Added one by one, from the left."""
    total = column[0]
    for v in column[1:]:
        total = total + v
    return total


def test_ranks_that_add_in_orders_of_their_own_keep_other_rows(monkeypatch):
    """And then add up what does not belong together, without a sign of it; in exact arithmetic all is well."""
    big, one = 2.0**53, 1.0
    xs, params = [[big, big], [0.0, one], [0.0, one]], {"k": 1, "columns": 1, "sketch": 1, "seed": 1}
    good = sparring.run("arc_top_k", xs, **params).results
    assert good[0] == good[1] == good[2]
    monkeypatch.setattr(arc_top_k, "summed", own_first)
    bad = sparring.run("arc_top_k", xs, **params).results
    kept = [[i for i, v in enumerate(y) if v] for y in bad]
    assert kept == [[0], [1], [0]]
    assert bad[1] == [0.0, big]  # of the two that rank 1 lacks there, one is in the row that the others keep
    exact = sparring.run("arc_top_k", [[Fraction(v) for v in x] for x in xs], **params).results
    assert exact[0] == exact[1] == exact[2] == [0, Fraction(2**53 + 2)]


def by_trying(n):
    """The largest power of two that divides ``n`` with more rows than columns, as the ports look for it."""
    best, c = 1, 1
    while c <= n and n % c == 0:
        if n // c > c:
            best = c
        c *= 2
    return best


def test_how_long_a_row_is():
    for n in (*range(1, 200), 2**20, 10**6, 3 * 2**14):
        assert arc_top_k.length(n, 0) == by_trying(n)
        assert arc_top_k.length(n, 5) == 5
    assert arc_top_k.length(0, 0) == 1
    assert (arc_top_k.length(2**20, 0), arc_top_k.length(10**6, 0)) == (512, 64)


@pytest.mark.parametrize(("n", "columns"), [(1, 4), (5, 3), (12, 4), (7, 1)])
def test_the_rows_are_the_vector_and_zeros(n, columns):
    m = arc_top_k.matrix([*range(1, n + 1)], columns)
    flat = [v for row in m for v in row]
    assert len(m) == -(-n // columns) and all(len(row) == columns for row in m)
    assert flat == [*range(1, n + 1), *[0] * (len(m) * columns - n)]


def test_an_entry_of_the_sketching_matrix_has_its_moments():
    """Of 40,000 entries: the mean within 4 standard errors of 0, the variance of 16, the fourth moment below 768."""
    z = np.array([arc_top_k.normal(3, 0, s, c) for s in range(200) for c in range(200)], float)
    assert abs(z.mean()) < 4 * 4 / 200
    assert abs(z.var() - 16) < 4 * np.sqrt((760 - 256) / 40_000)
    assert abs((z**4).mean() - 760) < 4 * (z**4).std() / 200
    assert z.min() >= -32 and z.max() <= 32 and (z == z.round()).all()


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


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"k": -1}, "k = -1: it must be 0 or more"), ({"columns": -2}, "columns = -2: it must be 0 or more"),
        ({"sketch": 0}, "sketch = 0: it must be 1 or more"), ({"seed": -1}, "seed = -1: it must be 0 or more"),
        ({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
        ({"feedback": "ef15"}, "feedback = 'ef15': it must be one of none, ef14, ef21, ef21m"),
        ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(params, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        _ = sparring.run("arc_top_k", [[1.0]], **params).results
