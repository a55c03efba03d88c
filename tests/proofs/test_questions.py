"""Whether hypotheses can be so at all, which facts a proof needs, and what no number makes of a formula."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

import sparring
from sparring.errors import InputError, ScheduleFault
from sparring.proofs.logic import solvers
from sparring.proofs.logic.obligations import Obligation, p, q, r, t, within
from sparring.proofs.logic.queries import counterexample, instance
from sparring.proofs.statements import execution
from sparring.spec.core.numbers import Bool, both
from sparring.spec.core.schedule import step_sends

CASES: dict[str, tuple[list[Bool], list[int]]] = {
    "nothing is asked": ([], [1, 2, 3]),
    "a rank": ([p >= 1, within(r)], [1, 2, 3]),
    "two different ranks": ([within(q), within(r), q < r], [2, 3]),
    "a rank beyond a third": ([within(r), r > 1], [3]),
    "two that contradict each other": ([r < q, q < r], []),
    "what is never so": ([within(r), both(r < 0, p >= 1)], []),
    "a truth that speaks of nothing": ([False, within(r)], []),
    "a shift by what may be negative": ([within(r), (1 << (r - 1)) >= p - 2], [2, 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_hypotheses_are_satisfied_where_numbers_are_found(case: str) -> None:
    hypotheses, satisfied = CASES[case]
    assert [ranks for ranks in (1, 2, 3) if instance(hypotheses, ranks)] == satisfied


@pytest.mark.parametrize(("least", "word"), [(14, "sat"), (13, "unsat")])
def test_where_z3_gives_up_it_is_asked_alone(least, word):
    """As where the claim does not follow: in a context of its own, whose models can be read for terms of the first."""
    p, x = z3.Ints("p x")
    facts, claim = [p >= 2, x * p == 42, p <= x], p + x >= least
    tired = solvers.question(facts, claim, effort=1)
    assert solvers.ask_z3(tired) == "unknown"
    answer, solver = solvers.decided(tired)
    assert (answer, solver is tired, solver.ctx == tired.ctx) == (word, False, False)
    rested = solvers.question(facts, claim)
    answer, again = solvers.decided(rested)
    assert (answer, again is rested) == (word, word == "unsat")
    if word == "sat":
        assert solvers.witness(solver, p) == solvers.witness(again, p) == {"p": 6, "x": 7}


x, y, *others = z3.Ints("x y " + " ".join(f"z{i}" for i in range(50)))
FACTS = [x > y, y > 3, *(other == i for i, other in enumerate(others))]


def test_a_proof_names_its_facts():
    """The claim follows from the two that it is about; the fifty others are left out."""
    assert solvers.needed(FACTS, x > 4) == ("unsat", [0, 1])
    assert solvers.ask_z3(solvers.question(FACTS[:2], x > 4)) == "unsat"


@pytest.mark.parametrize("claim", [x > 5, others[0] == 1])
def test_what_does_not_follow_needs_nothing(claim):
    """It has a counterexample, under all facts."""
    assert solvers.needed(FACTS, claim) == ("sat", [*range(len(FACTS))])


@pytest.mark.parametrize(
    ("hint", "rests_on"),
    [
        ([0, 1], [0, 1]), ([0, 1, 5], [0, 1, 5]), ([0], [0, 1]), ([], [0, 1]), ([0, 1, 99], [0, 1]),
        ([0, 1, -99], [0, 1]), (None, [0, 1]),
    ],
    ids=["right", "more than enough", "too few", "none", "of other facts", "damaged", "no hint"],
)  # fmt: skip
def test_a_hint_is_tried_and_not_believed(hint, rests_on):
    """Facts that were enough before are asked first; where they are not enough, all are, and the answer is the same."""
    assert solvers.needed(FACTS, x > 4, hint=hint) == ("unsat", rests_on)
    assert solvers.needed(FACTS, x > 5, hint=hint) == ("sat", [*range(len(FACTS))])


def test_effort_is_limited():
    """Where it does not do, the answer is neither."""
    assert solvers.needed([x * x * x + y * y * y == 33 + others[0] ** 3], x < 1000, 1000)[0] == "unknown"


GTOPK = sparring.page("gtopk")


WORTHLESS = {
    "negative shift count": replace(GTOPK, steps=lambda p: GTOPK.steps(p) + 1),  # the partner's bit is number -1
    "integer modulo by zero": replace(sparring.page("ring"), chunk=lambda r, t, p: r % t, steps=lambda p: 1),
}


@pytest.mark.parametrize("why", WORTHLESS)
def test_a_run_says_that_a_formula_has_no_value(why):
    """And so does whatever asks for the messages of a step."""
    told = f"step 0: a formula has no value: {why}"

    assert execution.first(execution.matched, GTOPK, range(1, 6)) is None
    assert str(execution.first(execution.matched, WORTHLESS[why], range(1, 6))) == f"p=1 {told}"
    with pytest.raises(ScheduleFault, match=told):
        step_sends(WORTHLESS[why], 0, 1)


def test_what_is_no_number_stays_bad_input():
    """It is no fault of the schedule."""
    with pytest.raises(InputError, match="not an integer"):
        execution.first(execution.matched, replace(GTOPK, steps=lambda p: "many"), range(1, 3))


def test_a_counterexample_has_values():
    """At t=0 the claim says nothing; at t=2 it is false."""
    claim = Obligation("small", (p >= 1, t >= 0), 1 << (t - 1) < p)

    assert not counterexample(claim, {"p": 2, "t": 0})
    assert counterexample(claim, {"p": 2, "t": 2})
