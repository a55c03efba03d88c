"""Every implementation is its page's, where a default ``verify``, which asks the same of bits and messages, stops."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sparring
from sparring.proofs.core import iterations, refinement
from sparring.proofs.implementation import running
from tests.impl.algorithms import DENSE, EACH, PAGES, SPARSE, TARGETS, called, simulated
from tests.impl.references import sparse_vectors
from tests.sweeps import sweep

TERMS = [name for name, page in PAGES.items() if not (page.stateful or page.composed)]


@pytest.mark.parametrize("p", sweep([21, 64], few=(21,)))
@pytest.mark.parametrize("name", TERMS)
def test_terms_of_many_ranks(name, p):
    """Whatever the input, one term a rank is enough to see who adds what and in which order."""
    ran = running.on_terms(PAGES[name], TARGETS[name], p, 1, "synchronous")
    assert (ran.flaws, ran.outside) == ([], ())


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.stateful])
def test_one_schedule_decides_for_all(name):
    """With sends that wait and with sends that do not, nothing is found, and all ranks have the page's bits."""
    page, case = PAGES[name], iterations.Case(5, iterations.vectors("float32", 4, 13))
    call = iterations.iterate if page.selecting else iterations.answer
    for buffers in ("synchronous", "unbounded"):
        ran = simulated(TARGETS[name], case.xs, buffers, call, **case.params(page))
        assert iterations.compared(page, case, ran, "result") == []


@pytest.mark.parametrize(("name", "params"), EACH)
def test_check_compares_messages_step_by_step(name, params):
    """As a user would ask: a run is the page's, message by message."""
    report = sparring.check(TARGETS[name], name, level="steps", ranks=[2, 3], max_examples=4, **params)
    assert report.verdict == "holds"
    assert {"steps", "dtypes"} <= {r.property for r in report.results if "tested" in str(r.verdict)}


@pytest.mark.parametrize("density", sweep([0.01, 0.3, 0.9], few=(0.3,)))
@pytest.mark.parametrize("name", SPARSE)
def test_bytes_of_large_chunks_are_the_page_s(name, density):
    """What is counted on the wire is the page's formula for each message, exactly, in chunks of several blocks."""
    page, xs = PAGES[name], sparse_vectors(2, 2 * 70_000, "float32", density)
    assert running.on_numbers(page, TARGETS[name], xs, "result") == []


LONG = [
    pytest.param("power_sgd", 3000, {"columns": 7, "rank": 2}, id="power_sgd, more rows than a piece"),
    pytest.param("power_sgd", 900, {"rank": 4, "rate": 1}, id="power_sgd, several columns"),
    pytest.param("power_sgd", 2100, {"columns": 1100, "rate": 0}, id="power_sgd, more columns than a span"),
    pytest.param("arc_top_k", 2000, {"k": 5, "columns": 37}, id="arc_top_k, many rows"),
]


@pytest.mark.parametrize(("name", "n", "params"), LONG)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_more_than_is_looked_at_together(name, n, params, dtype):
    """Bit for bit, of normal numbers, whose sums round in every step."""
    xs = [np.random.default_rng([n, r]).standard_normal((3, n)).astype(dtype) for r in range(3)]
    page = sparring.page(name, **params)
    assert running.on_calls(page, TARGETS[name], iterations.Case(0, xs), "result") == []


@pytest.mark.parametrize("name", [*SPARSE, *DENSE])
def test_without_the_exchange(name):
    """Ranks that are alike need none: the same bits."""
    xs = sparse_vectors(3, 210, "float64", 0.5)
    xs = xs if name in SPARSE else [x.dense() for x in xs]
    ys = simulated(TARGETS[name], xs, call=functools.partial(called, validate=False))
    assert refinement.compared(PAGES[name], xs, ys, "result") == []
