"""The kernel proves what is so, refutes what is not, and tells a wrong algorithm from a wrong annotation."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from sparring import InputError, page
from sparring.proofs.kernel import kernel
from sparring.proofs.kernel.kernel import Attempt, Theorem
from sparring.proofs.logic import obligations, queries, solvers
from sparring.proofs.logic.obligations import Obligation, p, r, t, within
from sparring.proofs.logic.verdicts import PROVED, UNDECIDED, Word
from sparring.proofs.proving import proving
from sparring.proofs.reading import annotations
from sparring.proofs.statements import conjectures, formulas
from sparring.proofs.statements.conjectures import Conjecture, Found
from sparring.spec.core.numbers import both, either, where
from sparring.spec.core.vocabulary import KINDS

RING = page("ring")


def attempt(name: str = "result", **formulas) -> Attempt:
    """What the kernel makes of one conjecture about the ring with some formulas replaced."""
    return next(a for a in proving.prove(replace(RING, **formulas)) if a.name == name)


@pytest.fixture(scope="module")
def ring() -> dict[str, Attempt]:
    return {a.name: a for a in proving.prove(RING)}


def test_every_conjecture_about_the_ring_is_a_theorem(ring):
    """For every number of ranks, by both solvers, each with a refuted mutant."""
    places = [f"{kind} on {x}" for x in ("ring", "tree", "crossbar", "fat_tree") for kind in ("lock step", "exclusive")]
    assert [*ring] == ["result", "agreement", "economy", "partition", "deadlock", *places, "peers", "timing"]
    for theorem in [attempt for name, attempt in ring.items() if name != "timing"]:
        assert isinstance(theorem, Theorem)
        assert theorem.verdict == PROVED
        assert theorem.mutant
        assert {frozenset(a.solvers.items()) for a in theorem.answers} == {
            frozenset({("z3", "unsat"), ("cvc5", "unsat")})
        }


def test_two_messages_between_two_ranks_are_one_too_many():
    """Planted: on two ranks both neighbours are one and the same; its chunks come, but no run goes through."""
    both_ways = page("sparring.spec.collectives.bidirectional_ring")
    twice = replace(both_ways, messages=lambda t, p: 2, chunks=lambda p: 2 * p)

    told = {one.name: (one.verdict.word, one.detail) for one in proving.prove(twice, planted=False)}
    wrong = Word.REFUTED, "p=2 step 0: rank 0 sends 2 messages to rank 1; a step has at most one"
    assert {told[name] for name in ("result", "agreement", "economy", "deadlock")} == {wrong}


def test_nothing_else_makes_theorems(ring):
    """Neither the class nor a copy of a theorem with another content."""
    with pytest.raises(TypeError, match="by nothing else"):
        Theorem("ring", "result", "", PROVED, "", {}, ())
    with pytest.raises(TypeError, match="by nothing else"):
        replace(ring["result"], verdict=UNDECIDED)


EVIDENCE = {
    "none": None,
    "no fault": lambda one: ((), ""),
    "a page without a fault": lambda one: ([Found("none", annotations.subject(RING), one, held(one))], ""),
    "an obligation that no fault upsets": lambda one: (proving.Faults(*RIGHT).refuting(one)[0].values(), "one"),
}
RIGHT = annotations.subject(RING), queries.Memory()


def held(one: Conjecture) -> queries.Answer:
    """The answer on the first of its obligations, which holds."""
    return next(queries.answered(one.obligations, False, one.encoding))


@pytest.mark.parametrize("handed", EVIDENCE)
def test_what_is_handed_no_fault_makes_no_theorem(handed):
    """What plants faults may be left out or wrong: what it finds is judged again, and by itself it proves nothing."""
    whole, memory = RIGHT
    made = kernel.attempts(replace(whole, contention={}), memory, EVIDENCE[handed])
    assert not any(isinstance(one, Theorem) for one in made)


DENIES = "runs with p <= 16 are clean, but at p=2 after 1 steps, of rank 0's chunk {}, holds denies that it holds x1"
WRONG = {
    "wrong dst": ({"dst": lambda r, t, p: (r + 2) % p}, "p=2 step 0: rank 0 sends to itself"),
    "wrong src": ({"src": lambda r, t, p: (r + 1) % p}, "p=3 step 0: rank 0 sends to rank 1, which listens to rank 2"),
    "no wrap": ({"dst": lambda r, t, p: r + 1}, "p=2 step 0: dst(1, 0, 2) = 2 is out of range 0..1"),
    "negative": ({"steps": lambda p: 2 * p - 3}, "p=1: steps(1) = -1; a page has at least 0 steps"),
    "too few": ({"steps": lambda p: where(p > 1, 2 * p - 3, 0)}, "p=2: rank 0's chunk 0 ends without x1"),
    "too many": ({"steps": lambda p: 2 * p - 1}, "p=1 step 0: rank 0 sends to itself"),
    "adds long": ({"adds": lambda t, p: t < p}, "p=2: rank 0's chunk 0 ends with x0 2 times"),
    "adds short": ({"adds": lambda t, p: t < p - 2}, "p=2: rank 0's chunk 0 ends without x1"),
    "chunk": ({"chunk": lambda r, t, p: (r + t) % p}, "p=3: rank 0's chunk 0 ends without x1"),
    "wrong holds": ({"holds": lambda q, r, c, t, p: RING.holds(q, r, c, t - 1, p)}, DENIES.format(1)),
    "renamed chunks": ({"chunk": lambda r, t, p: (r - t + 1) % p}, DENIES.format(0)),  # the same algorithm
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_page_gets_its_verdict_at_the_fewest_ranks(fault):
    """Refuted where the algorithm is wrong; not inductive where only its annotation is."""
    formulas, detail = WRONG[fault]
    result = attempt(**formulas)

    word = Word.NOT_INDUCTIVE if detail.startswith("runs with") else Word.REFUTED
    assert (result.verdict.word, result.detail) == (word, detail)
    assert not isinstance(result, Theorem)


@pytest.mark.parametrize(
    ("formulas", "p"),
    [
        ({"dst": lambda r, t, p: (r + where(p < 20, 1, 2)) % p}, 20),
        ({"adds": lambda t, p: t < where(p < 20, p - 1, p)}, 20),
        ({"dst": lambda r, t, p: (r + where(p < 100, 1, 2)) % p}, 100),
    ],
    ids=["peers at 20", "adds at 20", "peers at 100"],
)
def test_a_fault_beyond_the_runs_is_found_by_the_solver(formulas, p):
    """No sweep of small p would see it; the witness has the fewest ranks all the same."""
    result = attempt(**formulas)

    assert (result.verdict.word, result.witness["p"]) == (Word.REFUTED, p)


def test_a_step_too_many_is_no_wrong_result_but_a_waste():
    """Extra steps that overwrite sums with sums are found by the claim of their own."""
    tried = proving.prove(replace(RING, steps=lambda p: where(p > 1, 2 * p - 1, 0)))
    result, _, economy = islice(tried, 3)

    assert isinstance(result, Theorem)
    assert economy.verdict.word is Word.REFUTED
    assert economy.detail == "p=2 step 2: the message of rank 0 brings rank 1 nothing new in chunk 0"


def test_ranks_that_end_with_different_terms_do_not_agree():
    """Refuted as agreement, with the two terms."""
    agreement = attempt("agreement", steps=lambda p: where(p > 1, 2 * p - 3, 0))

    assert agreement.verdict.word is Word.REFUTED
    assert agreement.detail == "p=2: chunk 0: rank 0 ends with (x0[0]+0.0), rank 1 with ((x0[0]+x1[0])+0.0)"


def test_a_wrong_same_is_not_inductive():
    """Ranks agree in every run, so what is wrong is what the supplement says."""
    whole = replace(annotations.subject(RING), same=lambda r, s, c, t, p: either(r == s, t >= p - 1))
    conjecture = next(c for c in conjectures.conjectures(whole) if c.name == "agreement")

    judged = kernel.judge(whole, conjecture, second_opinion=True)

    assert judged.verdict.word is Word.NOT_INDUCTIVE
    assert "same" in judged.detail


NO_RUN = "p=1 step 0: rank 0 sends to itself"
UNCHECKED = [(WRONG["too many"][0], Word.REFUTED, NO_RUN), ({}, Word.NOT_INDUCTIVE, "runs with p <= 16 are clean")]


@pytest.mark.parametrize(("formulas", "word", "detail"), UNCHECKED, ids=["no schedule", "twin"])
def test_a_claim_that_no_run_checks_is_judged_of_a_page_without_a_schedule(formulas, word, detail):
    """The schedule's fault refutes it, and does not end the search; where runs are clean the annotation is wrong."""
    one = replace(RING, **formulas)
    claim = Obligation("early", obligations.during(one), one.holds(0, r, 0, t, p), annotation=True)
    stated = Conjecture("claim: early", "All have it at once.", (claim,), check=None)

    judged = kernel.judge(replace(annotations.subject(RING), page=one), stated, second_opinion=False)

    assert judged.verdict.word is word
    assert judged.detail.startswith(detail)


