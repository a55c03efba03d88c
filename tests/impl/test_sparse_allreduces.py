"""What sparse allreduces have in common: the dense one's bits, the page's support, the shortest messages, refusals."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import world
from sparring.proofs.core import refinement
from sparring.spec.core import pages
from sparring.spec.core.runner import run
from tests.impl.sparse_inputs import DTYPES, EDGES, vectors
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("sparse_targets.py")
DENSE = {
    "ring_sparse": "ring", "two_shot_sparse": "two_shot", "ssar_recursive_doubling": "recursive_doubling",
    "dsar_split_allgather": "two_shot",
}  # fmt: skip
"""By sparse algorithm, the dense one that adds in the same order."""
pytestmark = pytest.mark.parametrize("name", DENSE)
SENTENCES = {
    "unsorted": "rank 2: indices not strictly ascending: indices[1]=1 follows 2",
    "duplicate": "rank 2: indices not strictly ascending: indices[1]=1 follows 1",
    "out of range": "rank 2: index out of range: indices[1]=5, but n=5",
    "negative k": "rank 2: k = -1: it must be 0 or more",
    "NaN": "rank 2: x[1] is NaN, which has no magnitude",
    "another n": "rank 2 has float64 and 6 entries, rank 0 float64 and 5",
    "another dtype": "rank 2 has float32 and 5 entries, rank 0 float64 and 5",
}


def impl(name):
    """The implementation of that name."""
    return f"sparring.impl.{name}:allreduce"


def of_the_page(name, xs, ys):
    """Whether every rank has the page's support and bits."""
    return refinement.compared(pages.find(name), xs, ys, "result") == []


def simulated(target, xs, **options):
    """All ranks' results on the simulated world; infinities may cancel."""
    ran = refinement.run(target, xs, "synchronous", "here", "result", **options)
    assert not ran.flaws
    assert not ran.outside  # one schedule decides for all
    return ran.ys


@pytest.mark.parametrize("density", sweep([0, 0.01, 0.3, 0.9, 0.99, 1], few=(0, 0.3, 1)))
@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8]))  # 8 real ranks are below
def test_simulated(name, p, density):
    """Bit for bit the page for every dtype, n < p and n = 0 included, without a finding."""
    for dtype in DTYPES:
        for n in (0, 1, p, 3 * p + 1, 70 * p):
            xs = vectors(p, n, dtype, density)
            assert of_the_page(name, xs, simulated(impl(name), xs))


@given(st.integers(1, 6), st.integers(0, 400), st.sampled_from(DTYPES), st.floats(0, 1), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_sparse_and_dense_routes_agree(name, p, n, dtype, density, seed):
    """Bit for bit the dense one: subnormals, signed zeros, infinities and cancellations."""
    xs = vectors(p, n, dtype, density, seed)
    dense = simulated(impl(DENSE[name]), [x.dense() for x in xs])
    for y, wanted in zip(simulated(impl(name), xs), dense):
        assert refinement.difference(y.dense(), wanted) is None


@pytest.mark.parametrize("density", sweep([0.01, 0.3, 0.9], few=(0.3,)))
def test_bytes_are_the_pages(name, density):
    """What is counted on the wire is the page's formula for each message, exactly."""
    p, n, page = 4, 4 * 70_000, pages.find(name)
    xs = vectors(p, n, "float32", density)
    with warnings.catch_warnings(action="ignore"):
        outcome = world.run(impl(name), p, xs)
        trace = run(page, xs).trace
    wanted = [(m.src, m.dst, page.octets(len(m.entries.indices), m.entries.n, 4)) for wire in trace for m in wire]
    assert sorted((m.src, m.dst, m.nbytes) for m in outcome.messages) == sorted(wanted)


@pytest.mark.parametrize("xs", EDGES)
def test_edge_cases(name, xs):
    """What published codes leave open or fail on; the union stays, explicit zeros included."""
    outcome = world.run(impl(name), len(xs), xs)
    if name == "dsar_split_allgather" and xs[0].n > 1 << 40:  # its sum has all entries
        assert {"Unable to allocate" in finding.text for finding in outcome.findings} == {True}
    else:
        assert not outcome.findings
        assert of_the_page(name, xs, outcome.results)


@pytest.mark.mpi
@pytest.mark.parametrize("p", range(1, 9))
def test_real_ranks(group, name, p):
    """The same on real ranks."""
    for dtype in DTYPES:
        for density in (0.05, 0.9):
            xs = vectors(p, 700, dtype, density)
            assert of_the_page(name, xs, group.run(impl(name), xs))


@pytest.mark.mpi
def test_large(group, name):
    """Messages far above the size that MPI sends eagerly, in chunks of several blocks."""
    xs = vectors(2, 400_000, "float32", 0.3)
    assert of_the_page(name, xs, group.run(impl(name), xs))


@pytest.mark.parametrize("k", [0, 3, 99])
def test_selection_within(name, k):
    """With k, dense vectors are reduced to their k largest entries first; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    kept = [np.where(np.argsort(np.argsort(-np.abs(x))) < k, x, 0.0) for x in xs]

    call = functools.partial(called, name=name, k=k)
    ours = world.run(f"{TARGETS}:largest", 3, xs, call=call).results
    dense = world.run(impl(DENSE[name]), 3, kept).results

    assert [y.dense().tobytes() for y in ours] == [y.tobytes() for y in dense]


def test_without_the_exchange(name):
    """Ranks that are alike need none: one message less a rank and step, and room for dense ones."""
    xs = vectors(3, 210, "float64", 0.5)
    assert of_the_page(name, xs, simulated(f"{TARGETS}:unchecked", xs, call=functools.partial(called, name=name)))


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


@pytest.mark.parametrize("what", SENTENCES)
def test_bad_input_on_one_rank_is_one_sentence_on_all(name, what):
    """Its own rank says what is wrong, the others say whose it was; nobody waits."""
    outcome = world.run(
        f"{TARGETS}:refusal", 4, [None] * 4, call=functools.partial(called, name=name, what=what, bad=2)
    )

    assert not outcome.findings
    told(what, outcome.results)


@pytest.mark.mpi
@pytest.mark.parametrize("what", SENTENCES)
def test_bad_input_on_real_ranks(group, name, what):
    """Every rank has its sentence, also under MPI."""
    told(what, group.run(f"{TARGETS}:refusal", [np.zeros(1)] * 4, name=name, what=what, bad=2))


def told(what, ys):
    """Check the errors' texts, which came as bytes, by rank."""
    texts = [bytes(y).decode() for y in ys]
    assert texts[2].startswith(SENTENCES[what])
    assert all(t == texts[2] or t.startswith("rank 2's arguments are refused") for t in texts)
