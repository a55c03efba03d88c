"""What ``verify`` does not ask of implementations: whose memory results have, a choice within, entries far apart."""

from __future__ import annotations

import functools
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import Sparse, world
from sparring.impl import arc_top_k, lossy_two_shot, rabenseifner
from sparring.impl.codecs.group_quantiser import Quantiser
from sparring.impl.core import sparse_lists, transport
from sparring.refinement import comparison, running, stateful
from sparring.refinement.bits import expected, judge_bits, visible
from sparring.refinement.example import Example
from sparring.refinement.observing import observe
from sparring.refinement.playing import iterated
from sparring.spec.core import top_k
from sparring.spec.library import matrices
from tests.impl.algorithms import DENSE, LOSSLESS, PAGES, RANKS, SPARSE, STATEFUL, TARGETS, called, planted, simulated
from tests.sweeps import sweep

FUNCTIONS = [name for name in PAGES if name not in STATEFUL]
TERMS = [name for name, page in PAGES.items() if not (page.stateful or page.composed)]


def drawn(p, n, density):
    """Independent supports of normal numbers, one a rank."""
    rng = np.random.default_rng([p, n])
    supports = [np.flatnonzero(rng.random(n) < density) for _ in range(p)]
    return [Sparse(at, rng.standard_normal(at.size), n) for at in supports]


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_have_memory_of_their_own(name, p):
    """A new array, a given one and the input itself get the same bits, which are the page's; else inputs stay."""
    xs = drawn(p, 7, 0.6) if name in LOSSLESS else comparison.vectors("float32", p, 7)
    ys = simulated(f"{RANKS}:{'kept' if name in LOSSLESS else 'three_ways'}", xs, name=name)
    assert comparison.compared(PAGES[name], xs, ys, "result") == []


@pytest.mark.parametrize("name", [*DENSE, *SPARSE])
def test_without_the_exchange(name):
    """Ranks that are alike need none: the same bits."""
    xs = drawn(3, 210, 0.5)
    xs = xs if name in SPARSE else [x.dense() for x in xs]
    ys = simulated(TARGETS[name], xs, call=functools.partial(called, validate=False))
    assert comparison.compared(PAGES[name], xs, ys, "result") == []


@pytest.mark.parametrize("k", [0, 3, 99])
@pytest.mark.parametrize("name", LOSSLESS)
def test_selection_within(name, k):
    """With k, dense vectors are reduced to their k largest entries first, as the reference selects; k > n clamps."""
    xs = [np.random.default_rng(r).standard_normal(20) for r in range(3)]
    taken = [Sparse(at := top_k.top(x.tolist(), k), x[at], 20) for x in xs]
    ys = simulated(f"{RANKS}:once", xs, name=name, k=k)
    wanted = [done.result for done in next(expected(PAGES[name], taken))]
    assert all(np.array_equal(y, right.dense()) for y, right in zip(ys, wanted, strict=True))


@pytest.mark.parametrize("name", LOSSLESS)
def test_indices_of_eight_bytes(name):
    """Entries beyond all memory are summed, but where the sum has all entries: then that is said."""
    xs = [Sparse([r << 40], [1.0], 1 << 50) for r in range(3)]
    outcome = world.run(TARGETS[name], 3, xs)
    if name == "dsar_split_allgather":
        assert {"Unable to allocate" in finding.text for finding in outcome.findings} == {True}
    else:
        ys = [(y.indices.tolist(), y.values.tolist()) for y in outcome.results]
        assert ys == [([0, 1 << 40, 2 << 40], [1.0] * 3)] * 3


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("density", [0, 0.1, 0.9])
def test_both_ways_of_adding_lists_are_one(p, density):
    """By way of a dense vector or of the lists alone: the same support, the same bits."""
    xs = drawn(p, 300, density)
    entries = [(x.indices, x.values) for x in xs]
    ways = sparse_lists.densely(entries, xs[0]), sparse_lists.sparsely(entries, xs[0])
    assert len({(at.tobytes(), values.tobytes()) for at, values in ways}) == 1


def test_rabenseifner_takes_no_memory_but_the_result_s(monkeypatch):
    """Where the result is an array of its own, and p a power of two, allocates nothing else."""
    made = []
    monkeypatch.setattr(rabenseifner.np, "empty_like", lambda x: made.append(x.size) or np.empty(x.size, x.dtype))
    monkeypatch.setattr(transport, "keyval", lambda kind: kind.Create_keyval())  # ranks share this module's memory
    ones = [np.ones(8) for _ in range(8)]
    world.run(lambda comm, x, y: rabenseifner.allreduce(comm, x, out=y), 4, ones[:4], ones[4:]).raise_if_found()
    assert made == []


