"""The ring with selection on simulated and real ranks, against a few lines of numpy."""

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
from sparring.impl import ring_topk
from sparring.proofs.core.iterations import Case, iterate, vectors
from sparring.sparse import Sparse
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("topk_targets.py")
TARGET = "sparring.impl.ring_topk:Allreduce"
PAGE = sparring.page("ring_topk")
DTYPES = ("float32", "float64", "int32", "int64")
WHOLE = "it must be a whole number, 0 or more"
MADE = {
    "negative k": f"k = -1: {WHOLE}",
    "half a k": f"k = 1.5: {WHOLE}",
    "negative n": f"n = -1: {WHOLE}",
}
DIFFERENT = {
    "another n": "rank 2 has n=6 and k=2, rank 0 n=5 and k=2: all ranks need one n and k",
    "another k": "rank 2 has n=5 and k=3, rank 0 n=5 and k=2: all ranks need one n and k",
}
CALLED = {
    "wrong length": "x has 4 entries: this Allreduce was made for 5",
    "list": "x is a list: it must be a numpy array",
    "matrix": "x has 2 dimensions: it must have 1",
    "gaps": "x has gaps between its entries",
    "half precision": "x has dtype float16: it must be float32",
    "NaN": "x[1] is NaN, which has no magnitude; with allow_nan NaN is sent first",
}


def reference(xs, k):
    """Results by call, and residuals after each, with nothing but dense vectors and a stable sort."""
    p, n = len(xs), xs[0].shape[1]
    left, k = np.zeros((p, n), xs[0].dtype), min(k, n)
    for given_now in zip(*xs):
        result: dict[int, object] = {}
        with np.errstate(all="ignore"):
            left += np.stack(given_now)
            for c in range(p):
                lo, hi, kept = c * n // p, (c + 1) * n // p, (c + 1) * k // p - c * k // p
                sent: dict[int, object] = {}
                for r in [(c + i) % p for i in range(p)]:
                    for i, v in sent.items():
                        left[r, i] = v + left[r, i]
                    order = sorted(range(lo, hi), key=lambda i: place(left[r, i], i))[:kept]
                    sent = {i: left[r, i] for i in order}
                    left[r, order] = 0
                result |= sent
        at = sorted(result)
        yield Sparse(np.array(at, np.int64), np.array([result[i] for i in at], left.dtype), n), left.copy()


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


