"""Letters that are known, found again from times that follow from them; and from disturbed ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring.costs.links.machines import Machine
from sparring.errors import InputError
from sparring.libraries import letters
from sparring.libraries.choices import Match, pricing
from sparring.libraries.matching import candidates
from sparring.libraries.timing import Timings

SIZES = [1 << i for i in range(0, 21, 2)]
NAMES = ("recursive_doubling", "rabenseifner", "ring", "linear_reduce + linear_bcast")
KNOWN = Machine("2us", "0.25ns", "0.5ns")


@pytest.fixture(scope="module")
def matches():
    pages = {name: next(one for one in candidates("allreduce") if one.name == name) for name in NAMES}
    return {("allreduce", name, 2, n): Match(page, 1) for name, page in pages.items() for n in SIZES}


def times(matches, machine, disturbed=lambda name: 1.0, rounds=1):
    """What these pages take on the machine, times a factor."""
    price: Any = pricing("allreduce", machine)
    plain = {name: [float(price(matches["allreduce", name, 2, n].played, 2, n)) for n in SIZES] for name in NAMES}
    seconds: Any = {name: [[x * disturbed(name) for x in row] for _ in range(rounds)] for name, row in plain.items()}
    return Timings(2, SIZES, seconds)


def values(machine):
    return [float(machine.letters[letter]) for letter in ("alpha", "beta", "gamma")]


def test_letters_are_found_again(matches):
    found = letters.fitted(matches, [times(matches, KNOWN)])
    assert values(found) == pytest.approx(values(KNOWN), rel=1e-3)
    assert found.source == "fitted to 44 times of algorithms on 2 ranks"


def test_other_letters_are_other_letters(matches):
    """Beta and gamma swapped, which differ in what is added alone."""
    swapped = Machine("2us", "0.5ns", "0.25ns")
    found = letters.fitted(matches, [times(matches, swapped)])
    assert values(found) == pytest.approx(values(swapped), rel=1e-3)


def test_a_letter_that_takes_no_time_is_zero(matches):
    free = Machine("2us", "0.25ns", 0)
    assert values(letters.fitted(matches, [times(matches, free)])) == pytest.approx(values(free), abs=1e-13)


def test_an_algorithm_that_was_always_disturbed_is_outvoted(matches):
    """Times of the ring are a thousand times too long; others scatter, and the least of six rounds counts."""
    draw = np.random.default_rng(3)
    slow = times(matches, KNOWN, lambda name: (1000 if name == "ring" else 1) * np.exp(abs(draw.normal(0, 0.2))), 6)
    assert values(letters.fitted(matches, [slow])) == pytest.approx(values(KNOWN), rel=0.3)


def test_what_has_no_price_or_no_time_is_no_point(matches):
    told = times(matches, KNOWN)
    odd = {**matches, ("allreduce", "odd", 2, 1): Match(matches["allreduce", "ring", 2, 1].played, 3)}
    missing = Timings(2, SIZES, {**told.seconds, "odd": [[1.0] * len(SIZES)], "ring": [[None] * len(SIZES)]})
    assert len(letters.points(odd, [missing]).seconds) == 3 * len(SIZES)
    with pytest.raises(InputError, match="no times were taken to which a machine could be fitted; right: --machine"):
        letters.fitted(matches, [])