@pytest.mark.parametrize("p", sweep([21, 64], few=(21,)))
@pytest.mark.parametrize("name", TERMS)
def test_terms_of_many_ranks(name, p):
    """Where a default ``verify`` stops; one term a rank is enough to see who adds what and in which order."""
    assert running.on_terms(PAGES[name], TARGETS[name], p, 1, "synchronous") == ([], ())


@pytest.mark.parametrize("name", STATEFUL)
def test_sends_that_do_not_wait(name):
    """Nothing is found, and all ranks have the page's bits."""
    page = sparring.page(name, **({"k": 5} if "k" in PAGES[name].params else {}))
    example = Example(stateful.vectors("float32", 4, 13), "result")
    seen = observe(TARGETS[name], example.xs, "result", lambda kind, comm, xs: iterated(
        kind, comm, xs, visible(page), **page.params), buffers="unbounded")  # fmt: skip
    assert (seen.flaws, judge_bits(page, example, seen, strict=True)) == ({}, {})


def test_nothing_is_warned_of_where_numbers_are_coded():
    """Not of infinities, nor of what no code can be."""
    x = np.array([np.inf, np.nan, -np.inf, 3e38, -3e38, 1], np.float32)
    made = Quantiser(x.dtype, bits=8, g=2, spikes=True)
    message = np.empty(made.size(x.size), np.uint8)
    with warnings.catch_warnings(action="error"):
        made.encode(x, message)
        made.decode(message, x)


def test_how_long_rows_and_packets_are():
    """Both sides find the same power of two; packets are all of a shard; before the first call nobody has anything."""
    for n in (*range(300), 2**20, 10**6, 10**7):
        assert arc_top_k.wide(n) == matrices.below_root(n)
    for start, length, packet in product((0, 3), range(9), (1, 2, 3, 256)):
        found = lossy_two_shot.sizes(slice(start, start + length), packet)
        assert found.sum() == length and (found[:-1] == packet).all() and (found > 0).all()
    first = simulated(TARGETS["lossy_two_shot"], [5] * 2, call=lambda kind, comm, n: kind(comm, n, packet=2).versions)
    assert [versions.tolist() for versions in first] == [[0, 0, 0]] * 2


DSAR = "dsar_split_allgather"
BOUNDS = "[bound(c, mine.n, p) for c in range(p + 1)]"
LONGER = "[*(c * (mine.n // p) for c in range(p)), mine.n]"
"""Regions of ``n // p`` entries; the last has what is left, ``n % p`` more."""
PUBLISHED = "[*(c * (mine.n // p) for c in range(p)), p * (mine.n // p) + mine.n % (mine.n // p)]"
"""The same in a public code, which gives the last region ``n % (n // p)`` more."""


@pytest.mark.parametrize("p", sweep(range(2, 6), few=(2, 3)))
def test_regions_are_all_of_the_vector(p):
    """The published rest of the last region is found exactly where it is not ``n % p``: never from ``p * p`` on."""
    for n in sorted({p, p + 1, 2 * p - 1, 11, p * p - 1, p * p, p * p + 1}):
        xs = [Sparse(np.arange(n), np.full(n, 2.0**r), n) for r in range(p)]

        def right(bounds, xs=xs):
            with planted(DSAR, (BOUNDS, bounds)):
                outcome = world.run(TARGETS[DSAR], len(xs), xs)
            return not outcome.findings and not comparison.compared(PAGES[DSAR], xs, outcome.results, "result")

        assert right(BOUNDS) and right(LONGER)
        assert right(PUBLISHED) == (n % (n // p) == n % p)
        assert right(PUBLISHED) or n < p * p


@pytest.mark.parametrize(("held", "sent"), [(32, 32), (33, 99), (99, 99)])
def test_a_third_makes_a_region_dense(held, sent):
    """By TopkDSA's rule, of each region; that of two ranks here is all alike."""
    xs = [Sparse([*range(held), *range(99, 99 + held)], np.ones(2 * held, np.float32), 198)] * 2
    assert [len(y) for y in simulated(TARGETS[DSAR], xs, thirds=1)] == [2 * sent] * 2


@pytest.mark.parametrize("how", ["copy", "deepcopy"])
@pytest.mark.parametrize("name", STATEFUL)
def test_a_copy_of_an_instance_goes_on_by_itself(name, how):
    """It does what the first would, and the first what it would without a copy."""
    params: Any = {"k": 2} if PAGES[name].selecting else {}
    for tried, other, untouched in simulated(f"{RANKS}:copied", [None] * 2, name=name, how=how, **params):
        assert tried.tobytes() == other.tobytes() == untouched.tobytes()
