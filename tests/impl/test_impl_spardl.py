"""SparDL on simulated and real ranks, against a few lines of numpy and MPI's own sum."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import world
from sparring.checks import iterated
from sparring.impl import spardl
from sparring.proofs.core.iterations import Case, iterate, vectors
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("spardl_targets.py")
TARGET = "sparring.impl.spardl:Allreduce"
PAGE = sparring.page("spardl")
DTYPES = ("float32", "float64", "int32", "int64")


def reference(xs, k):
    """Results by call, and residuals after each: block by block, each entry's way down to its owner.

    A rank at distance ``D`` from the owner sends to the one at ``D - d``, ``d`` being the highest bit of ``D``.
    """
    p, n = len(xs), xs[0].shape[1]
    own, k = np.zeros((p, n), xs[0].dtype), min(k, n)
    for now in zip(*xs):
        result: dict[int, object] = {}
        with np.errstate(all="ignore"):
            own = own + np.stack(now)
            rest = own.copy()
            for c in range(p):
                places, most = range(c * n // p, (c + 1) * n // p), (c + 1) * k // p - c * k // p
                for far in range(p - 1, 0, -1):
                    r, to = (c - far) % p, (c - far + (1 << (far.bit_length() - 1))) % p
                    for i, v in taken(rest[r], places, most).items():
                        rest[to, i] = v + rest[to, i]
                result |= taken(rest[c], places, most)
        at = sorted(result)
        own[:, at], values = rest[:, at], np.array([result[i] for i in at], own.dtype)
        yield at, values, own.copy()


def taken(x, places, most):
    """The largest entries at these places, which are zero from now on."""
    largest = {i: x[i] for i in sorted(places, key=lambda i: place(x[i], i))[:most]}
    x[[*largest]] = 0
    return largest


def place(v, i):
    """Where an entry comes in the order of selection."""
    return (v == v, 0 if v != v else -abs(int(v)) if v.dtype.kind == "i" else -abs(v), i)  # noqa: PLR0124  # NaN alone is not equal to itself


def same(ran, xs, k):
    """Whether every rank has the reference's bits after every call; any NaN is as good as any."""
    for i, (at, values, left) in enumerate(reference(xs, k)):
        for r, done in enumerate(calls[i] for calls in ran):
            assert done.result.indices.tolist() == at
            for has, want in ((done.result.values, values), (done.residual, left[r])):
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


@pytest.mark.parametrize("p", range(2, 40))
def test_arithmetic(p):
    """Distances halve down to 1, and blocks that are sent in all rounds are all but the rank's own, each once."""
    gaps = [spardl.gap(i, p) for i in range(spardl.rounds(p))]
    assert gaps == [1 << i for i in reversed(range(len(gaps)))]
    assert gaps[0] < p <= 2 * gaps[0]
    sent = [d + j for d in gaps for j in range(min(d, spardl.missing(d, p)))]
    assert sorted(sent) == [*range(1, p)]


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 6, 8, 9]))
def test_simulated(p, buffers):
    """Bit for bit the reference for every dtype, n < p, n = 0, k < p, k = 0 and k > n included."""
    cases = [(n, k) for n in (0, 1, p - 1, p, 3 * p + 1, 40) for k in (0, 1, p - 1, n // 2, n, 2 * n + 3)]
    for (n, k), dtype in zip(cases, itertools.cycle(DTYPES)):
        xs = vectors(dtype, p, n)
        assert same(simulated(xs, k, buffers), xs, k)


@given(st.integers(1, 7), st.integers(0, 60), st.integers(0, 70), st.sampled_from(DTYPES), st.integers(0, 999))
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost(p, n, k, dtype, seed):
    """Small integers add exactly in every dtype: results and residuals are all that was put in, call by call."""
    rng = np.random.default_rng(seed)
    xs = [rng.integers(-9, 9, (4, n)).astype(dtype) for _ in range(p)]

    ran = simulated(xs, k)

    for i in range(4):
        put_in = np.sum([x[: i + 1].sum(axis=0) for x in xs], axis=0)
        results = np.sum([done.result.dense() for done in ran[0][: i + 1]], axis=0)
        assert (results + np.sum([calls[i].residual for calls in ran], axis=0)).tolist() == put_in.tolist()
        assert all(len(calls[i].result) <= k for calls in ran)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_where_all_is_kept_it_is_mpis_sum(p):
    """MPI's own Allreduce is the oracle; integers, which add exactly."""
    xs = [np.random.default_rng(r).integers(-99, 99, 4 * p + 1) for r in range(p)]
    outcome = world.run(f"{TARGETS}:beside_mpi", p, xs)
    assert not outcome.findings
    assert all(y.all() for y in outcome.results)


def test_what_was_dropped_comes_back():
    """Rank 0's 3 loses against rank 1's 9, so rank 0 has it again, and it is sent in the next call."""
    seen = world.run(f"{TARGETS}:kept", 2, [np.array([0.0, 0.0, 0.0, 3.0]), np.array([0.0, 0.0, 9.0, 0.0])]).results
    assert seen == [([0.0, 0.0, 0.0, 3.0], [0.0] * 4, False), ([0.0] * 4, [0.0] * 4, False)]


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


@pytest.mark.parametrize("bad", [0, 2])
def test_bad_call_on_one_rank_is_one_sentence_on_all(bad):
    """And what waits is as it was."""
    outcome = world.run(f"{TARGETS}:refusal", 4, [None] * 4, call=functools.partial(called, bad=bad))
    assert not outcome.findings
    texts = [bytes(y).decode() for y in outcome.results]
    assert texts[bad] == "x has 4 entries: this Allreduce was made for 5"
    assert all(t.startswith(f"rank {bad}'s arguments are refused") for r, t in enumerate(texts) if r != bad)


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


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    code = "import sys, sparring.impl.spardl; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
