"""The split with a dense allgather: the dense two-shot's bits, all entries, and regions that are all of the vector."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import Sparse, world
from sparring.proofs.core import refinement
from sparring.spec.core import pages
from sparring.spec.core.runner import run
from tests.impl.sparse_inputs import DTYPES, EDGES, vectors

PAGE = pages.find("dsar_split_allgather")
TARGETS = Path(__file__).with_name("dsar_split_allgather_targets.py")
TARGET = "sparring.impl.dsar_split_allgather:allreduce"
TOPKDSA = pages.find("dsar_split_allgather", thirds=1)


def of_the_page(xs, ys, page=PAGE):
    """Whether every rank has the page's support and bits."""
    return refinement.compared(page, xs, ys, "result") == []


def simulated(target, xs):
    """All ranks' results on the simulated world; infinities may cancel."""
    ran = refinement.run(target, xs, "synchronous", "here", "result")
    assert not ran.flaws
    assert not ran.outside  # one schedule decides for all
    return ran.ys


@pytest.mark.parametrize("density", [0, 0.01, 0.3, 0.9, 0.99, 1])
@pytest.mark.parametrize("p", [1, 2, 3, 5, pytest.param(8, marks=pytest.mark.slow)])
def test_by_thirds(p, density):
    """Bit for bit the page with TopkDSA's rule, for every dtype, n < p and n = 0 included, without a finding."""
    for dtype in DTYPES:
        for n in (0, 1, p, 3 * p + 1, 70 * p):
            xs = vectors(p, n, dtype, density)
            assert of_the_page(xs, simulated(f"{TARGETS}:topkdsa", xs), TOPKDSA)


@pytest.mark.parametrize(("target", "page"), [(TARGET, PAGE), (f"{TARGETS}:topkdsa", TOPKDSA)], ids=["dsar", "topkdsa"])
@pytest.mark.parametrize("density", [0.01, 0.1, 0.9])
def test_bytes_are_the_pages(density, target, page):
    """What is counted on the wire is the page's formula for each message, exactly."""
    p, n = 4, 4 * 70_000
    xs = vectors(p, n, "float32", density)
    with warnings.catch_warnings(action="ignore"):
        outcome = world.run(target, p, xs)
        trace = run(page, xs).trace
    wanted = [(m.src, m.dst, PAGE.octets(len(m.entries.indices), m.entries.n, 4)) for wire in trace for m in wire]
    assert sorted((m.src, m.dst, m.nbytes) for m in outcome.messages) == sorted(wanted)


SHORT = [one for one in EDGES if one.id != "indices of 8 bytes"]
"""Those whose sum fits into memory with all its entries."""


@pytest.mark.parametrize("xs", SHORT)
def test_edge_cases(xs):
    """There is an entry at every index of two ranks or more, also where all are absent."""
    outcome = world.run(TARGET, len(xs), xs)
    assert not outcome.findings
    assert of_the_page(xs, outcome.results)
    assert {len(y) for y in outcome.results} == {xs[0].n if len(xs) > 1 else len(xs[0])}


def called(function, comm, *args, **params):
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


@pytest.mark.parametrize("p", [2, 3, 5])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    xs = vectors(p, 20 * p, "float64", 0.6)
    assert of_the_page(xs, simulated(f"{TARGETS}:twin", xs))


@pytest.mark.parametrize("fault", ["own_first", "a_region_short", "without_zeros"])
def test_a_planted_fault_is_found(fault):
    """Another order of addition shows in the last bits, on three ranks or more."""
    values = np.random.default_rng(1).standard_normal((3, 30))
    values[1, :9], values[2, :9] = -values[0, :9], 0  # these cancel
    xs = [Sparse(np.arange(30), row, 900) for row in values]
    assert of_the_page(xs, simulated(TARGET, xs))
    assert not of_the_page(xs, simulated(f"{TARGETS}:{fault}", xs))


PLACES = [(n, p) for p in range(2, 9) for n in sorted({p, p + 1, 2 * p - 1, 11, p * p - 1, p * p, p * p + 1, 1000})]


def entries(p, n):
    """One a rank at every index, so that none may be missing."""
    return [Sparse(np.arange(n), np.full(n, 2.0**r), n) for r in range(p)]


@pytest.mark.parametrize(("n", "p"), PLACES)
def test_regions_are_all_of_the_vector(n, p):
    """The published rest of the last region, ``n % (n // p)``, is found exactly where it is not ``n % p``."""
    xs = entries(p, n)
    right = world.run(f"{TARGETS}:last_region_longer", p, xs)
    public = world.run(f"{TARGETS}:last_region_wrong", p, xs)

    assert of_the_page(xs, simulated(TARGET, xs))
    assert not right.findings and of_the_page(xs, right.results)
    assert (n % (n // p) == n % p) == (not public.findings and of_the_page(xs, public.results))


def test_where_the_published_rest_is_right():
    """Always from ``n = p^2`` on; below that, on four ranks, with six lengths not."""
    assert all(n % (n // p) == n % p for n, p in PLACES if n >= p * p)
    assert [n for n in range(4, 17) if n % (n // 4) != n % 4] == [5, 6, 7, 10, 11, 15]


def test_fewer_entries_than_ranks():
    """Most regions are empty here; the published code divides by zero."""
    xs = entries(5, 3)
    assert of_the_page(xs, simulated(TARGET, xs))
    assert {finding.kind.value for finding in world.run(f"{TARGETS}:last_region_wrong", 5, xs).findings} == {"raised"}


@pytest.mark.parametrize(("held", "sent"), [(32, 32), (33, 99), (34, 99), (97, 99), (99, 99)])
def test_a_third_makes_a_region_dense(held, sent):
    """By TopkDSA's rule, of each region; that of two ranks here is all alike."""
    xs = [Sparse([*range(held), *range(99, 99 + held)], np.ones(2 * held, np.float32), 198)] * 2
    assert [len(y) for y in simulated(f"{TARGETS}:topkdsa", xs)] == [2 * sent] * 2


@pytest.mark.parametrize("thirds", [-1, 0.5, "1"])
def test_thirds_are_a_whole_number(thirds):
    """Raised before anything of the algorithm is sent."""
    xs = [Sparse([1], [1.0], 5)] * 2
    told = [
        finding.text for finding in world.run(TARGET, 2, xs, call=functools.partial(called, thirds=thirds)).findings
    ]
    assert len(told) == 2 and all(
        f"thirds is {thirds!r}: it must be a whole number, 0 or more" in text for text in told
    )


def test_thirds_that_differ_are_told_on_all():
    """Nobody waits for a message of another length."""
    outcome = world.run(f"{TARGETS}:rank_by_rank", 3, [Sparse([1], [1.0], 5)] * 3)
    assert ["thirds=1, rank 0 thirds=0" in finding.text for finding in outcome.findings] == [True] * 3


@pytest.mark.parametrize("thirds", [0, 1, 2, 3])
def test_check_compares_its_messages_step_by_step(thirds):
    """A run is the page's, region by region."""
    report = sparring.check(TARGET, page="dsar_split_allgather", level="steps", max_examples=10, thirds=thirds)
    assert report.verdict == "holds"
