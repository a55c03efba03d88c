"""The recursive doubling of lists gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import Sparse, page, world
from sparring.impl.rabenseifner import number
from sparring.impl.recursive_doubling import beyond, flipped, rounds
from sparring.impl.recursive_doubling_allgather import first, high, low, place
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES

TARGETS = Path(__file__).with_name("recursive_doubling_allgather_targets.py")
TARGET, KEPT = "sparring.impl.recursive_doubling_allgather:allreduce", f"{TARGETS}:kept"
PAGE = page("recursive_doubling_allgather")


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


@pytest.mark.parametrize("p", range(1, 70))
def test_arithmetic(p):
    """A message's lists are neighbours', those of so many numbers, and do not meet the partner's; the last has all."""
    for r in (r for r in range(p) if r >= 2 * beyond(p) or r % 2):
        v, have = number(r, p), {r, r - 1} if r < 2 * beyond(p) else {r}
        assert r in range(first(v, p), first(v + 1, p))
        for i in range(rounds(p)):
            mine, theirs = ({*range(first(low(x, i), p), first(high(x, i), p))} for x in (v, flipped(v, i)))
            assert mine == have and not mine & theirs
            have |= theirs
        assert have == {*range(p)}
        assert sorted(place(q, r, p) for q in range(p)) == [*range(p)]


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
def test_edge_cases(case, dtype):
    """Cancelled sums and zeros stay in the support, zeros are +0.0; what was passed is as it was."""
    p, n, supports = EDGES[case]
    values = [1, -1, -0.0, 2, -2, 0.5]
    xs = [
        Sparse(at, np.array([values[(r + j) % 6] for j in range(len(at))], dtype), n) for r, at in enumerate(supports)
    ]
    outcome = world.run(KEPT, p, xs)

    assert not outcome.findings
    assert same(outcome.results, expected(xs))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_simulated(p, buffers):
    """Bit for bit the dictionaries' sums, without a finding, decided by one schedule."""
    for dtype in DTYPES:
        for n in (1, 3 * p + 1, 200):
            xs = vectors(p, n, dtype)
            outcome = world.run(TARGET, p, xs, buffers=buffers)
            assert not outcome.findings
            assert outcome.deterministic
            assert same(outcome.results, expected(xs))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", range(1, 17))
def test_terms_are_the_page_s(p, buffers):
    """Whatever the values, every rank has the page's bits, on lists of unequal sizes."""
    for n in (0, 1, p + 1, 3 * p):
        ran = refinement.on_terms(PAGE, TARGET, p, n, buffers)
        assert (ran.flaws, ran.outside) == ([], ())


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, p):
    """The same on real ranks; and every list is what MPI's own Allgatherv brings of it."""
    for dtype in DTYPES:
        xs = vectors(p, 100, dtype)
        assert same(group.run(KEPT, xs), expected(xs))
        assert all(told.tolist() == [1] * p for told in group.run(f"{TARGETS}:beside_allgatherv", xs))


@pytest.mark.mpi
@pytest.mark.parametrize("p", [4, 7])
def test_large(group, p):
    """Messages far above the size that MPI sends eagerly, those of the last rounds still under way."""
    xs = vectors(p, 100_000, "float32")
    assert same(group.run(TARGET, xs), expected(xs))


@pytest.mark.parametrize("p", [1, 3, 4, 6])
def test_lists_are_allgatherv_s(p):
    """In the world, whose Allgatherv is written from MPI's standard."""
    for told in world.run(f"{TARGETS}:beside_allgatherv", p, vectors(p, 50, "float64")).results:
        assert told.tolist() == [1] * p


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


@pytest.mark.parametrize(("p", "bad"), [(1, 0), (2, 1), (5, 3)])
def test_bad_input_on_one_rank_is_one_sentence_on_all(p, bad):
    """Its own rank says what is wrong, the others say whose it was; nobody waits."""
    outcome = world.run(f"{TARGETS}:refusal", p, [None] * p, call=functools.partial(called, bad=bad))
    assert not outcome.findings
    texts = [bytes(y).decode() for y in outcome.results]

    assert texts.pop(bad).startswith(f"rank {bad}: indices not strictly ascending: indices[1]=1 follows 2")
    assert all(text.startswith(f"rank {bad}'s arguments are refused") for text in texts)


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 5, "synchronous").flaws == []


@pytest.mark.parametrize(("fault", "p"), [("own_first", 3), ("neighbour_forgotten", 3), ("a_number_short", 2)])
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p):
    """Fewer ranks cannot show it: where none folds, or nothing is exchanged."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert all(refinement.on_terms(PAGE, target, fewer, n, "synchronous").flaws == [] for n in range(1, 40, 3))

    assert any(refinement.on_terms(PAGE, target, p, n, "synchronous").flaws for n in range(1, 40, 3))


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; whoever sends list by list is told the first that is not."""
    options = {"page": "recursive_doubling_allgather", "level": "steps", "max_examples": 10}

    assert sparring.check(TARGET, ranks=[1, 2, 3, 4, 5], **options).verdict == "holds"
    report = sparring.check(f"{TARGETS}:list_by_list", ranks=[4], **options)
    told = {r.property: r.detail for r in report.results if str(r.verdict) == "refuted"}
    assert report.verdict == "refuted"
    assert told.keys() == {"steps", "volume"}
    assert "the page" in told["steps"]


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.recursive_doubling_allgather; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
