"""Implementations beside what we did not derive from their pages: numpy's sums and sorts, MPI's own operations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring import Sparse, world
from sparring.impl import rabenseifner
from sparring.impl.core import lists
from sparring.proofs.core import refinement
from sparring.proofs.core.iterations import iterate, vectors
from tests.impl.algorithms import ALLGATHERS, DENSE, PAGES, RANKS, SELECTING, SPARSE, TARGETS, called, simulated
from tests.impl.references import DTYPES, EDGES, SELECTIONS, sparse_vectors, summed
from tests.sweeps import sweep

LOSSLESS = (*ALLGATHERS, *SPARSE)


def bits(y):
    """What two results must have in common; any NaN is as good as any."""
    values = np.where(np.isnan(y), np.nan, y) if y.dtype.kind == "f" else y
    return values.dtype, values.tobytes()


def dense(y):
    """All entries of a result, or of what it should be."""
    return y.dense() if isinstance(y, Sparse) else y


def right(name, xs, ys, **params):
    """Whether all ranks have the reference's bits; of lists also its support, of the others the page's."""
    wanted = summed(name, xs, **params)
    if name in ALLGATHERS:
        return all(y.indices.tolist() == wanted.indices.tolist() and y.n == wanted.n
                   and bits(y.values) == bits(wanted.values) for y in ys)  # fmt: skip
    unlike = refinement.compared(PAGES[name], xs, ys, "result") if name in SPARSE else []
    return not unlike and all(bits(dense(y)) == bits(wanted) for y in ys)


@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8]))
@pytest.mark.parametrize("name", [*DENSE, *LOSSLESS])
def test_sums(name, p):
    """Bit for bit in the declared order for every dtype, empty and full supports, n < p and n = 0."""
    for dtype, n in itertools.product(DTYPES, (0, 1, p, 3 * p + 1, 70 * p)):
        if name in DENSE:
            xs = refinement.vectors(dtype, p, n)
            assert right(name, xs, simulated(f"{RANKS}:three_ways", xs, name=name))
        else:
            density = (0, 0.3, 0.9, 1)[(n + p) % 4]
            xs = sparse_vectors(p, n, dtype, density)
            assert right(name, xs, simulated(f"{RANKS}:kept", xs, name=name)), (n, dtype, density)


@given(st.sampled_from(LOSSLESS), st.integers(1, 6), st.integers(0, 400), st.sampled_from(DTYPES), st.floats(0, 1))
@settings(deadline=None, max_examples=60)
def test_any_supports(name, p, n, dtype, density):
    """Subnormals, signed zeros, infinities and cancellations go either way as in dense vectors."""
    xs = sparse_vectors(p, n, dtype, density)
    assert right(name, xs, simulated(TARGETS[name], xs))


@pytest.mark.parametrize("xs", EDGES)
@pytest.mark.parametrize("name", LOSSLESS)
def test_edge_cases(name, xs):
    """What published codes leave open or fail on; cancelled sums and explicit zeros stay in the support."""
    outcome = world.run(TARGETS[name], len(xs), xs)
    if name == "dsar_split_allgather" and xs[0].n > 1 << 40:  # its sum has all entries
        assert {"Unable to allocate" in finding.text for finding in outcome.findings} == {True}
    elif xs[0].n > 1 << 40:  # and a dense vector would have them
        assert not outcome.findings
        assert {y.indices.tobytes() for y in outcome.results} == {np.array([r << 40 for r in range(3)]).tobytes()}
        assert all(y.values.tolist() == [1.0] * 3 for y in outcome.results)
    else:
        assert not outcome.findings
        assert right(name, xs, outcome.results)


@given(st.integers(1, 6), st.integers(0, 400), st.sampled_from(DTYPES), st.floats(0, 1))
@settings(deadline=None)
def test_both_ways_of_adding_lists_are_one(p, n, dtype, density):
    """By way of a dense vector or of the lists alone: the same support, the same bits."""
    xs = sparse_vectors(p, n, dtype, density)
    entries = [(x.indices, x.values) for x in xs]
    with np.errstate(all="ignore"):
        (a, u), (b, v) = lists.densely(entries, xs[0]), lists.sparsely(entries, xs[0])
    assert a.tolist() == b.tolist()
    assert bits(u) == bits(v)


@pytest.mark.parametrize("p", [1, 3, 4, 6])
@pytest.mark.parametrize("name", ALLGATHERS[1:])
def test_lists_are_allgatherv_s(name, p):
    """In the world, whose Allgatherv is written from MPI's standard."""
    xs = sparse_vectors(p, 50, "float64", 0.3)
    assert [y.tolist() for y in simulated(f"{RANKS}:beside_allgatherv", xs, name=name)] == [[1] * p] * p


