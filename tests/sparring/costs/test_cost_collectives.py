"""Costs of the collectives that MPI libraries are built from: where chunks are equal, and of kinds without bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.costs.derivation.comparison import compared
from sparring.costs.derivation.counted import count
from sparring.errors import InputError, Undecided

ROOM = "sparring.spec.collectives"
FORMS = {
    "ring_reduce_scatter": ("", "p - 1", "n - floor(n/p)"),
    "dense_ring_allgather": ("", "p - 1", "n - floor(n/p)"),
    "pairwise_alltoall": ("", "p - 1", "n - floor(n/p)"),
    "linear_alltoall": ("", "p - 1", "n - floor(n/p)"),
    "dense_bruck_allgather": ("p | n", "ceil(log2(p))", "n*(p - 1)/p"),
    "dense_recursive_doubling_allgather": ("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"),
    "recursive_halving_reduce_scatter": ("p = 2^m, p | n", "log2(p)", "n*(p - 1)/p"),
}
"""By page, where its closed forms hold, and those of messages and words."""


@pytest.mark.parametrize("name", FORMS)
def test_closed_forms_hold_where_they_say(name):
    """Counted, too, for short and for astronomically long vectors."""
    cost = sparring.cost(f"{ROOM}.{name}")
    assert (cost.derived.given, str(cost.messages), str(cost.words)) == FORMS[name]
    assert compared(cost.page, cost.derived, range(1, 18)) is None


def test_a_cost_of_equal_chunks_is_refused_where_they_are_not():
    """Four words make two equal chunks, but not three."""
    cost = sparring.cost(f"{ROOM}.dense_bruck_allgather")
    assert cost.at(p=3, n=6).words == 4
    with pytest.raises(InputError, match=r"this cost holds where p \\| n, not for p=3, n=4"):
        cost.at(p=3, n=4)
    assert count(cost.page, 3, 4, 0).words == 4  # and not 4 - 4/3


def test_neighbour_exchange_has_no_closed_form():
    """One chunk, then two each: no shape that is looked for."""
    with pytest.raises(Undecided, match="how many chunks are in a message is no power of two"):
        sparring.cost(f"{ROOM}.neighbor_exchange_allgather").words  # asking is what is tested


def test_of_a_kind_of_its_own_no_bound_is_known():
    """An alltoall is no reduce-scatter, though its messages are."""
    cost = sparring.cost(f"{ROOM}.pairwise_alltoall")
    assert cost.bounds == {}
    alike = replace(cost.page, kind="reduce_scatter", own=None)
    assert {*replace(cost, page=alike).bounds} == {"words", "messages"}
