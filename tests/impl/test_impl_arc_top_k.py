"""ARC-Top-K on simulated and real ranks: the page's bits and messages, numpy's numbers; faults are found."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl import arc_top_k
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import vectors
from sparring.proofs.mutants.beside import beside
from sparring.spec.core import matrices
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("arc_top_k_targets.py")
TARGET = "sparring.impl.arc_top_k:Allreduce"
DTYPES = ("float32", "float64")
OTHERS = [
    {"k": 1, "columns": 2, "sketch": 1},
    {"k": 2, "columns": 3, "feedback": "ef14", "through": "two_shot", "seed": 2**63},
    {"k": 1, "feedback": "ef21", "sketch": 3},
    {"k": 3, "columns": 4, "feedback": "ef21m", "momentum": 300, "through": "two_shot"},
]


def simulated(xs, target=TARGET, buffers="synchronous", call=None, **options):
    """What every rank has after each call, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        run = functools.partial(call or iterate, **options)
        outcome = world.run(target, len(xs), xs, buffers=buffers, call=run)
    assert not outcome.findings, outcome.findings[0].text
    assert outcome.deterministic
    return outcome.results


def iterate(kind, comm, xs, **options):
    """Each call's result."""
    instance = kind(comm, xs.shape[1], **options)
    return [instance(x) for x in xs]


def expected(xs, **options):
    """The page's, by call and rank."""
    return [[done.result for done in row] for row in iterations.expected(sparring.page("arc_top_k", **options), xs)]


def same(ran, right):
    """Whether these are the same bits, but for a NaN's."""
    return all(
        np.array_equal(np.isnan(y), np.isnan(z))
        and (y[~np.isnan(y)].tobytes(), y.dtype) == (z[~np.isnan(z)].tobytes(), z.dtype)
        for calls, wanted in zip(ran, zip(*right)) for y, z in zip(calls, wanted)
    )  # fmt: skip


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep(range(1, 7)))
def test_simulated(p, buffers):
    """Bit for bit the page, call after call, for each rule, infinities and NaN included."""
    for i, n in enumerate((0, 1, p - 1, p, 3 * p + 1, 40)):
        xs, options = vectors(DTYPES[(i + p) % 2], p, n), OTHERS[(i + p) % 4]
        assert same(simulated(xs, buffers=buffers, **options), expected(xs, **options))


@pytest.mark.parametrize("p", sweep(range(1, 6)))
def test_messages_are_the_pages(p):
    """From each rank to each go messages of the page's lengths, whatever the parameters."""
    for options in ({}, *OTHERS):
        assert [*beside(sparring.page("arc_top_k", **options), TARGET, p)] == []


@pytest.mark.parametrize("options", [{}, *OTHERS], ids=str)
def test_conforms_step_by_step(options):
    """As a user would ask."""
    report = sparring.check(TARGET, "arc_top_k", level="steps", ranks=range(1, 5), max_examples=15, **options)
    assert report.verdict == "holds"
    assert {"steps", "volume", "dtypes"} <= {r.property for r in report.results if "tested" in str(r.verdict)}


@pytest.mark.parametrize(
    ("fault", "options"),
    [
        ("LastOfTies", OTHERS[0]), ("SeedsOfTheirOwn", OTHERS[0]), ("Mean", OTHERS[0]), ("KeepsSent", OTHERS[1]),
        ("Unmoved", OTHERS[2]), ("Unscaled", OTHERS[3]),
    ],
)  # fmt: skip
def test_faults_are_found(fault, options):
    """Where the same class without one holds."""
    xs = [np.random.default_rng([9, r]).integers(-2, 3, (4, 12)).astype(np.float32) for r in range(3)]
    for x in xs:
        x[:, 6:] = x[:, :6]  # ties
    found = {name: same(simulated(xs, f"{TARGETS}:{name}", **options), expected(xs, **options))
             for name in (fault, "Changed")}  # fmt: skip
    assert found == {fault: False, "Changed": True}


def test_products_are_numpys_up_to_rounding():
    """The order of addition is ours, and the numbers are those of a library's product."""
    rng = np.random.default_rng(1)
    for m, columns, sketch in ((1, 1, 1), (7, 5, 2), (300, 64, 4), (3, 100_000, 2), (70_000, 3, 1)):
        x, normal = rng.standard_normal((m, columns)), rng.integers(-32, 33, (sketch, columns)).astype(float)
        kept = x.copy()
        near = arc_top_k.sketched(x, normal)
        np.testing.assert_allclose(near, x @ normal.T, rtol=0, atol=1e-12 * np.abs(x).sum(1).max() * 32)
        assert (x == kept).all()
        lengths = np.linalg.norm(near, axis=1) ** 2
        np.testing.assert_allclose(arc_top_k.halved(np.square(near)), lengths, rtol=1e-12)


