"""A binary search for how much to gather: the best where times are unimodal, not everywhere."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import sparring
from sparring import InputError, Machine
from sparring.costs import fusion
from sparring.costs.fusion import Layer, Line
from sparring.proofs.logic.queries import answered

LINE = Line(Fraction(2), Fraction(1))


def layers(*pairs):
    """Layers by entries and seconds, from the first to the last."""
    return [Layer(entries, Fraction(seconds)) for entries, seconds in pairs]


@pytest.mark.parametrize(
    ("least", "buffers", "end"),
    [
        (0, [(3, 1), (1, 3), (2, 6)], 13),  # 1 + 5, then at once + 3, then at once + 4
        (3, [(3, 1), (3, 6)], 11),
        (4, [(4, 3), (2, 6)], 13),
        (6, [(6, 6)], 14),
        (99, [(6, 6)], 14),
    ],
)
def test_what_an_iteration_takes(least, buffers, end):
    """By hand: 3, 1 and 2 entries are ready after 1, 3 and 6 seconds, and each buffer takes 2 and 1 an entry."""
    some = layers((2, 3), (1, 2), (3, 1))

    assert [*fusion.buffers(some, least)] == buffers
    assert fusion.iteration(some, least, LINE) == end


def test_where_times_are_unimodal_the_best_is_found():
    """Of seven places all times of four heights that are, plateaus of the best included; of others it is often not."""
    found, lost = 0, 0
    for times in product(range(4), repeat=7):
        for delta in (1, 2, 5):
            hit = fusion.halved(lambda i: Fraction(times[i]), 0, 6, delta).time == min(times)  # noqa: B023  # called at once
            if fusion.unimodal(times):
                assert hit
                found += 1
            lost += not hit
    assert found > 100
    assert lost > 1000


def test_both_solvers_prove_it():
    """For every number of places, every unimodal times and every distance from the middle."""
    assert all(answer.holds for answer in answered([*fusion.optimality()], second_opinion=True))


def to_the_middle(low, high, left, right, sign):
    """As one would halve: but a best place may lie between the middle and the worse of the two."""
    return ((left + right) // 2 if sign <= 0 else low), ((left + right) // 2 if sign >= 0 else high)


WRONG = {
    "to the middle": to_the_middle,
    "the other side": lambda low, high, left, right, sign: fusion.narrowed(low, high, left, right, -sign),
    "of equal ones the right": lambda low, high, left, right, sign: (
        (right, high) if sign == 0 else fusion.narrowed(low, high, left, right, sign)
    ),
    "beyond the better": lambda low, high, left, right, sign: (
        (right + 1, high) if sign < 0 else fusion.narrowed(low, high, left, right, sign)
    ),
    "never": lambda low, high, left, right, sign: (low, high),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_ways_to_narrow_are_refuted(name):
    """Each loses a best place, or gets nowhere."""
    assert not all(answer.holds for answer in answered([*fusion.optimality(WRONG[name])], second_opinion=False))


@pytest.mark.parametrize(("low", "high", "delta"), [(1, 0, 1), (0, 5, 0)])
def test_no_place_is_refused_and_one_is_the_best(low, high, delta):
    with pytest.raises(InputError, match="there must be one, and 1 or more"):
        fusion.halved(Fraction, low, high, delta)
    assert fusion.halved(Fraction, 3, 3) == (3, 3, {3: 3})


@pytest.mark.parametrize("name", ["topka2a", "ring", "ring_topk", "ring_allgather"])
def test_the_line_is_the_cost(name):
    """Start-up and time an entry, as the cost itself is at a point where nothing is rounded."""
    machine, cost, p, n = Machine("5us", "25Gbit/s", "1ns"), sparring.cost(name), 8, 8000

    startup, entry = fusion.line(cost, machine, p, Fraction(1, 50))
    at = cost.at(p=p, n=n, k=n // 50, **machine.letters)

    assert startup + entry * n == at.time
    assert startup == at.messages * machine.alpha


def test_where_there_is_no_line_it_is_refused():
    with pytest.raises(InputError, match=r"derived where .*, not for p=6"):
        fusion.line(sparring.cost("recursive_doubling"), Machine.preset("eth-25g"), 6, Fraction(1))
