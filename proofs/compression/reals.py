"""Statements about real numbers, put to z3 and to cvc5: a lemma holds when both say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import z3

from sparring.errors import Undecided
from sparring.proofs.core import solvers
from sparring.proofs.core.verdicts import Settled


class Lemma(NamedTuple):
    """``claim`` is to follow from ``hypotheses``, all of them about real numbers."""

    name: str
    hypotheses: tuple[Any, ...]
    claim: Any


def refuted(lemma: Lemma) -> str:
    """A counterexample in words, empty where the lemma holds; raises Undecided unless both solvers agree.

    Hypotheses that nothing satisfies prove nothing: that is Undecided, too.
    """
    asked = solvers.question(lemma.hypotheses, lemma.claim)
    said = {"z3": solvers.ask_z3(asked), "cvc5": solvers.ask_cvc5(asked.to_smt2())}
    if "unknown" in str(said) or len({*said.values()}) > 1:
        raise Undecided(f"{lemma.name}: solvers answer {', '.join(f'{who} {word}' for who, word in said.items())}")
    if said["z3"] == "sat":
        model = asked.model()
        return f"{lemma.name}: it fails at " + ", ".join(sorted(f"{x} = {model[x]}" for x in model.decls()))
    possible = solvers.question(lemma.hypotheses, z3.BoolVal(False))
    if solvers.ask_z3(possible) != "sat":
        raise Undecided(f"{lemma.name}: its hypotheses contradict each other, so that anything would follow")
    return ""


def proved(lemmas: Iterable[Lemma]) -> Settled:
    """Whether all of them hold, and how that was found, or where one fails."""
    done = 0
    for lemma in lemmas:
        if wrong := refuted(lemma):
            return Settled(False, wrong)
        done += 1
    return Settled(True, f"{done} lemmas about real numbers: z3 and cvc5")
