from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring import world
from sparring.impl import ring
from tests.sweeps import sweep

TARGETS = Path(__file__).with_name("ring_targets.py")
THREE_WAYS, PLAIN = f"{TARGETS}:three_ways", f"{TARGETS}:plain"
DTYPES = ("float32", "float64", "int32", "int64")


def sizes(p):
    """The lengths at which blocks are empty, unequal or equal."""
    return sorted({0, 1, p - 1, p, p + 1, 2 * p + 1, 1000})


def vectors(p, n, dtype, seed=0):
    """Numbers of many magnitudes and zeros of both signs, or integers that overflow when added."""
    rng = np.random.default_rng([seed, p, n])
    if np.dtype(dtype).kind == "i":
        span = np.iinfo(dtype)
        return [rng.integers(span.min, span.max, n, dtype, endpoint=True) for _ in range(p)]
    xs = [np.ldexp(rng.standard_normal(n), rng.integers(-20, 20, n)).astype(dtype) for _ in range(p)]
    return [np.where(rng.random(n) < 0.3, rng.choice([0.0, -0.0], n), x).astype(dtype) for x in xs]


def expected(xs):
    """Block c from rank c on around the ring, one addition a rank; written with numpy alone."""
    p, n = len(xs), xs[0].size
    y = np.empty_like(xs[0])
    with np.errstate(all="ignore"):
        for c in range(p):
            here = slice(c * n // p, (c + 1) * n // p)
            total = xs[c][here]
            for k in range(1, p):
                total = total + xs[(c + k) % p][here]
            y[here] = total + y.dtype.type(0)
    return y


def same_bits(ys, want):
    """Whether every rank has exactly these bits, in this dtype."""
    return all(y.dtype == want.dtype and y.tobytes() == want.tobytes() for y in ys)


@pytest.mark.parametrize("p", range(1, 20))
def test_arithmetic(p):
    """Neighbours undo each other, blocks partition the vector, and what is received is what the sender sends next."""
    for r in range(p):
        assert ring.left(ring.right(r, p), p) == r == ring.right(ring.left(r, p), p)
        assert [ring.given(ring.right(r, p), i + 1, p) for i in range(p)] == [ring.given(r, i, p) for i in range(p)]
        assert ring.passed(r, 0, p) == ring.given(r, p - 1, p)
    for n in sizes(p):
        cuts = [ring.cut(c, n, p) for c in range(p + 1)]
        assert cuts[0] == 0 and cuts[-1] == n
        assert {b - a for a, b in pairwise(cuts)} <= {n // p, -(-n // p)}


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("p", range(1, 9))
def test_every_size(group, p, dtype):
    """New array, given array and in place: the same bits as the reference order, on all ranks; the input is kept."""
    for n in sizes(p):
        xs = vectors(p, n, dtype)
        assert same_bits(group.run(THREE_WAYS, xs), expected(xs)), n


@pytest.mark.mpi
@pytest.mark.parametrize("p", [1, 2, 5, 8])
def test_integers_are_exact(group, p):
    """Integers are the sum itself, modulo the width."""
    xs = vectors(p, 37, "int64")
    exact = [sum(int(x[i]) for x in xs) for i in range(37)]
    wrapped = np.array([(v + 2**63) % 2**64 - 2**63 for v in exact])
    assert same_bits(group.run(THREE_WAYS, xs), wrapped)


@pytest.mark.mpi
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("p", range(1, 9))
def test_no_negative_zero(group, p, dtype):
    """-0.0 on every rank sums to +0.0, for one rank too."""
    xs = [np.full(2 * p + 1, -0.0, dtype)] * p
    assert same_bits(group.run(THREE_WAYS, xs), np.zeros(2 * p + 1, dtype))


@st.composite
def inputs(draw):
    """One vector a rank, any floats but NaN."""
    p, n = draw(st.integers(1, 8)), draw(st.integers(0, 30))
    dtype, width = draw(st.sampled_from([("float32", 32), ("float64", 64)]))
    return [draw(hnp.arrays(dtype, n, elements=st.floats(width=width, allow_nan=False))) for _ in range(p)]


@pytest.mark.mpi
@given(xs=inputs())
@settings(max_examples=60, deadline=None)
def test_any_floats(group, xs):
    """Infinities, subnormals and cancellation give the bits of the reference order."""
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


@pytest.mark.mpi
def test_large(group):
    """Messages far above the size that MPI sends eagerly."""
    xs = vectors(3, 300_000, "float32")
    assert same_bits(group.run(THREE_WAYS, xs), expected(xs))


@pytest.mark.parametrize("buffers", ["synchronous", "unbounded"])
@pytest.mark.parametrize("p", sweep([*range(1, 9), 16]))
def test_simulated(p, buffers):
    """The same on the simulated MPI, with synchronous sends and without a finding."""
    for dtype in DTYPES:
        for n in sizes(p)[:-1]:
            xs = vectors(p, n, dtype)
            outcome = world.run(PLAIN, p, xs, buffers=buffers)
            assert not outcome.findings
            assert outcome.deterministic
            assert same_bits(outcome.results, expected(xs))


def test_importing_starts_no_mpi():
    """The arithmetic can be read without an MPI library."""
    import subprocess
    import sys

    code = "import sys, sparring.impl.ring; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
