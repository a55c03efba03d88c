"""Reduce-scatter and allgather are proved for every p; planted faults are refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs.core import execution, kernel
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.kernel import Theorem
from sparring.proofs.core.questions import Memory, answered
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import EXPECTED, PROVED, proved_up_to
from sparring.spec.core.numbers import both, where

PAGE = page("rabenseifner")
FORMULAS = PAGE.module
SUBJECT = subject(PAGE)


def part(whose):
    """The first chunk that a rank sends, if in a round it is of what the rank ``whose(r, t, p)`` looks after."""

    def first(r, t, p):
        size = where(FORMULAS.fold(t, p), FORMULAS.log(p), FORMULAS.log(p) - 1 - FORMULAS.bit(t, p))
        return (FORMULAS.place(whose(r, t, p), p) >> size) << size

    return first


FAULTS = {
    "wrong half kept": (
        replace(PAGE, chunk=part(lambda r, t, p: r)),
        "p=2: rank 0's chunk 0 ends without x1",
    ),
    "wrong block in the allgather": (
        replace(PAGE, chunk=part(PAGE.dst)),
        "p=2: rank 0's chunk 0 ends without x0",
    ),
    "missing fold": (
        replace(PAGE, active=lambda r, t, p: both(FORMULAS.folds(p) <= t, PAGE.active(r, t, p))),
        "p=3: rank 0's chunk 0 ends without x0",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_refuted(fault):
    """By the obligation on what is where after a step, and by a run with the fewest ranks."""
    faulty, why = FAULTS[fault]
    result = next(c for c in conjectures(replace(SUBJECT, page=faulty)) if c.name == "result")
    step = [o for o in result.obligations if o.name == "step"]
    attempt = kernel.judge(replace(SUBJECT, page=faulty), result._replace(obligations=tuple(step)), False)

    assert not attempt.answers[0].holds
    assert str(attempt.verdict) == "refuted"
    assert str(execution.first(execution.wrong_result, faulty)) == why


def test_holds_is_exact():
    """Of every cell, also of those that were given away: no lie up to 16 ranks."""
    assert execution.first_lie(PAGE) is None


@pytest.mark.parametrize("name", ["deadlock", "rendezvous on crossbar"])
def test_decided_by_facts_about_blocks(name):
    """Without bits, and so for every p."""
    conjecture = next(c for c in conjectures(SUBJECT) if c.name == name)
    answers = list(answered(conjecture.obligations, False, "bits", Memory()))
    assert {(a.holds, a.below) for a in answers} == {(True, False)}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_proved_for_every_p():
    """By both solvers, without a bound, each claim with a refuted mutant."""
    found = {a.name: a for a in kernel.prove(PAGE)}
    theorems = {name: a for name, a in found.items() if isinstance(a, Theorem)}

    assert {*theorems} == {
        "result", "agreement", "economy", "partition", "deadlock", "rendezvous on crossbar", "peers",
    }  # fmt: skip
    assert {(a.verdict, bool(a.mutant)) for a in theorems.values()} == {(PROVED, True)}
    others = {name: a.verdict for name, a in found.items() if name not in theorems}
    assert others == {"lock step on ring": EXPECTED, "lock step on tree": EXPECTED, "timing": proved_up_to(32)}
