"""gTop-k on simulated and real ranks, against a few lines of Python; the published residual loses mass."""

from __future__ import annotations

import functools
import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import world
from sparring.checks import iterated
from sparring.impl import gtopk
from sparring.proofs.core.iterations import Case, iterate, vectors
from sparring.sparse import Sparse
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("gtopk_targets.py")
TARGET = "sparring.impl.gtopk:Allreduce"
PAGE = sparring.page("gtopk")
DTYPES = ("float32", "float64", "int32", "int64")
WITNESS = [[0, 5, 0, 0], [0, 0, 6, 0], [0, 9, 0, 0], [0, 0, 0, 1]]
"""Of which one entry each is selected: the second half of the tree brings index 1, which the first has cut."""


def reference(xs, k):
    """Results by call, and residuals after each: pairs of those that are left, as published, a last one goes on."""
    left = np.zeros((len(xs), xs[0].shape[1]), xs[0].dtype)
    for given_now in zip(*xs):
        with np.errstate(all="ignore"):
            left += np.stack(given_now)
            there = [(r, kept(dict(enumerate(row)), k, row)) for r, row in enumerate(left)]
            while len(there) > 1:
                there = [paired(pair, k, left) for pair in itertools.zip_longest(there[::2], there[1::2])]
        at, result = sorted(there[0][1]), there[0][1]
        values = np.array([result[i] for i in at], left.dtype)
        yield Sparse(np.array(at, np.int64), values, left.shape[1]), left.copy()


def kept(entries, k, row):
    """The k largest; they are no longer in ``row``, the others are."""
    order = sorted(entries, key=lambda i: place(entries[i], i))
    row[order[:k]] = 0
    return {i: entries[i] for i in order[:k]}


def paired(pair, k, left):
    """The sum of two, cut, at the first; what is cut is added to that rank's residual."""
    (r, mine), other = pair
    if other is None:
        return r, mine
    come = other[1]
    sums = {i: come[i] + mine[i] if i in come and i in mine else come.get(i, mine.get(i)) for i in {*come, *mine}}
    first = sorted(sums, key=lambda i: place(sums[i], i))[:k]
    for i in {*sums} - {*first}:
        left[r, i] += sums[i]
    return r, {i: sums[i] for i in first}


def place(v, i):
    """Where an entry comes in the order of selection."""
    return (v == v, 0 if v != v else -abs(int(v)) if v.dtype.kind == "i" else -abs(v), i)  # noqa: PLR0124  # NaN alone is not equal to itself


def same(ran, xs, k):
    """Whether every rank has the reference's bits after every call; any NaN is as good as any."""
    for i, (result, left) in enumerate(reference(xs, k)):
        for r, done in enumerate(calls[i] for calls in ran):
            assert done.result.indices.tolist() == result.indices.tolist()
            for has, want in ((done.result.values, result.values), (done.residual, left[r])):
                np.testing.assert_array_equal(has, want)
                assert np.signbit(has[has == 0]).tolist() == np.signbit(want[want == 0]).tolist()
            assert done.result.dtype == done.residual.dtype == xs[0].dtype
    return True


