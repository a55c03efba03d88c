"""What allgathers of lists have in common: the page's bits, on real and simulated ranks, and refusals."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sparring import Sparse, page, world
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES

TARGETS = Path(__file__).with_name("list_allgather_targets.py")
KEPT = f"{TARGETS}:kept"
pytestmark = pytest.mark.parametrize("name", ["bruck_allgather", "recursive_doubling_allgather"])


def target(name):
    """The implementation of a page."""
    return f"sparring.impl.{name}:allreduce"


def named(name, **params):
    """How the world calls a target of these."""
    return functools.partial(called, name=name, **params)


def called(function, comm, *args, **params):
    return function(comm, *args, **params)


def vectors(p, n, dtype, seed=0):
    """Lists of unequal sizes, some empty, one full; zeros of both signs."""
    rng = np.random.default_rng([seed, p, n])
    xs = []
    for density in rng.permutation(np.linspace(0, 1, p)):
        at = np.flatnonzero(rng.random(n) < density)
        values = np.ldexp(rng.standard_normal(at.size), rng.integers(-20, 20, at.size)).astype(dtype)
        if np.dtype(dtype).kind == "i":
            values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, at.size, dtype, endpoint=True)
        xs.append(Sparse(at, np.where(rng.random(at.size) < 0.2, np.dtype(dtype).type(-0.0), values), n))
    return xs


def expected(xs):
    """Entry by entry, in the order of the ranks; written with dictionaries alone."""
    sums: dict[int, object] = {}
    with np.errstate(all="ignore"):
        for x in xs:
            for i, v in zip(x.indices.tolist(), x.values):
                sums[i] = sums[i] + v if i in sums else v
        values = [sums[i] + xs[0].dtype.type(0) for i in sorted(sums)]
    return Sparse(sorted(sums), np.array(values, xs[0].dtype), xs[0].n)


def same(ys, want):
    """Whether every rank has exactly this support and these bits."""
    told = want.indices.tolist(), want.dtype, want.values.tobytes(), want.n
    return all((y.indices.tolist(), y.dtype, y.values.tobytes(), y.n) == told for y in ys)


EDGES = {
    "one rank": (1, 5, [[1, 3]]),
    "no power of two": (5, 4, [[0], [1], [2], [3], [0, 3]]),
    "no entry at all": (4, 3, [[]] * 4),
    "no entry on some ranks": (3, 3, [[], [0, 2], []]),
    "n = 0": (3, 0, [[]] * 3),
    "fewer entries than ranks": (6, 2, [[0], [1], [0, 1], [], [0], [1]]),
    "unequal numbers of entries": (4, 9, [[8], [*range(9)], [], [0, 4]]),
    "the same support on all": (3, 4, [[1, 2]] * 3),
    "supports apart": (3, 6, [[0, 1], [2, 3], [4, 5]]),
    "indices of 8 bytes": (3, 1 << 60, [[1 << 59], [0, (1 << 60) - 1], []]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", EDGES)
def test_edge_cases(name, case, dtype):
    """Cancelled sums and zeros stay in the support, zeros are +0.0; what was passed is as it was."""
    p, n, supports = EDGES[case]
    values = [1, -1, -0.0, 2, -2, 0.5]
    xs = [
        Sparse(at, np.array([values[(r + j) % 6] for j in range(len(at))], dtype), n) for r, at in enumerate(supports)
    ]
    outcome = world.run(KEPT, p, xs, call=named(name))

    assert not outcome.findings
    assert same(outcome.results, expected(xs))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_simulated(name, p, buffers):
    """Bit for bit the dictionaries' sums, without a finding, decided by one schedule."""
    for dtype in DTYPES:
        for n in (1, 3 * p + 1, 200):
            xs = vectors(p, n, dtype)
            outcome = world.run(target(name), p, xs, buffers=buffers)
            assert not outcome.findings
            assert outcome.deterministic
            assert same(outcome.results, expected(xs))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", range(1, 17))
def test_terms_are_the_page_s(name, p, buffers):
    """Whatever the values, every rank has the page's bits, on lists of unequal sizes."""
    for n in (0, 1, p + 1, 3 * p):
        ran = refinement.on_terms(page(name), target(name), p, n, buffers)
        assert (ran.flaws, ran.outside) == ([], ())


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, name, p):
    """The same on real ranks; and every list is what MPI's own Allgatherv brings of it."""
    for dtype in DTYPES:
        xs = vectors(p, 100, dtype)
        assert same(group.run(KEPT, xs, name=name), expected(xs))
        assert all(told.tolist() == [1] * p for told in group.run(f"{TARGETS}:beside_allgatherv", xs, name=name))


@pytest.mark.mpi
@pytest.mark.parametrize("p", [4, 7])
def test_large(group, name, p):
    """Messages far above the size that MPI sends eagerly, those of the last rounds still under way."""
    xs = vectors(p, 100_000, "float32")
    assert same(group.run(target(name), xs), expected(xs))


@pytest.mark.parametrize("p", [1, 3, 4, 6])
def test_lists_are_allgatherv_s(name, p):
    """In the world, whose Allgatherv is written from MPI's standard."""
    xs = vectors(p, 50, "float64")
    for told in world.run(f"{TARGETS}:beside_allgatherv", p, xs, call=named(name)).results:
        assert told.tolist() == [1] * p


@pytest.mark.parametrize("k", [0, 3, 99])
def test_selection_within(name, k):
    """With k, dense vectors are reduced to their k largest entries first; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    kept = [np.where(np.argsort(np.argsort(-np.abs(x))) < k, x, 0.0) for x in xs]

    ys = world.run(f"{TARGETS}:largest", 3, xs, call=named(name, k=k)).results

    assert all(y.tobytes() == (((0.0 + kept[0]) + kept[1]) + kept[2]).tobytes() for y in ys)


@pytest.mark.parametrize(("p", "bad"), [(1, 0), (2, 1), (5, 3)])
def test_bad_input_on_one_rank_is_one_sentence_on_all(name, p, bad):
    """Its own rank says what is wrong, the others say whose it was; nobody waits."""
    outcome = world.run(f"{TARGETS}:refusal", p, [None] * p, call=named(name, bad=bad))
    assert not outcome.findings
    texts = [bytes(y).decode() for y in outcome.results]

    assert texts.pop(bad).startswith(f"rank {bad}: indices not strictly ascending: indices[1]=1 follows 2")
    assert all(text.startswith(f"rank {bad}'s arguments are refused") for text in texts)


def test_importing_starts_no_mpi(name):
    """The arithmetic can be read without an MPI library."""
    code = f"import sys, sparring.impl.{name}; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
