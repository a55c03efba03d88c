"""What a round of Moshpit may leave, with planted faults: each rule refuses what it is for, and right rounds pass."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sparring.analysis.averaging.outcomes import wrong
from sparring.impl.core.averaging_groups import Asked

BEFORE = [[Fraction(10**r * (i + 1)) for i in range(4)] for r in range(4)]
"""A group of four, each with a part of one entry."""
MEANS = [sum(column, Fraction()) / 4 for column in zip(*BEFORE)]
WITHOUT = [sum(column[:3], Fraction()) / 3 for column in zip(*BEFORE)]
"""The means without the copies of rank 3."""
WHOLE = Asked(m=4, rounds=1)
DIES, FAILS = WHOLE._replace(dead=((3, 0, 1),)), WHOLE._replace(failing=((3, 0, 1),))


def after(*means: list[Fraction], changed: dict[tuple[int, int], Fraction] | None = None) -> list[list[Fraction]]:
    """All ranks' vectors, which have the means in turn, but for what is changed: by rank and entry."""
    found = [[*means[r % len(means)]] for r in range(4)]
    for (r, e), value in (changed or {}).items():
        found[r][e] = value
    return found


def told(asked: Asked, found: list[list[Fraction]], t: int = 0) -> list[str]:
    """What is said, without the numbers."""
    return [said.partition(" at ")[0].partition(" together")[0] for said in wrong(BEFORE, found, t, asked)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (WHOLE, after(MEANS)),
        (DIES, [*after(WITHOUT)[:3], BEFORE[3]]),
        (DIES, [*after([*MEANS[:2], *WITHOUT[2:]])[:3], BEFORE[3]]),
    ],
    ids=["nobody stops", "a rank dies", "some of its copies came"],
)
def test_right_rounds_pass(asked, found):
    """Of whom dies, each entry's mean has its copy or not, the same for all."""
    assert told(asked, found) == []


@pytest.mark.parametrize(
    ("asked", "found", "said"),
    [
        (WHOLE, after(MEANS, changed={(1, 2): Fraction(5)}), "rank 1 has 5"),
        (WHOLE, after(MEANS, changed={(1, 2): BEFORE[1][2]}), "rank 1 has 30"),
        (WHOLE, after(WITHOUT), "rank 0 has 37"),
        (DIES, [MEANS, WITHOUT, MEANS, BEFORE[3]], "members of [0, 1, 2, 3] have several means"),
        (FAILS, [MEANS, WITHOUT, MEANS, MEANS], "members of [0, 1, 2, 3] have several means"),
        (FAILS, after(MEANS, changed={(3, 0): Fraction(1)}), "rank 3 has 1"),
    ],
)
def test_a_fault_is_told(asked, found, said):
    assert said in told(asked, found)


def test_who_died_a_round_before_has_what_it_had():
    """The others meet without it."""
    asked = DIES._replace(rounds=2)
    assert told(asked, [*after(WITHOUT)[:3], BEFORE[3]], 1) == []
    assert told(asked, after(WITHOUT), 1) == ["rank 3 is dead and has another vector"]


def test_what_all_have_together_is_kept():
    """Also where a member failed that is not the part's owner."""
    less = {(r, 0): MEANS[0] - 1 for r in range(4)}
    assert "members of [0, 1, 2, 3] have 1107" in told(WHOLE, after(MEANS, changed=less))
    assert "members of [0, 1, 2, 3] have 1107" in told(FAILS, after(MEANS, changed=less))
