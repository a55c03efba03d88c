"""The runner sends what the formulas say, simultaneously, and names what makes no schedule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page, run
from sparring.errors import InputError, ScheduleFault

RING = page("ring")


def test_sends_read_the_state_before_the_step():
    """A message is what its sender held before the step, also where the sender receives in it."""
    first = next(iter(run("ring", [["a", "b"], ["A", "B"]])))

    assert [m.entries for m in first.wire] == [["a"], ["B"]]
    assert first.states == [["a", "Bb"], ["aA", "B"]]


def test_states_are_snapshots_and_inputs_stay():
    """Keeping all steps keeps them as they were; the caller's vectors are not touched."""
    xs = [[1, 2], [3, 4]]

    steps = list(run("ring", xs))

    assert [s.states[0] for s in steps] == [[1, 6], [4, 6]]
    assert xs == [[1, 2], [3, 4]]


def test_negative_zero_becomes_zero_at_the_end_only():
    """While sums are formed -0.0 is the identity; no result shows it."""
    ran = run("ring", [[-0.0, 1.0], [-0.0, -1.0]])

    assert str(ran.results[0]) == "[0.0, 0.0]"
    assert str(ran.trace[0][0].entries) == "[-0.0]"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"dst": lambda r, t, p: r + 1}, "p=3 step 0: dst(2, 0, 3) = 3 is out of range 0..2"),
        ({"src": lambda r, t, p: r - 1}, "p=3 step 0: src(0, 0, 3) = -1 is out of range 0..2"),
        ({"chunk": lambda r, t, p: p}, "p=3 step 0: chunk(0, 0, 3) = 3 is out of range 0..2"),
        ({"dst": lambda r, t, p: r}, "p=3 step 0: rank 0 sends to itself"),
        ({"dst": lambda r, t, p: (r + 2) % p}, "p=3 step 0: rank 0 sends to rank 2, which listens to rank 1"),
        ({"steps": lambda p: -1}, "p=3: steps(3) = -1; a page has at least 0 steps"),
    ],
)
def test_what_makes_no_schedule_is_named(wrong, why):
    """A run never guesses what a contradictory page may have meant."""
    with pytest.raises(ScheduleFault) as fault:
        run(replace(RING, **wrong), [[0] * 3] * 3).results

    assert str(fault.value) == why


@pytest.mark.parametrize(
    ("xs", "why"),
    [([], "no ranks"), ([[1, 2], [1]], "rank 1 has 1 entries, rank 0 has 2")],
)
def test_unequal_or_missing_vectors_are_refused(xs, why):
    """One sentence names the rank."""
    with pytest.raises(InputError, match=why):
        run("ring", xs)


def test_a_formula_that_gives_no_integer_is_named():
    """A float from a division is a fault of the page."""
    with pytest.raises(InputError, match=r"0\.5, not an integer"):
        run(replace(RING, chunk=lambda r, t, p: 0.5), [[1, 2], [3, 4]]).results
