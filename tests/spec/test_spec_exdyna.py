"""ExDyna: how bounds of parts move, and what its statements would be if they failed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import exclusive_parts
from sparring.proofs.mutants.planting import planted
from sparring.spec.core.runner import run
from sparring.spec.library import exclusive_parts as rule
from tests.proofs.wrong_texts import changed, wrong

P, BLOCKS, N = 4, 64, 128


def runs(xs, calls):
    """Call after call, with thresholds that stay, how many entries of the result each part has, and the next cuts."""
    page, state = sparring.page("exdyna", first=5_000_000, gain=0, blocks=BLOCKS, unit=1), None
    cuts = [c * BLOCKS // len(xs) for c in range(len(xs) + 1)]
    for _ in range(calls):
        ran = run(page, [*xs], state)
        state, y = ran.state, np.array([*ran.results[0]])
        yield [int(np.count_nonzero(y[2 * i : 2 * j])) for i, j in pairwise(cuts)], [*state.cuts[0]]
        cuts = [*state.cuts[0]]


@pytest.mark.parametrize(("p", "first", "last"), [(2, [64, 0], [32, 32]), (4, [32, 32, 0, 0], [32, 16, 16, 0])])
def test_parts_come_to_have_about_as_many(p, first, last):
    """Of a vector that is large in its first half: a bound moves by a block a call, until no two neighbours differ.

    On four ranks that is where two parts have the mean, between one that has twice as much, and one that has nothing.
    """
    xs = np.zeros((p, N))
    xs[:, : N // 2] = 9.0
    told = [*runs(xs, 40)]
    assert told[0][0] == first and told[-1][0] == last
    assert all(abs(a - b) <= 1 for (_, one), (_, after) in pairwise(told) for a, b in zip(one, after))


def test_no_part_is_less_than_a_fourth_of_an_even_share():
    """Of a vector that is large in one block alone; parts beside it stay."""
    xs = np.zeros((P, N))
    xs[:, 40:42] = 9.0
    least = min(j - i for _, cuts in runs(xs, 40) for i, j in pairwise(cuts))
    assert least >= BLOCKS / (4 * P)


def test_what_blocks_leave_is_with_the_last_part():
    """A vector that is too short for blocks is cut into parts of about one length."""
    assert rule.entries((0, 1, 3), 11, 3, 1) == [0, 3, 11] and rule.entries((0, 512, 1024), 11, 1024, 32) == [0, 5, 11]


FAULTS = [
    ("exact_sum_of_blocks", "y = yield allreduce(v, at=at", "y = yield allreduce(x, at=at"),
    ("nothing_lost_of_blocks", "return y, State(where(at, 0, v)", "return y, State(v - v"),
]


@pytest.mark.parametrize(("statement", "old", "new"), FAULTS)
def test_statements_can_fail(monkeypatch, statement, old, new):
    """A rank's new entries alone, and a residual that forgets, are told."""
    decided = getattr(exclusive_parts, statement)
    assert decided().holds
    monkeypatch.setattr(exclusive_parts, "exdyna", wrong("exdyna", old, new).module)
    assert not decided().holds


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("4 * p * (own - 1) >= blocks", "4 * p * own >= blocks"),
        ("100_000 * found < 95_238", "100_000 * found < 105_238"),
    ],
)
def test_bounds_can_move_wrongly(old, new):
    """A part that gives its last block, and two that give each other one, are told."""
    assert exclusive_parts.bounds_move().holds
    with planted(rule, changed(rule, old, new)):
        assert not exclusive_parts.bounds_move().holds