def test_a_page_may_vouch_for_part_of_its_cells():
    """With ``live``, holds need only be right where the page still needs the cell."""

    def live(r, c, t, p):
        needed = where(t < p - 1, True, (r - c + 1) % p <= t - (p - 1))
        return either(needed, both(t >= p - 1, (r - c + 1) % p <= t - (p - 1)))

    def holds(q, r, c, t, p):
        return either(t >= p - 1, where((r - c) % p <= t, (q - c) % p <= (r - c) % p, q == r))

    assert isinstance(attempt(live=live, holds=holds), Theorem)
    assert attempt(holds=holds).verdict.word is Word.NOT_INDUCTIVE


def test_a_branch_in_a_page_is_bad_input():
    """A formula that asks a symbol for its truth is named, and nothing is proved."""
    with pytest.raises(InputError, match="no truth value: write where"):
        attempt(adds=lambda t, p: bool(t < p - 1))


def test_a_formula_outside_the_encoding_is_undecided():
    """A remainder by something else than p or a constant has no reading; right runs do not make it a theorem."""
    result = attempt(dst=lambda r, t, p: where(r + 1 < p, r + 1, 0 * (r % (p + 1))))

    assert result.verdict == UNDECIDED
    assert "only % by p or by a positive constant can be read" in result.detail