def test_the_order_of_addition_is_the_pages():
    """To the last bit, which others have otherwise: one after the other, or in numpy's own order."""
    x = np.random.default_rng(4).standard_normal((200, 37)).astype(np.float32)
    ours = arc_top_k.halved(x.copy())
    assert [*ours] == [matrices.halved([*row]) for row in x]
    for other in (np.add.accumulate(x, axis=1)[:, -1], x.sum(1)):
        assert (ours != other).any()
        np.testing.assert_allclose(ours, other, atol=1e-4)


def test_large_rows_are_kept_as_by_numpy():
    """Rows of very different lengths: those that ``numpy.argpartition`` finds longest, summed; zeros elsewhere."""
    rng, p, m, columns, k = np.random.default_rng(2), 3, 500, 64, 20
    scale = np.where(rng.permutation(m) < k, 100.0, 0.1)[:, None]
    xs = [(scale * rng.standard_normal((m, columns))).reshape(1, -1) for _ in range(p)]
    ((y,), *_) = simulated(xs, k=k, columns=columns, sketch=4)
    total = np.sum(xs, axis=0).reshape(m, columns)
    at = np.argpartition(-np.linalg.norm(total, axis=1), k)[:k]
    wanted = np.zeros_like(total)
    wanted[at] = total[at]
    np.testing.assert_allclose(y.reshape(m, columns), wanted, rtol=1e-12, atol=1e-12)


def test_how_long_a_row_is():
    for n in (*range(300), 2**20, 10**6, 10**7):
        assert arc_top_k.wide(n) == matrices.below_root(n)


@pytest.mark.parametrize("feedback", arc_top_k.FEEDBACK)
def test_what_is_remembered(feedback):
    """What was not sent, in all calls or in the last; or estimates, which add up to the result."""
    xs = [np.random.default_rng([5, r]).integers(-9, 9, (3, 10)).astype(np.float64) for r in range(3)]
    ran = simulated(xs, f"{TARGETS}:remembered", call=called, k=1, columns=3, feedback=feedback)
    ys, kept = ([row[part] for row in ran] for part in (slice(10), slice(10, None)))
    results = simulated(xs, k=1, columns=3, feedback=feedback)[0]
    whole = {
        "none": (np.sum(kept, 0) + ys[0], np.sum(xs, 0)[-1]),
        "ef14": (np.sum(kept, 0) + np.sum(results, 0), np.sum(xs, (0, 1))),
    }.get(feedback, (np.sum(kept, 0), ys[0]))
    np.testing.assert_allclose(*whole, atol=1e-12)
    assert np.any(kept)


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def test_one_call_of_the_function():
    xs = [np.arange(6.0) + r for r in range(2)]
    (page,) = expected([x[None] for x in xs], k=1, columns=2)
    ran = simulated(xs, f"{TARGETS}:once", call=called, k=1, columns=2)
    assert [[*y] for y in ran] == [[*y] for y in page]


WRONG = {
    "negative k": "k = -1: it must be a whole number, 0 or more",
    "no sketch": "sketch = 0: it must be a whole number, 1 or more",
    "half a column": "columns = 1.5: it must be a whole number, 0 or more",
    "more than a whole": "momentum = 1001: it must be 1000 or less, thousandths",
    "no such rule": "feedback = 'ef15': it must be one of none, ef14, ef21, ef21m",
    "no such sum": "through = 'tree': it must be one of ring, two_shot",
}


@pytest.mark.parametrize("what", WRONG)
def test_bad_when_made_on_one_rank_is_one_sentence_on_all(what):
    texts = heard("refused", what=what, bad=2)
    assert texts[2] == WRONG[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


@pytest.mark.parametrize("what", ["another seed", "another rule"])
def test_ranks_that_differ_hear_it_alike(what):
    texts = heard("refused", what=what, bad=1)
    assert len({*texts}) == 1 and texts[0].startswith("rank 1 has n=5, k=2") and "one value of each" in texts[0]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ((6,), "x has 6 entries: this Allreduce was made for 5"),
        ((5, np.int32), "x has dtype int32: it must be float32 or float64"),
    ],
)
def test_a_bad_call_leaves_memories_as_they_were(bad, said):
    texts = heard("refused_when_called", bad=bad)
    assert texts[2].startswith(said) or "the residual float64" in texts[2]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", 4, [None] * 4, call=functools.partial(called, **params))
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 7))
def test_real_ranks(group, p):
    """The same bits on real ranks."""
    for dtype in DTYPES:
        for options in OTHERS:
            xs = vectors(dtype, p, 60)
            right = [np.concatenate(calls) for calls in zip(*expected(xs, **options))]
            for y, wanted in zip(group.run(f"{TARGETS}:several", xs, **options), right, strict=True):
                np.testing.assert_array_equal(y, wanted)
