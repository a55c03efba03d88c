"""DEFT: how many entries layers get, whose they are, and what its statements would be if they failed."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import exclusive_parts
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector
from sparring.spec.library import layers
from tests.proofs.wrong_texts import wrong


def test_layers_get_entries_by_their_norms():
    """The largest first, and what is left goes to the others by what is left of norms; of each at least one."""
    v = Vector([6.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    assert layers.wanted(v, [0, 3, 6, 9], 5) == [3, 1, 1]
    assert layers.wanted(v, [0, 3, 6, 9], 7) == [3, 3, 1]
    assert layers.wanted(v, [0, 3, 6, 9], 0) == [1, 1, 1]


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_norms_that_are_no_numbers_give_each_layer_one_entry(odd):
    """A layer without entries has none."""
    assert layers.wanted(Vector([odd, 3.0, 2.0, 5.0, 1.0]), [0, 2, 4, 4, 5], 4) == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("n", "many", "p", "bounds"),
    [(10, 3, 2, [0, 3, 6, 10]), (8, 1, 2, [0, 4, 8]), (2, 3, 1, [0, 0, 1, 2]), (3, 2, 4, [0, 0, 0, 0, 1, 1, 2, 2, 3])],
)
def test_layers_that_are_too_long_are_cut(n, many, p, bounds):
    """Longer than a rank's even share."""
    assert layers.cut(n, many, p) == bounds


def test_work_is_dealt_out_where_least_is():
    """A layer of 8 entries of which 5 are selected is more work than two of which one is, and less than three."""
    v = Vector([9.0, 8.0, 7.0, 6.0, 0.0, 0.0, 0.0, 0.0, 1.0] + [0.0] * 23)
    assert layers.dealt(v, 2, 4, 6) == layers.Plan([], [[0], [1, 2, 3]])


def test_the_leader_alone_deals():
    """In each call another rank, whose own layer it is that is large."""
    p, page, state = 3, sparring.page("deft", k=4, layers=3), None
    for call in range(p):
        xs = [np.zeros(12) for _ in range(p)]
        xs[call][4 * call : 4 * call + 4] = [9.0, 8.0, 7.0, 6.0]  # all of a layer that only the leader finds large
        ran = run(page, xs, state)
        state = ran.state
        assert [*ran.results[0][4 * call : 4 * call + 4]] == [9.0, 8.0, 7.0, 6.0]


FAULTS = [
    ("exact_sum_of_layers", "y = yield allreduce(v, at=at", "y = yield allreduce(x, at=at"),
    ("nothing_lost_of_layers", "State(where(at, 0, v))", "State(v - v)"),
]


@pytest.mark.parametrize(("statement", "old", "new"), FAULTS)
def test_statements_can_fail(monkeypatch, statement, old, new):
    """A rank's new entries alone, and a residual that forgets, are told."""
    decided = getattr(exclusive_parts, statement)
    assert decided().holds
    monkeypatch.setattr(exclusive_parts, "deft", wrong("deft", old, new).module)
    assert not decided().holds


def test_more_is_sent_than_was_wanted(monkeypatch):
    """Unless all count by what the leader has."""
    assert not exclusive_parts.as_many_as_wanted().holds
    old, new = "(yield apart(largest_of_layers(v", "(yield apart(largest_of_layers(x * 0"
    page = wrong("deft", old, new)
    monkeypatch.setattr(exclusive_parts, "deft", page.module)
    assert exclusive_parts.as_many_as_wanted().holds
