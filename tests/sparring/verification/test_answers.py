"""Pages of one process share the solvers' answers; a page with a fault shares none that hides it."""

from dataclasses import replace

import pytest

import sparring
from sparring.proofs.logic import solvers
from sparring.proofs.logic.verdicts import REFUTED
from sparring.verification import theorems

RING = sparring.page("ring_allgather")


@pytest.fixture
def asked(monkeypatch):
    """The questions that cvc5 is asked, in a process that has asked none."""
    found, ask = [], solvers.ask_cvc5
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: found.append(text) or ask(text))
    theorems.answers.cache_clear()
    yield found
    theorems.answers.cache_clear()


def proved(page):
    return {told.result.property: told.result for told in theorems.theorems(page, keep=False)}


def test_what_was_answered_is_not_asked_again(asked):
    """A second page of the same formulas has the same theorems, and no question of its own."""
    first = proved(RING)
    questions = len(asked)
    second = proved(replace(RING, name="another"))
    assert questions and len(asked) == questions
    assert {p: (r.verdict, r.planted) for p, r in first.items()} == {
        p: (r.verdict, r.planted) for p, r in second.items()
    }


def test_a_fault_is_refuted_all_the_same(asked):
    """Its obligations are others, so their answers are not those of the right page."""
    proved(RING)
    wrong = proved(replace(RING, src=lambda r, t, p: (r - 2) % p))
    assert wrong["result"].verdict == REFUTED