def simulated(xs, k, buffers="synchronous"):
    """What every rank has after each call, without a finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities that cancel
        outcome = world.run(TARGET, len(xs), xs, buffers=buffers, call=functools.partial(iterate, k=k))
    assert not outcome.findings
    assert outcome.deterministic
    return outcome.results


@pytest.mark.parametrize("p", range(1, 20))
def test_arithmetic(p):
    """The parts of k are k together, none is larger than k / p rounded up, and none is negative."""
    for k in range(40):
        parts = [ring_topk.part(c, k, p) for c in range(p)]
        assert sum(parts) == k
        assert {*parts} <= {k // p, -(-k // p)}


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8]))
def test_simulated(p, buffers):
    """Bit for bit the reference for every dtype, n < p, n = 0, k < p, k = 0 and k > n included."""
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


@pytest.mark.parametrize(("k", "n"), [(8, 7), (20, 7), (7, 7)])
def test_more_than_n_is_n(k, n):
    """Then all entries are sent: the dense sum, and no residual; with 8 of 7 on 5 ranks a part of 8 would not do."""
    xs = [np.arange(n, dtype=np.float64)[None] * (r + 1) for r in range(5)]
    for calls in simulated(xs, k):
        assert calls[0].result.dense().tolist() == (15 * np.arange(n)).tolist()
        assert not calls[0].residual.any()


def test_of_equal_entries_the_lower_index_is_sent():
    """Also where signs differ."""
    (calls,) = simulated([np.array([[1.0, -2.0, 2.0, -2.0, 1.0]])], 2)
    assert (calls[0].result.indices.tolist(), calls[0].residual.tolist()) == ([1, 2], [1, 0, 0, -2, 1])


def test_the_residual_cannot_be_written_to():
    """It is None before the first call, then a view that follows the calls."""
    assert world.run(f"{TARGETS}:look", 1).results == [(None, [1.0, 0.0, 2.0], [1.0, 0.0, 0.0], False)]


def test_nan_is_sent_first():
    """Where it is allowed, it leaves the residual."""
    (calls,) = simulated([np.array([[1.0, np.nan, 9.0]])], 1)
    assert (calls[0].result.indices.tolist(), calls[0].residual.tolist()) == ([1], [1.0, 0.0, 9.0])


@pytest.mark.parametrize("k", [0, 3, 99])
def test_one_call_is_a_function(k):
    """``allreduce`` does what a new Allreduce does first."""
    xs = [np.random.default_rng(r).standard_normal((1, 20)) for r in range(3)]
    ys = world.run(f"{TARGETS}:once", 3, [x[0] for x in xs], call=functools.partial(called, k=k)).results
    want = simulated(xs, k)[0][0].result.dense()
    assert all(y.tobytes() == want.tobytes() for y in ys)


def test_two_at_a_time_keep_apart():
    """Each instance has its own residual, on one communicator."""
    assert world.run(f"{TARGETS}:two", 1).results == [([1.0, 0.0], [2.0, 0.0])]


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 5))
def test_real_ranks(group, p):
    """The same on real ranks, within ten seconds each."""
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


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def heard(function, **params):
    """The errors' texts by rank, on four ranks; nobody waits."""
    outcome = world.run(f"{TARGETS}:{function}", 4, [None] * 4, call=functools.partial(called, **params))
    assert not outcome.findings
    return [bytes(y).decode() for y in outcome.results]


@pytest.mark.parametrize("what", MADE)
def test_bad_when_made_on_one_rank_is_one_sentence_on_all(what):
    """Its own rank says what is wrong, the others say whose it was."""
    texts = heard("refused_when_made", what=what, bad=2)
    assert texts[2] == MADE[what]
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


@pytest.mark.parametrize("what", DIFFERENT)
def test_ranks_that_differ_hear_it_alike(what):
    """The same sentence on every rank."""
    assert heard("refused_when_made", what=what, bad=2) == [DIFFERENT[what]] * 4


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("what", CALLED)
def test_bad_call_on_one_rank_is_one_sentence_on_all(what, before):
    """And the residuals are as they were, whether the first call or a later one is bad."""
    texts = heard("refused_when_called", what=what, bad=2, before=before)
    assert texts[2].startswith(CALLED[what])
    assert all(t.startswith("rank 2's arguments are refused") for r, t in enumerate(texts) if r != 2)


def test_dtypes_that_differ():
    """In the first call between ranks, later from the call before."""
    first = heard("refused_when_called", what="another dtype", bad=2, before=0)
    assert (
        first
        == ["rank 2 has float32 and 5 entries, rank 0 float64 and 5 entries: all ranks need one dtype and length"] * 4
    )
    later = heard("refused_when_called", what="another dtype", bad=2, before=1)
    assert later[2] == "x has dtype float32, the residual float64: all calls need one dtype"


@pytest.mark.mpi
@pytest.mark.parametrize("what", [*CALLED, "another dtype"])
def test_bad_call_on_real_ranks(group, what):
    """Every rank has its sentence, also under MPI."""
    ys = group.run(f"{TARGETS}:refused_when_called", [np.zeros(1)] * 3, what=what, bad=2, before=1)
    assert all(bytes(y).decode().startswith(("x", "rank 2")) for y in ys)


def test_without_validation_each_rank_checks_its_own():
    """No exchange takes place, and what is wrong on all ranks is refused on all."""
    outcome = world.run(f"{TARGETS}:unvalidated", 2)
    assert outcome.results == [[f"k = -1: {WHOLE}", "x has 4 entries: this Allreduce was made for 3"]] * 2
    assert "Allgather" not in {called.name for called in outcome.collectives}


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.ring_topk; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
