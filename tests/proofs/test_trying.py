"""Small numbers upset what is wrong, and what they do not upset is tried once."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs.core.obligations import Obligation, p, r, t, within
from sparring.proofs.core.questions import Memory
from sparring.proofs.core.supplement import subject
from sparring.proofs.mutants import trying
from sparring.proofs.mutants.trying import Trials
from sparring.spec.core.numbers import where
from tests.proofs.planted import MUTATIONS

BOX = (p >= 1, within(r))


def test_a_counterexample_is_told():
    """With the values of the letters that the obligation speaks of."""
    found = [*Trials(Memory()).upset([Obligation("too low", (p == 4, r == 2), r < 2)])]

    assert {*found} == {"too low fails at p=4, r=2"}


def test_what_has_no_value_upsets_nobody():
    """Not even where it would be needed to tell."""
    assert not [*Trials(Memory()).upset([Obligation("no shift", BOX, 1 << (r - p) < 0)])]


def test_what_is_right_is_tried_once(monkeypatch):
    """Equal terms are one, whichever page they come from; what was upset is tried anew."""
    trials = Trials(Memory())
    right, wrong = (Obligation("one", BOX, claim) for claim in (r < p, r < p - 1))
    assert not [*trials.upset([right])]
    monkeypatch.setattr(trying, "points", lambda names: pytest.fail("tried again") if names else [])

    assert not [*trials.upset([Obligation("another", (p >= 1, within(r)), r < p)])]
    with pytest.raises(pytest.fail.Exception):
        list(trials.upset([wrong]))


@pytest.mark.parametrize("name", ["wrong neighbour", "never adds", "step short"])
def test_faults_of_a_page(name):
    """Found without a solver; of the page itself nothing is."""
    trials, whole = Trials(Memory()), subject(sparring.page("ring"))

    assert not [*trials.tried(whole)]
    assert next(trials.tried(MUTATIONS[name](whole)), "")


def test_a_parameter_has_every_value():
    """What is wrong with one radix alone is found, though the page has another."""
    whole = subject(sparring.page("recursive_multiplying"))

    assert whole.page.params["radix"] == 4 and not [*Trials(Memory()).tried(whole, "deadlock")]
    claims = [
        Obligation("radix", (*whole.given, *BOX, t == 1), where(whole.general.page.params["radix"] == 3, 0, t) == 1)
    ]
    assert all("radix=3" in told for told in Trials(Memory()).upset(claims))
    assert [*Trials(Memory()).upset(claims)]
