"""Statements about numbers, put to z3 and to cvc5: one holds when both say so, and fails at an example."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import z3

from sparring.errors import Undecided
from sparring.proofs.logic import solvers
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import PROVED, PROVED_CHOSEN, Settled, Verdict
from sparring.proofs.statements.conjectures import one_by_one


class Lemma(NamedTuple):
    """``claim`` is to follow from ``hypotheses``, all of them about real numbers."""

    name: str
    hypotheses: tuple[Any, ...]
    claim: Any


def refuted(lemma: Lemma) -> str:
    """Return a counterexample in words, confirmed by evaluation, or "" if both solvers say that there is none.

    Raises Undecided where solvers do not decide it, and where nothing satisfies the hypotheses, so that any claim would
    follow.
    """
    asked = solvers.question(lemma.hypotheses, lemma.claim)
    said = {"z3": solvers.ask_z3(asked)}
    if said["z3"] == "sat":
        return f"{lemma.name}: it fails at {counterexample(lemma, asked.model())}"
    said["cvc5"] = solvers.ask_cvc5(asked.to_smt2())
    if {*said.values()} != {"unsat"}:
        raise Undecided(f"{lemma.name}: solvers answer {', '.join(f'{who} {word}' for who, word in said.items())}")
    if solvers.ask_z3(solvers.question(lemma.hypotheses, z3.BoolVal(False))) != "sat":
        raise Undecided(f"{lemma.name}: its hypotheses contradict each other, so that anything would follow")
    return ""


def counterexample(lemma: Lemma, model: z3.ModelRef) -> str:
    """Return a model's numbers in words; raise Undecided unless they satisfy the hypotheses and not the claim."""
    wanted = [*lemma.hypotheses, z3.Not(lemma.claim)]
    if not all(z3.is_true(model.eval(each, model_completion=True)) for each in wanted):
        raise Undecided(f"{lemma.name}: z3's counterexample {model} is none when evaluated")
    return ", ".join(sorted(f"{x} = {model[x]}" for x in model.decls()))


def proved(lemmas: Iterable[Lemma]) -> Settled:
    """Decide whether all lemmas hold; the detail says how that was found, or where one fails."""
    names = []
    for lemma in lemmas:
        if wrong := refuted(lemma):
            return Settled(False, wrong)
        names.append(lemma.name)
    return Settled(True, f"{len(names)} lemmas about real numbers: z3 and cvc5", worth(names))


def worth(names: list[str]) -> Verdict:
    """Return what it is worth that statements of these names hold: less, where they go through chosen values."""
    return PROVED_CHOSEN if one_by_one(names) else PROVED


def shown(claims: Iterable[Obligation], on: str = "") -> Settled:
    """Decide whether all obligations hold, about whole numbers; ``on``: their subject, as " on our functions".

    Raises Undecided where solvers do not decide one.
    """
    names = []
    for answer in answered(claims, second_opinion=True):
        if answer.problem:
            raise Undecided(f"{answer.obligation.name}: {answer.problem}")
        if not answer.holds:
            return Settled(False, f"{answer.obligation.name}: it fails at {answer.witness}")
        names.append(answer.obligation.name)
    return Settled(True, f"{len(names)} obligations{on}: z3 and cvc5", worth(names))
