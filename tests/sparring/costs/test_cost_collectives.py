"""Costs of the collectives that MPI libraries are built from: where chunks are equal, and of kinds without bounds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import sparring
from sparring.costs.derivation import whole_vectors
from sparring.costs.derivation.comparison import compared
from sparring.costs.derivation.counted import count
from sparring.costs.formulas.hypotheses import POWER
from sparring.costs.formulas.symbols import exact
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.obligations import every, p
from sparring.spec.core.numbers import both, either, negate, where
from sparring.spec.recursive_doubling import rem
from tests.algorithms.collectives import COLLECTIVES

ROOM = "sparring.spec.collectives"
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * one.slow_forms) for name, one in COLLECTIVES.items() if one.forms
]


@cache
def derived(name):
    return sparring.cost(f"{ROOM}.{name}")


@pytest.mark.parametrize("name", NAMES)
def test_closed_forms_hold_where_they_say(name):
    """Counted, too, for short and for astronomically long vectors."""
    cost = derived(name)
    assert (cost.derived.given, str(cost.messages), str(cost.words)) == COLLECTIVES[name].forms
    assert compared(cost.page, cost.derived, (*range(1, 10), 15, 16, 17, 32, 33)) is None


def test_a_cost_of_equal_chunks_is_refused_where_they_are_not():
    """Four words make two equal chunks, but not three."""
    cost = derived("dense_bruck_allgather")
    assert cost.at(p=3, n=6).words == 4
    with pytest.raises(InputError, match=r"this cost holds where p \\| n, not for p=3, n=4"):
        cost.at(p=3, n=4)
    assert count(cost.page, 3, 4, 0).words == 4  # and not 4 - 4/3


def larger(own, there):
    """The page with a chunk more in some messages."""
    return replace(own, count=lambda r, t, p: own.count(r, t, p) + where(there(r, t, p), 1, 0))


PLANTED = {  # faults that few ranks do not show
    "more than the root": (
        "scatter_ring_bcast", lambda own: larger(own, lambda r, t, _: both(r == 8, t > 1)), "no rank sends more",
    ),
    "more than who leads": (
        "binomial_gather", lambda own: larger(own, lambda r, t, _: both(r == 12, t == 2)), "no rank sends more",
    ),
    "no odd multiple": (
        "sparbit_allgather", lambda own: larger(own, lambda _, t, p: both(p == 12, t == 2)), "chunks in a span",
    ),
    "twice": (
        "binomial_gather",
        lambda own: replace(own, active=lambda r, t, p: either(own.active(r, t, p), both(r == 12, t == 3))),
        "each rank sends once",
    ),
    "not in the last steps": (
        "scatter_doubling_bcast",
        lambda own: replace(own, active=lambda r, t, p: both(own.active(r, t, p), negate(both(r == 0, t == 7)))),
        "the leader sends in each step",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", PLANTED)
def test_what_is_sent_otherwise_is_found(fault):
    """By a claim that both solvers are asked; of the page without the fault forms are derived, see above."""
    name, wrong, why = PLANTED[fault]
    with pytest.raises(Undecided, match=why):
        whole_vectors.formed(wrong(sparring.page(f"{ROOM}.{name}")))


def test_all_chunks_but_one_too_few_are_found():
    """A planted fault that few ranks do not show, where p is a power of two."""
    wrong = larger(sparring.page(f"{ROOM}.recursive_doubling_reduce_scatter"), lambda _, t, p: both(p == 16, t == 2))
    with pytest.raises(Undecided, match="chunks in a span"):
        whole_vectors.formed(wrong, rem(p) == 0, POWER)


@pytest.mark.slow
def test_a_chunk_that_is_not_counted_is_found():
    """A planted fault that few ranks do not show: of 8, rank 4's second message has its own chunk, too."""
    own = sparring.page(f"{ROOM}.strided_butterfly_reduce_scatter")
    more = replace(
        own,
        carries=lambda r, c, t, p: either(own.carries(r, c, t, p), every(p == 8, r == 4, t == 1, c == 4)),
    )
    with pytest.raises(Undecided, match="counted one by one"):
        whole_vectors.formed(more, rem(p) == 0, POWER)


def test_a_rank_of_a_gather_sends_once_and_what_it_has():
    """The most are half of the chunks, or what is left in the last step; no path was found that has all messages."""
    found = derived("binomial_gather").derived
    assert (str(found.most), found.path, str(found.critical)) == ("Min(1, p - 1)", None, "n - n/p")
    assert [exact(found.words, {"p": p, "n": p}) for p in (1, 2, 3, 4, 7, 8, 9, 15)] == [0, 1, 1, 2, 3, 4, 4, 7]


@pytest.mark.slow
def test_who_sends_twice_on_the_way_back_is_found():
    """A planted fault that few ranks do not show: rank 1 sends in the first step of the gather, too."""
    own = sparring.page(f"{ROOM}.rabenseifner_reduce")
    twice = replace(own, active=lambda r, t, p: either(own.active(r, t, p), both(r == 1, t == 3)))
    with pytest.raises(Undecided, match="who sends does so once"):
        whole_vectors.formed(twice, rem(p) == 0, "p = 2^m")


def test_neighbour_exchange_has_no_closed_form():
    """One chunk, then two each: no shape that is looked for."""
    with pytest.raises(Undecided, match="how many chunks are in a message is no power of two"):
        sparring.cost(f"{ROOM}.neighbor_exchange_allgather").words  # asking is what is tested


def test_of_a_kind_of_its_own_no_bound_is_known():
    """An alltoall is no reduce-scatter, though its messages are."""
    cost = derived("pairwise_alltoall")
    assert cost.bounds == {}
    alike = replace(cost.page, kind="reduce_scatter", own=None)
    assert {*replace(cost, page=alike).bounds} == {"words", "messages"}
