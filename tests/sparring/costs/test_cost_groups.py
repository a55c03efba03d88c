"""What Moshpit All-Reduce sends at most: in groups, derived, counted, and caught where it is wrong."""

from __future__ import annotations

import pytest

import sparring
from sparring.costs import calls
from sparring.costs.derivation import group_averages
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import n as n_
from sparring.proofs.logic.queries import answered
from sparring.proofs.reading.lengths import Extent, Number, Reading
from sparring.proofs.reading.ways import in_rounds
from sparring.spec.core.exchanges import allgather, served
from sparring.spec.core.rounds import Rounds
from sparring.spec.core.vectors import local


@local(length=lambda x: x + 1)
def own_length(x):
    return [*x, 0]


def test_small_groups_of_short_vectors_send_more():
    """Four ranks in a group of up to five, five entries: parts are 2, 1, 1, 1, and the bound is that of 1 each."""
    page = sparring.page("moshpit", m=5)
    short = calls.Call("short", page, [[0.0] * 5] * 4, None)
    found = next(calls.compared(sparring.cost(page).most, short))
    assert found.what == "short, rounds of groups, words" and (found.derived, found.counted) == (8, 9)
    claims = [one._replace(hypotheses=(group_averages.n >= 0,)) for one in group_averages.smaller(5)]
    assert all(one.holds for one in answered([*group_averages.smaller(5)], True))
    assert any(one.witness for one in answered(claims, False))


@pytest.mark.parametrize("m", range(2, 9))
def test_the_least_length_is_enough_and_told(m):
    """Counted with whole numbers: with so many entries no smaller group has a member that sends more."""
    for length in range(group_averages.least(m), group_averages.least(m) + 3 * m * m):
        sent = [length + (s - 2) * -(-length // s) for s in range(2, m + 1)]
        assert max(sent) == sent[-1]
    told = " ".join(sparring.cost("moshpit", m=m).qualified)
    assert ("M3" in told) == (m > 2) and (m == 2 or f"at least {group_averages.least(m)} entries" in told)


def test_parts_that_are_rounded_otherwise_are_refuted():
    """The page's own division, rounded up, makes parts that are no longer those of the bound."""
    assert all(one.holds for one in answered([*group_averages.parts(served("averaging").module.rounded, 3)], True))
    up = group_averages.parts(lambda amount, total: (amount + total - 1) // total, 3)
    assert any(one.witness for one in answered([*up], False))


def test_rounds_that_change_lengths_have_no_cost():
    def longer(t, x, cell, d):
        y = yield allgather(x)
        return own_length(y), cell

    reading = Reading()
    with pytest.raises(Undecided, match="change how long vectors are"):
        in_rounds(reading, Rounds(longer, Number(reading, 2), (Extent(reading, n_), Number(reading, 0)), (1,)), [])
