"""The recursive doubling of lists gives the page's bits on real and simulated ranks, and planted faults are found."""

from __future__ import annotations

from pathlib import Path

import pytest

import sparring
from sparring import page
from sparring.impl.rabenseifner import number
from sparring.impl.recursive_doubling import beyond, flipped, rounds
from sparring.impl.recursive_doubling_allgather import first, high, low, place
from sparring.proofs.core import refinement

TARGETS = Path(__file__).with_name("recursive_doubling_allgather_targets.py")
TARGET = "sparring.impl.recursive_doubling_allgather:allreduce"
PAGE = page("recursive_doubling_allgather")


@pytest.mark.parametrize("p", range(1, 70))
def test_arithmetic(p):
    """A message's lists are neighbours', those of so many numbers, and do not meet the partner's; the last has all."""
    for r in (r for r in range(p) if r >= 2 * beyond(p) or r % 2):
        v, have = number(r, p), {r, r - 1} if r < 2 * beyond(p) else {r}
        assert r in range(first(v, p), first(v + 1, p))
        for i in range(rounds(p)):
            mine, theirs = ({*range(first(low(x, i), p), first(high(x, i), p))} for x in (v, flipped(v, i)))
            assert mine == have and not mine & theirs
            have |= theirs
        assert have == {*range(p)}
        assert sorted(place(q, r, p) for q in range(p)) == [*range(p)]


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5, 7])
def test_a_twin_of_the_targets_below_is_right(p):
    """So that it is the planted fault that is found."""
    assert refinement.on_terms(PAGE, f"{TARGETS}:twin", p, 5, "synchronous").flaws == []


@pytest.mark.parametrize(("fault", "p"), [("own_first", 3), ("neighbour_forgotten", 3), ("a_number_short", 2)])
def test_a_planted_fault_is_found_with_the_fewest_ranks(fault, p):
    """Fewer ranks cannot show it: where none folds, or nothing is exchanged."""
    target = f"{TARGETS}:{fault}"
    for fewer in range(1, p):
        assert all(refinement.on_terms(PAGE, target, fewer, n, "synchronous").flaws == [] for n in range(1, 40, 3))

    assert any(refinement.on_terms(PAGE, target, p, n, "synchronous").flaws for n in range(1, 40, 3))


def test_check_compares_its_messages_step_by_step():
    """A run is the page's, message by message; whoever sends list by list is told the first that is not."""
    options = {"page": "recursive_doubling_allgather", "level": "steps", "max_examples": 10}

    assert sparring.check(TARGET, ranks=[1, 2, 3, 4, 5], **options).verdict == "holds"
    report = sparring.check(f"{TARGETS}:list_by_list", ranks=[4], **options)
    told = {r.property: r.detail for r in report.results if str(r.verdict) == "refuted"}
    assert report.verdict == "refuted"
    assert told.keys() == {"steps", "volume"}
    assert "the page" in told["steps"]
