"""Programs' faults: with each that a proof module names, one of the page's theorems is false."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import sparring
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import Subject, planted, subject

FAULTS = [(name, fault) for name in sparring.pages() for fault in subject(sparring.page(name)).faults]
UPSETS = {
    ("moshpit", "the index goes into the next digit"): "result",
    ("moshpit", "all lower digits may differ"): "result",
    ("moshpit", "weights forgotten"): "conservation",
    ("moshpit", "parts rounded up"): "partition",
    ("moshpit", "sends to the next but one"): "deadlock",
}
"""Where it is known which."""


def upset(whole: Subject, fault: str, only: str | None = None) -> Iterator[str]:
    """The theorems with an obligation of which a solver has a counterexample that stands when it is evaluated."""
    for one in conjectures(planted(whole, fault)):
        if one.name != "peers" and only in {None, one.name}:
            answers = answered(one.obligations, False, one.encoding)
            if any(answer.witness and not answer.problem for answer in answers):
                yield one.name


@pytest.mark.parametrize(("page", "fault"), FAULTS)
def test_every_fault_upsets_a_theorem(page, fault):
    assert next(upset(subject(sparring.page(page)), fault, UPSETS.get((page, fault))), "")


def test_faults_are_those_of_the_pages():
    """None of whose theorems something is known is missing, and no program is without."""
    assert {*UPSETS} <= {*FAULTS}
    theorems = {name for name in sparring.pages() if subject(sparring.page(name)).theorems}
    assert theorems == {name for name, _ in FAULTS}


def test_what_changes_nothing_upsets_nothing():
    whole = subject(sparring.page("qsgd"))
    name = next(iter(next(iter(whole.faults.values()))))
    assert not [*upset(replace(whole, faults={"none": {name: getattr(whole.page.module, name)}}), "none")]


def test_an_owner_that_keeps_its_sum_upsets_agreement_alone():
    """Its sum is as good; but the other ranks have another."""
    assert [*upset(subject(sparring.page("flash")), "an owner keeps its sum as it is")] == ["agreement"]
