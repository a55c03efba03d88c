"""Sparse vectors of the pages, how they are encoded, and runs of pages whose chunks are lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import InputError, Sparse, page, run
from sparring.spec import ring_sparse
from sparring.spec.core.loading import load
from sparring.spec.core.schedule import truth
from sparring.spec.core.sparse import NOTHING, SparseVector, taken

PAGE, SPARSE = page("ring_allgather"), page("ring_sparse")
vectors = st.dictionaries(st.integers(0, 9), st.integers(-5, 5)).map(
    lambda d: SparseVector(tuple(sorted(d)), tuple(d[i] for i in sorted(d)), 10)
)


def as_dict(x):
    return dict(zip(x.indices, x.values))


@given(vectors, vectors, vectors)
def test_addition_is_that_of_vectors_on_the_union(a, b, c):
    """Commutative and associative on integers; cancelled sums and zeros stay."""
    assert as_dict(a + b) == {i: as_dict(a).get(i, 0) + as_dict(b).get(i, 0) for i in {*a.indices, *b.indices}}
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@pytest.mark.parametrize("name", ["ring_allgather", "ring_sparse"])
def test_zeros(name):
    """-0.0 is the identity while sums are formed and shows in no result; dtypes stay."""
    x = Sparse([0, 1, 2], np.array([-0.0, 1.0, -0.0], np.float32), 400)
    y = Sparse([1, 2], np.array([-1.0, -0.0], np.float32), 400)
    (result, _) = run(name, [x, y]).results
    assert result.values.tobytes() == np.zeros(3, np.float32).tobytes()
    assert result.indices.tolist() == [0, 1, 2]
    assert taken(x).values[1].dtype == np.float32
    for v in (np.float32(-0.0), np.float64(5e-324), np.int32(3), -0.0):
        for got in (v + NOTHING, NOTHING + v):
            assert (type(got), str(got)) == (type(v), str(v))


@pytest.mark.parametrize(
    ("name", "xs", "why"),
    [
        ("ring_allgather", [], "no ranks"),
        ("ring_allgather", [[1.0], [2.0]], "rank 0 has a list: ring_allgather takes sparring.Sparse"),
        ("ring_allgather", [Sparse([], [], 3), Sparse([], [], 4)], "rank 1 has n=4, rank 0 has n=3"),
        ("ring_sparse", [Sparse([], [], 2), Sparse([], [], 3)], "rank 1 has n=3, rank 0 has n=2"),
        ("ring_allgather", [SparseVector((2, 1), (0, 0), 3)], r"indices\[1\]=1 must be above 2 and below n=3"),
        ("ring_allgather", [SparseVector((3,), (0,), 3)], r"indices\[0\]=3 must be above -1 and below n=3"),
        ("ring_allgather", [SparseVector((1,), (), 3)], "1 indices and 0 values"),
    ],
)
def test_bad_lists_are_refused(name, xs, why):
    with pytest.raises(InputError, match=why):
        run(name, xs)


def test_a_page_says_what_its_chunks_are():
    """Lists make an allreduce of an allgather; unknown data are refused."""
    assert (PAGE.kind, PAGE.data, PAGE.collective) == ("allgather", "lists", "allreduce")
    assert (page("ring").data, page("ring").collective) == ("vector", "allreduce")
    assert replace(PAGE, data="vector").collective == "allgather"
    module = type(PAGE.module)("wrong")
    module.data = "heaps"  # type: ignore[attr-defined]  # a page is any module
    with pytest.raises(InputError, match="page wrong: no data 'heaps'; there are vector, lists"):
        load(module)


@given(st.integers(1, 5), st.integers(0, 200), st.sampled_from([0.0, 0.1, 0.6, 0.97, 1.0]), st.integers(0, 99))
def test_the_support_depends_on_the_union_alone(p, n, density, seed):
    """A chunk ends full exactly if its part of the union makes dense the cheapest encoding; then it is sent whole."""
    rng, xs = np.random.default_rng(seed), []
    for _ in range(p):
        at = np.flatnonzero(rng.random(n) < density)
        xs.append(Sparse(at, rng.integers(-9, 9, at.size), n))
    union, wanted, ran = set().union(*(x.indices.tolist() for x in xs)), set[int](), run(SPARSE, xs)
    for c in range(p):
        chunk = {*range(c * n // p, (c + 1) * n // p)}
        here = union & chunk
        wanted |= chunk if truth(ring_sparse.full(len(here), len(chunk), 8)) else here
    assert [{*y.indices.tolist()} for y in ran.results] == [wanted] * p
    for _, _, x in (m for wire in ran.trace for m in wire):
        size = SPARSE.octets(len(x.indices), x.n, 8)
        assert (len(x.indices) == x.n) == (size == ring_sparse.HEADER + 8 * x.n)


@pytest.mark.parametrize(
    ("m", "size", "w", "octets"),
    [
        (0, 0, 4, 8), (0, 100, 4, 8), (1, 100, 4, 8 + 4 + 2), (3, 2**16, 4, 8 + 3 * 6),
        (1, 2**16 + 1, 4, 8 + 8),  # pairs: offsets would need a count
        (9, 2**16 + 1, 4, 8 + 9 * 6 + 4), (50, 100, 4, 8 + 200 + 13), (97, 100, 4, 8 + 400),
        (2**31, 2**33, 4, 8 + 2**31 * 4 + 2**30),
    ],
)  # fmt: skip
def test_sizes_by_hand(m, size, w, octets):
    """Each encoding where it is the cheapest."""
    assert SPARSE.octets(m, size, w) == octets
