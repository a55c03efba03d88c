"""Bruck's allgather gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

import sparring
from sparring import page
from sparring.impl.bruck_allgather import after, before, begun, missing, place, rounds
from sparring.proofs.core import refinement

TARGETS = Path(__file__).with_name("bruck_targets.py")
TARGET = "sparring.impl.bruck_allgather:allreduce"
PAGE = page("bruck_allgather")


@pytest.mark.parametrize("p", range(1, 70))
def test_arithmetic(p):
    """In so many rounds and in no fewer a rank has all lists; peers undo each other."""
    have = 1
    for i in range(rounds(p)):
        assert begun(i) == have < p
        have += min(have, missing(have, p))
    assert have == p
    for r in range(p):
        assert [place(after(r, i, p), r, p) for i in range(p)] == [*range(p)]
        assert all(before(after(r, d, p), d, p) == r for d in range(p))


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 5, "synchronous").flaws == []


@pytest.mark.parametrize(("fault", "p"), [("other_way", 3), ("own_first", 3), ("one_short", 3)])
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p):
    """Fewer ranks cannot show it: each has one other, which is before it and after it."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert all(refinement.on_terms(PAGE, target, fewer, n, "synchronous").flaws == [] for n in range(1, 40, 3))

    assert any(refinement.on_terms(PAGE, target, p, n, "synchronous").flaws for n in range(1, 40, 3))


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; whoever sends list by list is told the first that is not."""
    options = {"page": "bruck_allgather", "level": "steps", "max_examples": 10}

    assert sparring.check(TARGET, ranks=[1, 2, 3, 4, 5], **options).verdict == "holds"
    report = sparring.check(f"{TARGETS}:list_by_list", ranks=[4], **options)
    told = {r.property: r.detail for r in report.results if str(r.verdict) == "refuted"}
    assert report.verdict == "refuted"
    assert told.keys() == {"steps", "volume"}
    assert "the page" in told["steps"]
