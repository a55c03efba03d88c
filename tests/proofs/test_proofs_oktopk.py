"""Ok-Topk's theorems: each fault upsets one of them, and without a hypothesis the volume does not hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.proofs import oktopk
from sparring.proofs.core import kernel, samples
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import planted, subject
from sparring.proofs.core.verdicts import PROVED, UNDECIDED

PAGE = sparring.page("oktopk")
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "volume", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


@pytest.mark.parametrize("fault", oktopk.faults)
def test_every_fault_upsets_a_theorem(fault):
    """A solver has a counterexample, which stands when it is evaluated."""
    wrong = [
        answer.obligation.name
        for conjecture in conjectures(planted(subject(PAGE), fault))
        if conjecture.name != "peers"
        for answer in answered(conjecture.obligations, False)
        if answer.witness and not answer.problem
    ]
    assert wrong


def test_a_program_without_faults_proves_nothing():
    """A theorem that no planted fault can upset says nothing."""
    whole = replace(subject(PAGE), faults={})
    conjecture = next(conjectures(whole))
    attempt = kernel.judge(whole, conjecture, second_opinion=True)
    assert kernel.confirmed(whole, attempt, kernel.Memory()).verdict == UNDECIDED


def named(name: str) -> Obligation:
    """The obligation on the volume of that name."""
    return next(one for one in oktopk.volume(PAGE.module) if one.name == name)


@pytest.mark.parametrize("name", ["split", "dealt out", "a share ends no later than with e"])
def test_each_hypothesis_of_the_volume_is_needed(name):
    """Without the last one, that the own region has its part, that shares are of all, that there are so few."""
    whole = named(name)
    (good,) = answered([whole], True)
    (without,) = answered([whole._replace(hypotheses=whole.hypotheses[:-1])], False)
    assert good.holds
    assert without.witness and not without.problem


def test_a_page_with_formulas_has_faults_of_its_own():
    """And a program those of its proof module, whatever formulas are called."""
    assert {*kernel.mutations(subject(PAGE))} == {*oktopk.faults}
    assert "wrong neighbour" in kernel.mutations(subject(sparring.page("ring")))


def test_means_beyond_the_end_are_found_by_trying():
    broken = [*oktopk.regions(planted(subject(PAGE), "means rounded beyond the end").page.module)]
    assert any(samples.false_at(one) for one in broken)
    assert not any(samples.false_at(one) for one in oktopk.regions(PAGE.module))
