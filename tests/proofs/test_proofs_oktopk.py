"""Ok-Topk's theorems: without a hypothesis the volume does not hold."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import sparring
from sparring.proofs import oktopk
from sparring.proofs.core import kernel, samples
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.questions import Memory, answered
from sparring.proofs.core.supplement import planted, subject
from sparring.proofs.core.verdicts import PROVED, UNDECIDED
from sparring.proofs.mutants.faults import Faults

PAGE = sparring.page("oktopk")
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume", "peers"]


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_a_program_without_faults_proves_nothing():
    """A theorem that no planted fault can upset says nothing."""
    whole = replace(subject(PAGE), faults={})
    conjecture = next(conjectures(whole))
    attempt = kernel.judge(whole, conjecture, second_opinion=True)
    assert kernel.confirmed(whole, attempt, conjecture, Faults(whole, Memory())).verdict == UNDECIDED


def named(name: str) -> Obligation:
    """The obligation on the volume of that name."""
    return next(one for one in oktopk.volume(PAGE.module) if one.name == name)


@pytest.mark.parametrize("gone", [-6, -5], ids=["the step's begin", "the step's end"])
def test_without_the_bounds_of_a_step_a_bucket_has_no_places(gone):
    """Both ends of a step are needed: then its turns are as many as the bucket has messages."""
    (whole,) = (one for one in oktopk.apart(PAGE.module) if one.name == "as many places as the bucket has")
    kept = tuple(one for one in whole.hypotheses if one is not whole.hypotheses[gone])
    (good,), (without,) = answered([whole], True), answered([whole._replace(hypotheses=kept)], False)
    assert good.holds and without.witness and not without.problem


@pytest.mark.parametrize("name", ["of two turns", "from two turns", "of two ranks"])
def test_one_receiver_a_turn_and_one_turn_a_receiver_are_each_claimed(name):
    """A rank that is sent to by all, and one that is sent to in all turns, are found by different claims."""
    all_to_one = {"dst": lambda r, i, p: i, "src": lambda r, i, p: i}
    always_next = {"dst": lambda r, i, p: (r + 1) % p, "src": lambda r, i, p: (r - 1) % p}
    wrong = all_to_one if name == "of two ranks" else always_next
    (claim,) = (one for one in oktopk.apart(SimpleNamespace(**{**vars(PAGE.module), **wrong})) if one.name == name)
    (answer,) = answered([claim], False)
    assert answer.witness and not answer.problem


@pytest.mark.parametrize("name", ["split", "dealt out", "a share ends no later than with e"])
def test_each_hypothesis_of_the_volume_is_needed(name):
    """Without the last one, that the own region has its part, that shares are of all, that there are so few."""
    whole = named(name)
    (good,) = answered([whole], True)
    (without,) = answered([whole._replace(hypotheses=whole.hypotheses[:-1])], False)
    assert good.holds
    assert without.witness and not without.problem


def test_means_beyond_the_end_are_found_by_trying():
    broken = [*oktopk.regions(planted(subject(PAGE), "means rounded beyond the end").page.module)]
    assert any(samples.false_at(one) for one in broken)
    assert not any(samples.false_at(one) for one in oktopk.regions(PAGE.module))
