"""Several messages of chunks in a step: summed one after the other, step by step."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring import page
from sparring.errors import Undecided
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost import bundles, comparison, proof
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.symbols import n, p
from sparring.spec.core.numbers import both, where

PAGE = page("two_shot")


@pytest.fixture(scope="module")
def derived():
    return derive(PAGE)


def test_in_closed_form():
    """A rank gives all but its own chunk away, then its own to all others; both are what a ring sends."""
    cost = sparring.cost("two_shot")
    even = cost.simplify("p | n")

    assert (cost.messages - 2 * (p - 1)).expand() == 0
    for form in ("words", "path", "critical"):
        assert (even.needed(form) - 2 * n * (p - 1) / p).expand() == 0
    assert {check.name: check.verdict for check in cost.checks}["derivation"] == PROVED
    assert even.words == sparring.cost("ring").simplify("p | n").words


@pytest.mark.parametrize("few", [range(1, 18), pytest.param(range(18, 65), marks=pytest.mark.slow)])
def test_counting_agrees(derived, few):
    """Message by message, and with what runs send."""
    assert comparison.compared(PAGE, derived, few) is None


@pytest.mark.parametrize(
    "form", ["steps", "several", "largest", "path", "critical", "added_most", "added_critical", "sent"]
)
def test_a_wrong_form_is_seen(derived, form):
    """Each form one too large is unlike the count."""
    assert comparison.compared(PAGE, replace(derived, **{form: getattr(derived, form) + 1}), range(4, 5)) is not None


def test_a_wrong_step_is_not_proved(derived):
    """What the second step sends, in the place of what the first does."""
    (first, one), (second, two) = derived.parts
    assert proof.prove(PAGE, derived).verdict == PROVED
    assert proof.prove(PAGE, replace(derived, parts=((first, two), (second, one)))).verdict != PROVED


def test_who_sends_to_fewer_has_no_path_in_closed_form():
    """A planted page that leaves out the rank before its own; and one that sends to the next rank each time."""
    fewer = replace(PAGE, messages=lambda t, p: p - 2)
    assert bundles.to_all(PAGE)
    assert not bundles.to_all(fewer)
    assert not bundles.to_all(replace(PAGE, dst=lambda r, t, p, j: (r + 1) % p))


@pytest.mark.parametrize(
    "planted",
    [
        {"active": lambda r, t, p, j: r > 0},
        {"active": lambda r, t, p, j: both(r >= 0, j < 1)},
        {"steps": lambda p: 2},
        {"steps": lambda p: where(p > 5, 3, where(p > 1, 2, 0))},
        {"steps": lambda p: where(p > 1, 17, 0)},
        {"steps": lambda p: p - 1},
    ],
    ids=["a silent rank", "a silent message", "steps of one rank", "more steps", "many steps", "ever more steps"],
)
def test_what_is_not_summed_is_told(planted):
    """No form is made up."""
    with pytest.raises(Undecided, match="several messages in each of so many steps"):
        bundles.step_by_step(replace(PAGE, **planted))


def test_a_step_is_a_page_of_its_messages():
    """The first step's message j is to the rank j + 1 further, with its chunk; only there something is added."""
    first, second = bundles.step_by_step(PAGE)

    assert [(first.dst(2, j, 5), first.chunk(2, j, 5)) for j in range(4)] == [(3, 3), (4, 4), (0, 0), (1, 1)]
    assert [second.chunk(2, j, 5) for j in range(4)] == [2] * 4
    assert (first.adds(3, 5), second.adds(3, 5)) == (True, False)
    assert [step.steps(7) for step in (first, second)] == [6, 6]
