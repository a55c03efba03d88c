"""Selection by alltoall on simulated and real ranks, against a few lines with heapq and dense vectors."""

from __future__ import annotations

import functools
import itertools
import warnings
from heapq import nsmallest

import numpy as np
import pytest

import sparring
from sparring import InputError, world
from sparring.checks import iterated
from sparring.impl import topka2a
from sparring.proofs.core.iterations import Case, iterate, vectors
from tests.sweeps import sweep

TARGET = "sparring.impl.topka2a:Allreduce"
PAGE = sparring.page("topka2a")
DTYPES = ("float32", "float64", "int32", "int64")


def reference(xs, k):
    """Results by call, and residuals after each: shards are selected from, then added from their rank downwards."""
    p, n = len(xs), xs[0].shape[1]
    left, k = np.zeros((p, n), xs[0].dtype), min(k, n)
    for given_now in zip(*xs):
        with np.errstate(all="ignore"):
            left += np.stack(given_now)
            taken = np.full_like(left, -0.0)
            for c, r in itertools.product(range(p), range(p)):
                shard, kept = range(c * n // p, (c + 1) * n // p), (c + 1) * k // p - c * k // p
                at = nsmallest(kept, shard, key=lambda i: place(left[r, i]))
                taken[r, at], left[r, at] = left[r, at], 0
            result = np.empty_like(left[0])
            for c in range(p):
                shard = slice(c * n // p, (c + 1) * n // p)
                result[shard] = functools.reduce(np.add, [taken[(c - d) % p, shard] for d in range(p)])
        yield result + result.dtype.type(0), left.copy()


def place(v):
    """Where an entry comes in the order of selection; of equal ones heapq takes the first."""
    return (v == v, 0 if v != v else -abs(int(v)) if v.dtype.kind == "i" else -abs(v))  # noqa: PLR0124  # NaN alone is not equal to itself


def same(ran, xs, k):
    """Whether every rank has the reference's bits after every call; any NaN is as good as any."""
    for i, (result, left) in enumerate(reference(xs, k)):
        for r, done in enumerate(calls[i] for calls in ran):
            assert done.result.indices.tolist() == [*range(result.size)]
            for has, want in ((done.result.values, result), (done.residual, left[r])):
                np.testing.assert_array_equal(has, want)
                assert np.signbit(has[has == 0]).tolist() == np.signbit(want[want == 0]).tolist()
            assert done.result.dtype == done.residual.dtype == xs[0].dtype
    return True


def simulated(xs, k, buffers="synchronous"):
    """What every rank has after each call, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        outcome = world.run(TARGET, len(xs), xs, buffers=buffers, call=functools.partial(iterate, k=k))
    assert not outcome.findings
    assert outcome.deterministic
    return outcome.results


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8]))
def test_simulated(p, buffers):
    """Bit for bit the reference for every dtype, n < p, n = 0, k < p, k = 0 and k > n included."""
    cases = [(n, k) for n in (0, 1, p - 1, p, 3 * p + 1, 40) for k in (0, 1, p - 1, n // 2, n, 2 * n + 3)]
    for (n, k), dtype in zip(cases, itertools.cycle(DTYPES)):
        xs = vectors(dtype, p, n)
        assert same(simulated(xs, k, buffers), xs, k)


def test_more_than_n_is_n():
    """Then all entries are sent, without indices: the dense sum, and no residual."""
    xs = [np.arange(7.0)[None] * (r + 1) for r in range(5)]
    for calls in simulated(xs, 20):
        assert calls[0].result.values.tolist() == (15 * np.arange(7)).tolist()
        assert not calls[0].residual.any()


@pytest.mark.parametrize("width", [4, 8])
def test_bytes(width):
    """In each of p - 1 messages k / p values with an index of 4 bytes, then n / p values in each of as many."""
    p, n, k = 4, 40, 12
    xs = [np.arange(1.0, n + 1, dtype=f"f{width}")[None]] * p
    outcome = world.run(TARGET, p, xs, call=functools.partial(iterate, k=k))
    sent = [m.nbytes for m in outcome.messages if m.context and m.src == 0]
    assert sorted(sent) == sorted([k // p * (width + 4)] * (p - 1) + [n // p * width] * (p - 1))


def test_one_call_is_a_function():
    """``allreduce`` does what a new Allreduce does first."""
    xs = [np.random.default_rng(r).standard_normal((1, 20)) for r in range(3)]
    ys = world.run("sparring.impl.topka2a:allreduce", 3, [x[0] for x in xs], call=called).results
    want = simulated(xs, 7)[0][0].result.values
    assert all(y.values.tobytes() == want.tobytes() for y in ys)


def called(function, comm, x):
    """How the world calls the function."""
    return function(comm, x, k=7)


def test_what_is_wrong_is_refused():
    """As of the ring with selection, whose arguments these are."""
    comm = world.run(f"{__file__}:communicator", 1).results[0]
    assert comm == ["k = -1: it must be a whole number, 0 or more", "x has 4 entries: this Allreduce was made for 3"]


def communicator(comm):
    """The errors' texts."""
    heard = []
    for wrong in (lambda: topka2a.Allreduce(comm, 3, k=-1), lambda: topka2a.Allreduce(comm, 3, k=1)(np.ones(4))):
        try:
            wrong()
        except InputError as error:
            heard.append(str(error))
    return heard


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 5))
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
