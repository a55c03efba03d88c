"""A check that accepts everything is found out by the fault that every verify plants for its property."""

from __future__ import annotations

from itertools import islice

import pytest

import sparring
from sparring.checks.ranks.answers import Examined
from sparring.proofs.contention.levels import Finding
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import solvers
from sparring.proofs.logic.verdicts import NOT_COVERED, UNDECIDED, Word
from sparring.proofs.proving import proving
from sparring.refinement import bits, observing, refusals, running, sums, vectors
from sparring.refinement.runtime_faults import FAULTS
from sparring.report import Result
from sparring.symbolic_execution import judging
from sparring.verification import algorithm, plans, samples
from sparring.verification.fault_injection import vouched
from sparring.verification.reached_lines import Reached

PAGES = {name: sparring.page(name) for name in ("ring", "ring_allgather", "ring_sparse", "ring_topk")}
"""One of each kind of data."""
SMALL = plans.Plan(terms=(1, 2), numbers=(1, 2), gradients=(2,))
ON_NUMBERS = {"dtypes", "gradients", "in place", "long vectors"}
CREDULOUS = {
    "no bit differs": (running, "judge_bits", lambda *_, **__: {}, ON_NUMBERS),
    "no finding counts": (observing, "falsifies", lambda *_: "nothing", {"hygiene"}),
    "no entry differs": (
        vectors,
        "difference",
        lambda *_: None,
        {"terms", "input untouched", *ON_NUMBERS},
    ),
    "no total is wrong": (sums.Owed, "wrong", lambda *_: (), {"sum"}),
    "no message differs": (running, "unsent", lambda *_, **__: (), {"steps"}),
    "all errors are told": (refusals, "unrefused", lambda *_: (), {"bad input"}),
    "all lines ran": (Reached, "missed", lambda _: [], {"lines"}),
    "messages never meet": (Finding, "holds", True, {"timing"}),
}
"""Checks that say yes to everything, and the properties whose verdict they are."""


def results(name: str = "ring", plan: plans.Plan = SMALL) -> dict[str, Result]:
    return {r.property: r for r in algorithm.verify_page(plan, PAGES[name], lambda items, _: items)}


def slowly(*names):
    """They have the same properties, and more theorems."""
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("proved_once")
@pytest.mark.parametrize("name", ["ring", "ring_allgather", *slowly("ring_sparse", "ring_topk")])
def test_every_property_has_a_fault_that_was_caught(name):
    """Nothing that is proved or tested goes without one; what is expected to be refuted shows its witness."""
    found = results(name)

    for prop, result in found.items():
        assert result.verdict.word not in (Word.UNDECIDED, Word.REFUTED), result
        assert bool(result.planted) is (result.verdict != NOT_COVERED), result
        if prop in FAULTS and result.planted:
            assert result.planted == FAULTS[prop][0]


@pytest.mark.parametrize(("where", "what", "yes", "blind"), CREDULOUS.values(), ids=CREDULOUS)
def test_what_accepts_everything_is_undecided(monkeypatch, request, where, what, yes, blind):
    """And only that; the sentence names the fault that went by."""
    if "timing" not in blind:  # what runs decide alone
        request.getfixturevalue("proved_once")
    monkeypatch.setattr(where, what, yes)

    found = results()

    assert {prop for prop, r in found.items() if r.verdict == UNDECIDED} == blind
    for prop in blind & {*FAULTS}:
        told = f"the planted fault was not caught ({FAULTS[prop][0]}): this check may accept anything"
        assert found[prop].detail == told
    assert "timing" not in blind or found["timing"].detail == kernel.NO_FAULT


@pytest.mark.slow
@pytest.mark.usefixtures("proved_once")
def test_what_accepts_every_residual_is_undecided(monkeypatch):
    """The road of stateful targets is another one."""
    monkeypatch.setattr(running, "judge_bits", lambda *_, **__: {})
    monkeypatch.setattr(judging, "in_cell", lambda *_: None)

    undecided = {prop for prop, r in results("ring_topk").items() if r.verdict == UNDECIDED}
    assert undecided == {"dtypes", "gradients", "long vectors", "selection"}


def test_solvers_that_accept_everything_prove_nothing(monkeypatch):
    """No theorem survives that, since no planted fault is refuted; here the first three."""
    for ask in ("ask_z3", "ask_cvc5"):
        monkeypatch.setattr(solvers, ask, lambda question: "unsat")

    attempts = [*islice(proving.prove(sparring.page("ring_allgather")), 3)]

    assert "timing" not in {attempt.name for attempt in attempts}
    assert {(attempt.verdict, attempt.detail) for attempt in attempts} == {(UNDECIDED, kernel.NO_FAULT)}


class Honest:
    """A group of ranks that compute what the page says of what they are given."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def examine(self, target, xs, **_):
        ys = [done.result for done in next(bits.expected(sparring.page("ring"), xs))]
        return Examined([ys], xs, None, [])


@pytest.mark.usefixtures("proved_once")
@pytest.mark.parametrize("credulous", [False, True])
def test_real_ranks_have_their_fault_too(monkeypatch, credulous):
    """Their code is their own, so one of them gets another input."""
    monkeypatch.setattr(algorithm, "Group", Honest)
    if credulous:
        monkeypatch.setattr(samples, "judge_bits", lambda *_, **__: {})

    result = results(plan=SMALL._replace(on="mpi"))["mpi"]

    assert result.planted == ("" if credulous else samples.MISLED)
    assert result.verdict.word is (Word.UNDECIDED if credulous else Word.TESTED)


def test_what_is_refuted_needs_no_fault():
    """Nothing is planted, and the refutation stands."""
    refuted = Result("mine", "dtypes", algorithm.REFUTED, "wrong")

    assert vouched(refuted, {"dtypes": lambda fault: pytest.fail("planted")}) == refuted


@pytest.mark.usefixtures("proved_once")
def test_gradients_that_do_not_exist_are_not_tested():
    """An empty sweep is no test."""
    found = results(plan=plans.Plan((2,), (9,)))["gradients"]

    assert found.verdict == NOT_COVERED
    assert found.detail == "there are gradients of 8 ranks and no more"


@pytest.mark.usefixtures("proved_once")
def test_an_undecided_property_fails_the_run(monkeypatch):
    """With exit code 3."""
    monkeypatch.setattr(vectors, "difference", lambda *_: None)

    report = sparring.verify("ring", ranks=[2])

    assert (report.verdict, report.exit_code) == ("undecided", 3)
    told = {r["property"]: r.get("planted") for r in report.to_dict()["results"]}
    assert (told["terms"], told["hygiene"]) == (None, "a message that nobody receives")
    assert told["result"].startswith("line ")
