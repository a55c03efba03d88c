from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import Sparse, world
from sparring.errors import InputError
from sparring.impl import ring_allgather
from sparring.impl.core import lists

TARGETS = Path(__file__).with_name("allgather_targets.py")
TARGET = "sparring.impl.ring_allgather:allreduce"
DTYPES = ("float32", "float64", "int32", "int64")
BAD = {
    "unsorted": "indices not strictly ascending: indices[1]=1 follows 2",
    "duplicate": "indices not strictly ascending: indices[1]=1 follows 1",
    "out of range": "index out of range: indices[1]=5, but n=5",
    "below zero": "index out of range: indices[0]=-1, but n=5",
    "more values than indices": "1 indices and 2 values: there must be one value for each index",
    "no array": "indices make no array",
    "n beyond all": "n = 1180591620717411303424: it must be a whole number, 0 or more, below 2**63",
    "k a word": "k = 'all': it must be a whole number, 0 or more",
    "k a fraction": "k = 2.5: it must be a whole number, 0 or more",
    "not even an array": "x is a NoneType: it must be a numpy array",
    "negative k": "k = -1: it must be 0 or more",
    "NaN": "x[1] is NaN, which has no magnitude",
    "dense": "x is a ndarray: it must be a sparring.Sparse, or a vector together with k",
}
DIFFERENT = {
    "another n": "rank 2 has float64 and 6 entries, rank 0 float64 and 5",
    "another dtype": "rank 2 has float32 and 5 entries, rank 0 float64 and 5",
}


def vectors(p, n, dtype, seed=0):
    """Lists of unequal sizes, some empty, one full; zeros of both signs, integers that overflow when added."""
    rng = np.random.default_rng([seed, p, n])
    xs = []
    for density in rng.permutation(np.linspace(0, 1, p)):
        at = np.flatnonzero(rng.random(n) < density)
        values = np.ldexp(rng.standard_normal(at.size), rng.integers(-20, 20, at.size))
        if np.dtype(dtype).kind == "i":
            values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, at.size, dtype, endpoint=True)
        zeros = rng.choice([0.0, -0.0], at.size).astype(dtype)
        xs.append(Sparse(at, np.where(rng.random(at.size) < 0.2, zeros, values).astype(dtype), n))
    return xs


def expected(xs):
    """Entry by entry, in the order of the ranks; written with dictionaries alone."""
    sums: dict[int, object] = {}
    with np.errstate(all="ignore"):
        for x in xs:
            for i, v in zip(x.indices.tolist(), x.values):
                sums[i] = sums[i] + v if i in sums else v
    at = sorted(sums)
    zero = xs[0].dtype.type(0)
    with np.errstate(all="ignore"):
        return Sparse(at, np.array([sums[i] + zero for i in at], xs[0].dtype), xs[0].n)


def same(ys, want):
    """Whether every rank has exactly this support and these bits."""
    return all(
        y.indices.tolist() == want.indices.tolist()
        and (y.dtype, y.values.tobytes(), y.n) == (want.dtype, want.values.tobytes(), want.n)
        for y in ys
    )


@pytest.mark.parametrize("p", range(1, 20))
def test_arithmetic(p):
    """Neighbours undo each other, each list is passed on as it came, and after p - 1 hops all have been there."""
    for r in range(p):
        assert ring_allgather.left(ring_allgather.right(r, p), p) == r
        assert ring_allgather.whose(r, 0, p) == r
        came = [ring_allgather.whose(ring_allgather.left(r, p), i, p) for i in range(p - 1)]
        assert [ring_allgather.whose(r, i + 1, p) for i in range(p - 1)] == came
        assert sorted([r, *came]) == list(range(p))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_simulated(p, buffers):
    """Bit for bit the dictionaries' sums for every dtype, n < p and n = 0 included, without a finding."""
    for dtype in DTYPES:
        for n in (0, 1, p, 3 * p + 1, 200):
            xs = vectors(p, n, dtype)
            outcome = world.run(TARGET, p, xs, buffers=buffers)
            assert not outcome.findings
            assert outcome.deterministic
            assert same(outcome.results, expected(xs))


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks."""
    for dtype in DTYPES:
        xs = vectors(p, 100, dtype)
        assert same(group.run(TARGET, xs), expected(xs))


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly."""
    xs = vectors(4, 100_000, "float32")
    assert same(group.run(TARGET, xs), expected(xs))


@given(st.integers(1, 6), st.integers(0, 400), st.sampled_from(DTYPES), st.integers(0, 99))
@settings(deadline=None)
def test_both_ways_of_adding_are_one(p, n, dtype, seed):
    """By way of a dense vector or of the lists alone: the same support, the same bits."""
    xs = vectors(p, n, dtype, seed)
    entries = [(x.indices, x.values) for x in xs]
    with np.errstate(all="ignore"):
        (a, u), (b, v) = lists.densely(entries, xs[0]), lists.sparsely(entries, xs[0])
    assert a.tolist() == b.tolist()
    assert u.tobytes() == v.tobytes()


