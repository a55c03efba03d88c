"""Obligations put to both solvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sparring.errors import Undecided
from sparring.proofs.core import solvers
from sparring.proofs.core.bits import BitsReader
from sparring.proofs.core.obligations import Obligation, p
from sparring.proofs.core.symbolic import Z3Reader
from sparring.spec.core.numbers import Bool, evaluate, variables

READERS: Mapping[str, type[Z3Reader]] = {"wrap": Z3Reader, "bits": BitsReader}
"""By encoding."""


class Answer(NamedTuple):
    """What the solvers said of one obligation."""

    obligation: Obligation
    solvers: dict[str, str]
    """By solver: "unsat" (it holds), "sat" or "unknown"; "unreadable" where none could be asked."""
    smtlib: str
    witness: dict[str, int]
    """A counterexample with the fewest ranks; empty where there is none."""
    problem: str
    """Why the answer is neither yes nor no; empty where it is."""

    @property
    def holds(self) -> bool:
        return not self.problem and set(self.solvers.values()) == {"unsat"}


def answered(claims: Sequence[Obligation], second_opinion: bool, encoding: str = "wrap") -> Iterator[Answer]:
    """Each obligation's answer; obligations with the same hypotheses share their reading."""
    readers: dict[tuple[int, ...], Z3Reader] = {}
    for claim in claims:
        key = tuple(map(id, claim.hypotheses))
        try:
            readers[key] = reader = readers.get(key) or READERS[encoding](claim.hypotheses, p)
            yield answer(claim, reader, second_opinion)
        except Undecided as outside:
            yield Answer(claim, {"z3": "unreadable"}, "", {}, str(outside))


def answer(claim: Obligation, reader: Z3Reader, second_opinion: bool) -> Answer:
    """One obligation put to z3 and, for a second opinion, to cvc5."""
    goal = reader(claim.claim)
    question = solvers.question(reader.hypotheses, goal)
    said = {"z3": solvers.ask_z3(question)}
    witness = solvers.witness(question, reader(p)) if said["z3"] == "sat" else {}
    text = question.to_smt2()
    if second_opinion:
        said["cvc5"] = solvers.ask_cvc5(text)
    return Answer(claim, said, text, witness, problem(claim, said, witness, reader))


def problem(claim: Obligation, said: dict[str, str], witness: dict[str, int], reader: Z3Reader) -> str:
    """Why these answers decide nothing; empty where they do."""
    if len(set(said.values())) > 1 or "unknown" in said.values():
        return "solvers answer " + ", ".join(f"{solver} {word}" for solver, word in said.items())
    if witness:
        return "" if counterexample(claim, witness) else f"z3's counterexample {witness} is none when evaluated"
    ranks = solvers.vacuous_at(reader.hypotheses, reader(p))
    return f"the hypotheses contradict each other at p={ranks}, so that anything would follow" if ranks else ""


def counterexample(claim: Obligation, witness: dict[str, int]) -> bool:
    """Whether the witness, put into the page's own formulas, satisfies the hypotheses and not the claim."""

    def true(x: Bool) -> bool:
        free = dict.fromkeys(variables(x), 0)  # what the solver left out may be anything
        return bool(evaluate(x, **{**free, **{v: witness[v] for v in free if v in witness}}))

    return all(map(true, claim.hypotheses)) and not true(claim.claim)
