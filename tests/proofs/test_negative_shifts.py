"""A formula that shifts by a negative number has no value: runs say so, and solvers' counterexamples there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.core import execution
from sparring.proofs.core.obligations import Obligation, p, t
from sparring.proofs.core.questions import counterexample

PAGE = sparring.page("gtopk")


def test_a_run_says_so():
    """Of gTop-k with one step more, in which the partner's bit is number -1."""
    longer = replace(PAGE, steps=lambda p: PAGE.steps(p) + 1)

    assert execution.first(execution.matched, PAGE, range(1, 6)) is None
    assert str(execution.first(execution.matched, longer, range(1, 6))) == (
        "p=1: a formula has no value: negative shift count"
    )


def test_what_is_no_number_stays_bad_input():
    """It is no fault of the schedule."""
    with pytest.raises(InputError, match="not an integer"):
        execution.first(execution.matched, replace(PAGE, steps=lambda p: "many"), range(1, 3))


def test_a_counterexample_has_values():
    """At t=0 the claim says nothing; at t=2 it is false."""
    claim = Obligation("small", (p >= 1, t >= 0), 1 << (t - 1) < p)

    assert not counterexample(claim, {"p": 2, "t": 0})
    assert counterexample(claim, {"p": 2, "t": 2})