def test_a_length_that_no_memory_holds():
    """Time and memory go with the entries, not with n; indices beyond 4 bytes arrive."""
    n = 1 << 60
    xs = [Sparse([r, n // 2, n - 1 - r], [1.0, 0.5, 2.0], n) for r in range(3)]
    assert same(world.run(TARGET, 3, xs).results, expected(xs))


@pytest.mark.parametrize(("p", "dtype"), [(2, "float64"), (3, "int32"), (5, "int64")])
def test_where_order_is_no_matter_it_is_the_dense_ring(p, dtype):
    """Two floats, or integers: bit for bit the dense ring on vectors that are -0.0 where nothing is."""
    xs = vectors(p, 50, dtype)
    dense = [np.full(50, -0.0).astype(dtype) for _ in xs]
    for d, x in zip(dense, xs):
        d[x.indices] = x.values

    ours, theirs = world.run(TARGET, p, xs), world.run("sparring.impl.ring:allreduce", p, dense)

    assert [y.dense().tobytes() for y in ours.results] == [y.tobytes() for y in theirs.results]


@pytest.mark.parametrize("k", [0, 3, 99])
def test_selection_within(k):
    """With k, dense vectors are reduced to their k largest entries first; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    kept = [np.where(np.argsort(np.argsort(-np.abs(x))) < k, x, 0.0) for x in xs]

    ys = world.run(f"{TARGETS}:largest", 3, xs, call=functools.partial(called, k=k)).results

    assert all(y.tobytes() == (((0.0 + kept[0]) + kept[1]) + kept[2]).tobytes() for y in ys)


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def heard(ys):
    """The errors' texts by rank."""
    return [bytes(y).decode() for y in ys]


def simulated_refusal(p, what, bad):
    """What every rank hears in the world, where nobody waits."""
    outcome = world.run(f"{TARGETS}:refusal", p, [None] * p, call=functools.partial(called, what=what, bad=bad))
    assert not outcome.findings
    return heard(outcome.results)


def refused(texts, what, bad):
    """Whether rank ``bad`` says what is wrong, in one sentence, and the others whose arguments are."""
    others = [t for r, t in enumerate(texts) if r != bad]
    alike = all(t == f"rank {bad}'s arguments are refused, as its own error says; nothing was computed" for t in others)
    return alike and texts[bad].startswith(f"rank {bad}: {BAD[what]}") and "\n" not in texts[bad]


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize(("p", "bad"), [(1, 0), (2, 0), (2, 1), (4, 2)])
def test_bad_input_on_one_rank_is_one_sentence_on_all(what, p, bad):
    """Its own rank says what is wrong, the others say whose it was; nobody waits."""
    assert refused(simulated_refusal(p, what, bad), what, bad)


@pytest.mark.parametrize("what", DIFFERENT)
@pytest.mark.parametrize(("p", "bad"), [(2, 1), (4, 2)])
def test_ranks_that_differ_hear_it_alike(what, p, bad):
    """The same sentence on every rank."""
    texts = simulated_refusal(p, what, bad)

    assert len(set(texts)) == 1
    assert texts[0].startswith(DIFFERENT[what].replace("rank 2", f"rank {bad}"))


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 2, 4])
def test_bad_input_on_real_ranks(group, p):
    """Every rank has its sentence also under MPI, each within seconds; a right call follows on the same ranks."""
    bad = p // 2
    for what in BAD:
        texts = heard(group.run(f"{TARGETS}:refusal", [np.zeros(1)] * p, what=what, bad=bad, timeout=5.0))
        assert refused(texts, what, bad), what
    for what in DIFFERENT if p > 1 else ():
        texts = heard(group.run(f"{TARGETS}:refusal", [np.zeros(1)] * p, what=what, bad=bad, timeout=5.0))
        assert set(texts) == {texts[0]}
        assert texts[0].startswith(DIFFERENT[what].replace("rank 2", f"rank {bad}"))
    assert same(group.run(TARGET, vectors(p, 9, "float64")), expected(vectors(p, 9, "float64")))


@pytest.mark.mpi
def test_two_ranks_that_refuse(group):
    """Each says its own, the third names the first of them."""
    texts = heard(group.run(f"{TARGETS}:refusal", [np.zeros(1)] * 3, what="unsorted", bad=[1, 2], timeout=5.0))

    assert [t.split(":")[0].split(" has")[0] for t in texts[1:]] == ["rank 1", "rank 2"]
    assert texts[0].startswith("rank 1's arguments are refused")


def test_what_is_no_triple_is_refused():
    """A tuple of two, for instance."""
    with pytest.raises(InputError, match="x is a tuple"):
        lists.taken(([1], [2]), None, allow_nan=True)


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.ring_allgather; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