def simulated(xs, k, buffers="synchronous", target=TARGET):
    """What every rank has after each call, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        outcome = world.run(target, len(xs), xs, buffers=buffers, call=functools.partial(iterate, k=k))
    assert not outcome.findings
    assert outcome.deterministic
    return outcome.results


@pytest.mark.parametrize("p", range(1, 40))
def test_arithmetic(p):
    """Every rank but 0 gives once, to a lower rank that is there in that round."""
    given_by = {r: i for i in reversed(range(gtopk.rounds(p))) for r in range(1, p) if not gtopk.multiple(r, i + 1)}
    assert {*given_by} == {*range(1, p)}
    for r, i in given_by.items():
        to = gtopk.before(r, i)
        assert 0 <= to < r and gtopk.multiple(to, i + 1) and gtopk.after(to, i) == r


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8]))
def test_simulated(p, buffers):
    """Bit for bit the reference for every dtype, n < p, n = 0, k = 0 and k > n included."""
    cases = [(n, k) for n in (0, 1, p - 1, p, 3 * p + 1, 40) for k in (0, 1, p - 1, n // 2, n, 2 * n + 3)]
    for (n, k), dtype in zip(cases, itertools.cycle(DTYPES)):
        xs = vectors(dtype, p, n)
        assert same(simulated(xs, k, buffers), xs, k)


@given(st.integers(1, 6), st.integers(0, 60), st.integers(0, 70), st.sampled_from(DTYPES), st.integers(0, 999))
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost(p, n, k, dtype, seed):
    """Small integers add exactly in every dtype: results and residuals are all that was put in, call by call."""
    rng = np.random.default_rng(seed)
    xs = [rng.integers(-9, 9, (3, n)).astype(dtype) for _ in range(p)]

    ran = simulated(xs, k)

    for i in range(3):
        put_in = np.sum([x[: i + 1].sum(axis=0) for x in xs], axis=0)
        results = np.sum([done.result.dense() for done in ran[0][: i + 1]], axis=0)
        assert (results + np.sum([calls[i].residual for calls in ran], axis=0)).tolist() == put_in.tolist()
        assert all(len(calls[i].result) <= k for calls in ran)


def test_it_is_not_the_top_of_the_sum():
    """A small entry of all ranks never gets through a half of the tree."""
    xs = [np.array([[3, 4 * (r % 2), 0, 4 * (1 - r % 2)]]) for r in range(4)]
    assert [calls[0].result.indices.tolist() for calls in simulated(xs, 1)] == [[1]] * 4
    assert np.sum(xs, axis=0)[0].tolist() == [12, 8, 0, 8]


def balance(target):
    """What the witness puts in, what comes out of it, and what stays behind at each rank."""
    ran = simulated([np.array([x]) for x in WITNESS], 1, target=target)
    return sum(map(sum, WITNESS)), ran[0][0].result.dense().tolist(), [calls[0].residual.tolist() for calls in ran]


def test_the_published_residual_loses_mass():
    """Of 21 in all, 9 are in the result, and 7 stay behind: rank 0's 5 is nowhere.  Here it stays where it was cut."""
    zeros, result = [0, 0, 0, 0], [0, 9, 0, 0]
    assert balance(f"{TARGETS}:Published") == (21, result, [zeros, [0, 0, 6, 0], zeros, [0, 0, 0, 1]])
    assert balance(TARGET) == (21, result, [[0, 5, 6, 0], zeros, [0, 0, 0, 1], zeros])


@pytest.mark.parametrize(
    ("fault", "prop"), [("Published", "conservation"), ("Forgetful", "conservation"), ("Uncut", "result")]
)
def test_a_planted_fault_is_found(fault, prop):
    """By check: what loses mass is refuted for that alone, whatever the page says of residuals."""
    target = f"{TARGETS}:{fault}"
    report = sparring.check(target, page="gtopk", ranks=range(2, 5), max_examples=50, only=[prop])

    assert [(one.property, str(one.verdict)) for one in report.results] == [(prop, "refuted")]


def test_its_twin_is_right():
    """So that it is the planted fault that is found."""
    assert sparring.check(f"{TARGETS}:Twin", page="gtopk", ranks=range(1, 6), max_examples=20).verdict == "holds"


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message."""
    assert sparring.check(TARGET, page="gtopk", level="steps", ranks=range(1, 9), max_examples=20).verdict == "holds"


@pytest.mark.parametrize(("k", "n"), [(8, 7), (7, 7)])
def test_more_than_n_is_n(k, n):
    """Then all entries are sent: the dense sum, and no residual."""
    xs = [np.arange(n, dtype=np.float64)[None] * (r + 1) for r in range(5)]
    for calls in simulated(xs, k):
        assert calls[0].result.dense().tolist() == (15 * np.arange(n)).tolist()
        assert not calls[0].residual.any()


@pytest.mark.parametrize("k", [0, 3, 99])
def test_one_call_is_a_function(k):
    """``allreduce`` does what a new Allreduce does first."""
    xs = [np.random.default_rng(r).standard_normal((1, 20)) for r in range(3)]
    ys = world.run(f"{TARGETS}:once", 3, [x[0] for x in xs], call=functools.partial(called, k=k)).results
    want = simulated(xs, k)[0][0].result.dense()
    assert all(y.tobytes() == want.tobytes() for y in ys)


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for dtype in DTYPES:
        for k in (0, 1, 9, 200):
            xs = vectors(dtype, p, 100)
            assert same(iterated.run(group, PAGE, TARGET, Case(k, xs)), xs, k)


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly; integers, so that the dense sum is known."""
    xs = [np.random.default_rng(r).integers(-99, 99, (2, 100_000)) for r in range(3)]
    ran = iterated.run(group, PAGE, TARGET, Case(60_000, xs))
    total = np.sum([*(done.result.dense() for done in ran[0]), *(calls[-1].residual for calls in ran)], axis=0)
    assert total.tolist() == np.sum([x.sum(axis=0) for x in xs], axis=0).tolist()