@pytest.mark.parametrize("word", ["unknown", "sat"])
def test_a_solver_that_does_not_agree_decides_nothing(monkeypatch, word):
    """Neither an unknown nor a contradiction between the solvers passes for a proof."""
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: word)

    result = attempt()

    assert result.verdict == UNDECIDED
    assert f"z3 unsat, cvc5 {word}" in result.detail


def test_an_unknown_of_both_solvers_is_undecided(monkeypatch):
    """A resource limit that runs out is told as such; every way of asking is tried, here of one obligation."""
    whole = formulas.result
    monkeypatch.setattr(formulas, "result", lambda page: islice(whole(page), 1))
    monkeypatch.setattr(solvers, "ask_z3", lambda solver: "unknown")
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: "unknown")

    assert attempt().verdict == UNDECIDED


def test_contradictory_hypotheses_prove_nothing():
    """What follows from a contradiction is no theorem: vacuity is looked for at p = 2, 3, 4, 5."""
    for hypothesis, ranks in ((r < 0, 2), (p < 4, 4)):
        claim = Obligation("anything", (p >= 1, within(r), within(t, p), hypothesis), p < r)
        (answer,) = queries.answered([claim], second_opinion=True)

        assert not answer.holds
        if ranks == 2:
            assert answer.problem == "the hypotheses contradict each other at p=2, so that anything would follow"


OBLIGATIONS = {
    "live": {"live": lambda r, c, t, p: t > 0},
    "wanted somewhere": {"kind": "none", "own": KINDS["allreduce"]._replace(wanted=lambda r, c, p: r < c)},
}


@pytest.mark.parametrize("name", OBLIGATIONS)
def test_what_the_ring_has_no_formula_for_is_failed_by_another_page(name):
    """No fault in its own source can: these it leaves out."""
    tried = proving.prove(replace(RING, **OBLIGATIONS[name]), planted=False)

    assert any(a.obligation.name == name and not a.holds for attempt in tried for a in attempt.answers)


def questions_asked(monkeypatch) -> list[str]:
    """The questions that z3 is asked from now on."""
    asked: list[str] = []
    ask = solvers.ask_z3
    monkeypatch.setattr(solvers, "ask_z3", lambda solver: asked.append(solver.to_smt2()) or ask(solver))
    return asked


def test_no_question_is_asked_twice(monkeypatch):
    """The schedule's obligations stand under four conjectures; each has answers to all of its own."""
    asked = questions_asked(monkeypatch)

    proved = {theorem.name: theorem for theorem in proving.prove(RING)}

    assert len(asked) == len(set(asked))
    for conjecture in conjectures.conjectures(annotations.subject(RING)):
        assert [a.obligation.name for a in proved[conjecture.name].answers] == [o.name for o in conjecture.obligations]


def test_what_differs_is_asked_anew():
    """A claim that follows from some hypotheses is not taken to follow from others; nor is True the number 1."""
    memory = queries.Memory()
    claims = [
        Obligation("follows", (p >= 1, within(r), r < 3), r < 3),
        Obligation("does not", (p >= 1, within(r)), r < 3),
        Obligation("other bound", (p >= 1, within(r), r < 3), r < 2),
        Obligation("one", (p >= 1,), p + 1 > p),
    ]

    assert [a.holds for a in queries.answered(claims, True, memory=memory)] == [True, False, False, True]
    one: Any = 1
    assert memory.identity(True) != memory.identity(one)


def test_only_what_is_known_of_both_solvers_stands_for_both(monkeypatch):
    """z3's answer about a mutant does not spare cvc5 the page's own question."""
    claim, memory = Obligation("so", (p >= 1, within(r)), r < p), queries.Memory()
    asked = questions_asked(monkeypatch)

    answers = [*(a for both_ in (False, True, False) for a in queries.answered([claim], both_, memory=memory))]

    assert [sorted(a.solvers) for a in answers] == [["z3"], ["cvc5", "z3"], ["cvc5", "z3"]]
    assert len(asked) == 2


def test_a_mutant_that_only_running_refutes_vouches_for_nothing(monkeypatch):
    """Where the solver leaves every planted fault open, no theorem is made, though runs would find the faults.

    The first two claims show it: each of the others goes the same way.
    """
    asked = queries.Memory.answer

    def silent(self, claim, second_opinion, encoding):
        if second_opinion:
            return asked(self, claim, second_opinion, encoding)
        return queries.Answer(claim, {"z3": "unknown"}, "", {}, "")

    monkeypatch.setattr(queries.Memory, "answer", silent)
    attempts = [*islice(proving.prove(page("ring_allgather")), 2)]

    assert all(a.answers for a in attempts) and not any(isinstance(a, Theorem) for a in attempts)
    assert {a.detail for a in attempts} == {kernel.NO_FAULT}