@pytest.mark.parametrize("k", [0, 3, 99])
@pytest.mark.parametrize("name", LOSSLESS)
def test_selection_within(name, k):
    """With k, dense vectors are reduced to their k largest entries first, by numpy's sort; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    at = [np.sort(np.argsort(-np.abs(x))[:k]) for x in xs]
    wanted = summed(name, [Sparse(some, x[some], 20) for some, x in zip(at, xs)])
    ys = simulated(f"{RANKS}:once", xs, name=name, k=k)
    assert all(bits(y) == bits(dense(wanted)) for y in ys)


@pytest.mark.parametrize("radix", [2, 3, 8, 2**31 - 1])
def test_recursive_multiplying_of_any_radix(radix):
    """In lots of that many; digits that no rank has are not gone through: two thousand millions would take minutes."""
    for p in (2, 3, 5, 9, 10):
        xs = refinement.vectors("float32", p, 5)
        ys = simulated(f"{RANKS}:three_ways", xs, name="recursive_multiplying", radix=radix)
        assert right("recursive_multiplying", xs, ys, radix=radix)


def test_rabenseifner_takes_no_memory_but_the_result_s(monkeypatch):
    """Where the result is an array of its own, and p a power of two, allocates nothing else."""
    made = []
    monkeypatch.setattr(rabenseifner.np, "empty_like", lambda x: made.append(x.size) or np.empty(x.size, x.dtype))
    world.run(lambda comm, x, y: rabenseifner.allreduce(comm, x, out=y), 4, [np.ones(8)] * 4, [np.ones(8)] * 4)
    assert made == []


def chosen(name, xs, k, ran):
    """Whether every rank has the reference's bits after every call."""
    return all(
        done.result.indices.tolist() == at
        and (bits(done.result.values), bits(done.residual)) == (bits(values), bits(left[r]))
        for i, (at, values, left) in enumerate(SELECTIONS[name](xs, k)) for r, done in enumerate(c[i] for c in ran)
    )  # fmt: skip


@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 6, 8, 9]))
@pytest.mark.parametrize("name", SELECTING)
@np.errstate(all="ignore")
def test_selections(name, p):
    """Bit for bit, results and residuals, for every dtype, n < p, n = 0, k < p, k = 0 and k > n, ties and NaN."""
    cases = [(n, k) for n in (0, 1, p - 1, p, 3 * p + 1, 40) for k in (0, 1, p - 1, n // 2, n, 2 * n + 3)]
    for (n, k), dtype in zip(cases[p % 2 :: 2], itertools.cycle(DTYPES)):
        xs = vectors(dtype, p, n)
        assert chosen(name, xs, k, simulated(TARGETS[name], xs, call=iterate, k=k)), (n, k, dtype)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", [*DENSE, *SELECTING])
def test_where_all_is_kept_it_is_mpi_s_sum(name, p):
    """MPI's own Allreduce is the oracle; integers, which add exactly modulo their width."""
    params = {"k": 4 * p + 9} if name in SELECTING else {}
    for dtype, most in itertools.product(("int32", "int64"), (99, np.iinfo(np.int32).max)):
        xs = [np.random.default_rng(r).integers(-most, most, 4 * p + 1, dtype) for r in range(p)]
        ys = simulated(f"{RANKS}:beside_mpi", xs, name=name, **params)
        assert all(y.all() for y in ys)


@st.composite
def inputs(draw):
    """One vector a rank, any floats but NaN."""
    p, n = draw(st.integers(1, 8)), draw(st.integers(0, 30))
    dtype, width = draw(st.sampled_from([("float32", 32), ("float64", 64)]))
    return [draw(hnp.arrays(dtype, n, elements=st.floats(width=width, allow_nan=False))) for _ in range(p)]


@given(st.sampled_from(DENSE), inputs())
@settings(max_examples=60, deadline=None)
def test_any_floats(name, xs):
    """Infinities, subnormals and cancellation give the bits of the reference order."""
    assert right(name, xs, simulated(TARGETS[name], xs))


COMMON = {
    "a rank's vector is dropped": lambda r, v: v * (r != 1),
    "a rank has twice its vector": lambda r, v: v * (1 + (r == 1)),
    "the last entry is lost": lambda _, v: v * (np.arange(v.shape[-1]) < v.shape[-1] - 1),
    "entries come in the other order": lambda _, v: v[..., ::-1],
    "ranks have each other's vectors": None,
}
"""What goes wrong with any algorithm, planted in what it is given: of a rank's vectors, or in the order of ranks."""


def misled(function, comm, x, *, change, **params):
    """How a target is called with another vector."""
    values = x.values if isinstance(x, Sparse) else x
    changed = np.ascontiguousarray(change(comm.Get_rank(), values).astype(x.dtype)) if change else values
    given_now = Sparse(x.indices, changed, x.n) if isinstance(x, Sparse) else changed
    return (iterate if params else called)(function, comm, given_now, **params)


@pytest.mark.parametrize("name", [*DENSE, *LOSSLESS, *SELECTING])
def test_what_goes_wrong_is_seen(name):
    """By the references, of every algorithm; without a fault they see nothing."""
    rng, p, n = np.random.default_rng(5), 5, 40
    xs = [rng.standard_normal((3, n)) for _ in range(p)]
    if name in LOSSLESS:
        xs = [Sparse(range(n), x[0], n) for x in xs]
    elif name in DENSE:
        xs = [x[0] for x in xs]

    def holds(fault):
        params = {"change": COMMON.get(fault), **({"k": 7} if name in SELECTING else {})}
        ran = simulated(TARGETS[name], xs[::-1] if fault in COMMON and not COMMON[fault] else xs, call=misled, **params)
        return chosen(name, xs, 7, ran) if name in SELECTING else right(name, xs, ran)

    assert [fault for fault in (None, *COMMON) if holds(fault)] == [None]
