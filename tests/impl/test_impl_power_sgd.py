"""PowerSGD on simulated and real ranks: the page's bits and messages, call after call; planted faults are found."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import Case, vectors
from sparring.proofs.mutants.beside import beside
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("power_sgd_targets.py")
TARGET = "sparring.impl.power_sgd:Allreduce"
DTYPES = ("float32", "float64")
OTHERS: list[dict[str, Any]] = [
    {}, {"columns": 3, "rank": 2, "rate": 0, "through": "two_shot"}, {"rank": 3, "rate": 1, "epsilon": 0},
    {"columns": 1, "rate": 0, "seed": 7},
]  # fmt: skip
LONG: list[tuple[int, dict[str, Any]]] = [
    (3000, {"columns": 7, "rank": 2}),
    (900, {"rank": 4, "rate": 1}),
    (2100, {"columns": 1100, "rate": 0}),
]
"""More rows than one piece has, and more columns than one span."""


def called(function, comm, xs, **params):
    """How the world calls a target with parameters."""
    return function(comm, xs, **params)


def simulated(xs, target=TARGET, buffers="synchronous", **options):
    """What every rank has after each call, without a finding."""
    call = functools.partial(iterations.answer, **options)
    outcome = world.run(target, len(xs), xs, buffers=buffers, call=call)
    assert not outcome.findings, outcome.findings[0].text
    assert outcome.deterministic
    return outcome.results


def unlike(xs, ran, **options):
    """Where this is not the page's, in words."""
    return iterations.compared(sparring.page("power_sgd", **options), Case(0, xs), ran, "dtypes")


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep(range(1, 9)))
def test_simulated(p, buffers):
    """Bit for bit the page for both dtypes, of odd numbers, too, whatever the parameters."""
    for i, n in enumerate([0, 1, p - 1, p, 3 * p + 1, 40]):
        for options in OTHERS:
            xs = vectors(DTYPES[(i + p) % 2], p, n)
            assert unlike(xs, simulated(xs, buffers=buffers, **options), **options) == []


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "options"), LONG)
def test_of_more_rows_than_a_piece(p, dtype, n, options):
    """Bit for bit, of normal numbers, whose sums round in every step."""
    rng = np.random.default_rng(n + p)
    xs = [rng.standard_normal((3, n)).astype(dtype) for _ in range(p)]
    assert unlike(xs, simulated(xs, **options), **options) == []


@pytest.mark.parametrize("p", sweep(range(1, 8)))
def test_messages_are_the_pages(p):
    """From each rank to each go messages of the page's lengths."""
    for options in OTHERS:
        assert [*beside(sparring.page("power_sgd", **options), TARGET, p)] == []


@pytest.mark.parametrize("options", OTHERS)
def test_conforms_step_by_step(options):
    """As a user would ask."""
    report = sparring.check(TARGET, "power_sgd", level="steps", ranks=range(1, 5), max_examples=20, **options)
    assert report.verdict == "holds"
    assert {"result", "steps", "volume"} <= {r.property for r in report.results if "tested" in str(r.verdict)}


@pytest.mark.parametrize(
    "fault", ["NotAdded", "OwnSeed", "NotOrthonormal", "SumForMean", "AllIsKept", "NeverAnew", "OtherOrder"]
)
def test_faults_are_found(fault):
    """Each in some result of a few calls, the first of which has nothing but zeros."""
    xs = [np.random.default_rng(r).standard_normal((4, 210)) for r in range(3)]
    for x in xs:
        x[0] = 0
    options: dict[str, Any] = {"columns": 3, "rank": 2, "rate": 0}
    assert unlike(xs, simulated(xs, f"{TARGETS}:{fault}", **options), **options)
    assert unlike(xs, simulated(xs, f"{TARGETS}:Changed", **options), **options) == []


def test_columns_are_orthonormal_and_the_residual_is_what_was_not_sent():
    """With what waited before, less the result; a view that cannot be written to."""
    rng = np.random.default_rng(3)
    xs = [rng.standard_normal((3, 35)) for _ in range(4)]
    call = functools.partial(called, columns=5, rank=2, rate=0)
    ran = [np.split(y, 2, axis=1) for y in world.run(f"{TARGETS}:calls", 4, xs, call=call).results]
    for x, (ys, left) in zip(xs, ran):
        waited = np.zeros(35)
        for one, y, after in zip(x, ys, left):
            np.testing.assert_array_equal(after, one + waited - y)
            waited = after
    np.testing.assert_allclose(
        sum(x.sum(0) for x in xs), 4 * ran[0][0].sum(0) + sum(left[-1] for _, left in ran), rtol=1e-10, atol=1e-10
    )


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks, residuals included."""
    for i, options in enumerate(OTHERS):
        xs = vectors(DTYPES[(i + p) % 2], p, 60)
        ran = group.run(f"{TARGETS}:calls", xs, **options)
        page = sparring.page("power_sgd", **options)
        for call, done in enumerate(iterations.runs(page, xs)):
            kept = done.state.kept or [np.zeros(60)] * p
            for r in range(p):
                y, left = np.split(ran[r][call], 2)
                np.testing.assert_array_equal(y, done.results[r])
                np.testing.assert_array_equal(left, np.array(kept[r], left.dtype))


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("no rank", "rank = 0: it must be a whole number, 1 or more"),
        ("half a rank", "rank = 1.5: it must be a whole number, 1 or more"),
        ("negative columns", "columns = -1: it must be a whole number, 0 or more"),
        ("negative epsilon", "epsilon = -1: it must be a whole number, 0 or more"),
        ("no such schedule", "through = 'tree': it must be one of ring, two_shot"),
    ],
)
def test_bad_when_made_on_one_rank_is_one_sentence_on_all(what, text):
    texts = heard("refused", what=what, bad=2)
    assert texts[2] == text
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


@pytest.mark.parametrize("what", ["another seed", "another schedule"])
def test_ranks_that_differ_hear_it_alike(what):
    texts = heard("refused", what=what, bad=2)
    assert len({*texts}) == 1
    assert texts[0].startswith("rank 2 has n=9, rank=1, columns=0, rate=2, epsilon=10, seed=")


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (np.ones(31), "x has 31 entries: this Allreduce was made for 30"),
        (np.ones(30, np.float32), "x has dtype float32, the residual float64: all calls need one dtype"),
        (np.array([1.0, np.nan] * 15), "x[1] is NaN; with allow_nan it makes this and all later results NaN"),
        (np.ones(30, np.int64), "x has dtype int64, the residual float64: all calls need one dtype"),
    ],
)
def test_a_bad_call_leaves_residuals_as_they_were(x, text):
    texts = heard("refused_when_called", x=x)
    assert texts[2] == text
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", 4, [None] * 4, call=functools.partial(called, **params))
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]
