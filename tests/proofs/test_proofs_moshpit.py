"""Moshpit's theorems: without a hypothesis they do not hold."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs import moshpit
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED

PAGE = sparring.page("moshpit")


def test_all_are_proved_for_every_p_and_every_size_of_groups():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == [
        "result",
        "conservation",
        "partition",
        "deadlock",
        "volume",
        "contention",
        "peers",
    ]
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("another cell for another index", -1),  # that the indices are different
        ("higher digits are as at first", -1),  # that they were so before
        ("what a member has comes", -2),  # that it is a member
        ("and each from one member", -1),
        ("in the end all", 2),  # that the grid is full
    ],
)
def test_each_hypothesis_is_needed(name, gone):
    """Without it the same claim has a counterexample."""
    (whole,) = (
        one for part in (moshpit.cells, moshpit.influence) for one in part(PAGE.module) if one.name == name
    )  # fmt: skip
    kept = tuple(one for i, one in enumerate(whole.hypotheses) if i != gone % len(whole.hypotheses))
    (good,), (without,) = (
        answered([one], second, "digits") for one, second in ((whole, True), (whole._replace(hypotheses=kept), False))
    )
    assert good.holds
    assert not without.holds and without.witness and not without.problem


def test_indices_that_may_be_alike_are_refuted():
    """That no two members of a group have one index is what keeps them apart."""
    (whole,) = (one for one in moshpit.cells(PAGE.module) if one.name == "no two take one")
    f, g = PAGE.module, moshpit
    after, other = f.moved(g.x, g.t, g.b, g.m), f.moved(g.y, g.t, g.g, g.m)
    (answer,) = answered([whole._replace(claim=g.negate(after == other))], False, "digits")
    assert answer.witness and not answer.problem


@pytest.mark.parametrize("name", ["what they had", "not above the largest", "not below the smallest"])
def test_the_mean_needs_its_hypotheses(name):
    (whole,) = (one for one in moshpit.mass(PAGE.module) if one.name == name)
    (good,), (without,) = (
        answered([one], True) for one in (whole, whole._replace(hypotheses=whole.hypotheses[:-1]))
    )  # fmt: skip
    assert good.holds
    assert without.witness and not without.problem
