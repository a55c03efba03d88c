"""Two solvers, asked the same question in the same words: z3, and cvc5 on z3's SMT-LIB text.

Effort is limited in the solvers' own resource units, never in seconds, so that an answer does
not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import z3

from sparring.proofs.logic.symbolic import EFFORT

CVC5_EFFORT = 2_000_000
cvc5: Any = import_module("cvc5")  # compiled: there are no types to check


@cache
def versions() -> dict[str, str]:
    """Return the versions of the solvers, for certificates."""
    return {"z3": version("z3-solver"), "cvc5": version("cvc5")}


def question(
    hypotheses: Sequence[z3.BoolRef], claim: z3.BoolRef, effort: int = EFFORT, plain: bool = False
) -> z3.Solver:
    """Return a z3 solver that is unsatisfiable exactly if the hypotheses imply the claim.

    ``plain``: without z3's choice of a strategy, which for thousands of facts about functions is a poor one.
    """
    solver = z3.SimpleSolver() if plain else z3.Solver()
    solver.set("rlimit", effort)
    solver.add(*hypotheses, z3.Not(claim))
    return solver


def needed(
    facts: Sequence[z3.BoolRef], claim: z3.BoolRef, effort: int = EFFORT, hint: Sequence[int] | None = None
) -> tuple[str, list[int]]:
    """Return z3's answer, and the places of the facts that it rests on; of all facts where the claim does not follow.

    Of thousands of facts about functions, a proof uses some dozens, and with these alone every solver needs a
    fraction of the time.  Which facts z3 finds depends on what it was asked before, and with some of them another
    solver gives up.  So z3 is asked in a context of its own.

    ``hint``: places of facts that were enough before, which are tried first, without the cost of a context.
    """
    if hint is not None and all(0 <= i < len(facts) for i in hint):
        few = question([facts[i] for i in hint], claim, effort, plain=True)
        if ask_z3(few) == "unsat":
            return "unsat", [*hint]
    solver, names = alone(facts, claim, effort)
    answer = ask_z3(solver)
    core = {*map(str, solver.unsat_core())} if answer == "unsat" else {*names}  # in no order of its own
    return answer, [i for i, name in enumerate(names) if name in core]


def alone(facts: Sequence[z3.BoolRef], claim: z3.BoolRef, effort: int) -> tuple[z3.Solver, list[str]]:
    """Return a solver in a context of its own that refutes the claim's negation if it can, and its names of facts."""
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)  # z3's choice of a strategy is a poor one for so many facts about functions
    solver.set("rlimit", effort)
    solver.set("unsat_core", True)
    names = [f"fact {i}" for i in range(len(facts))]
    for name, fact in zip(names, facts):
        solver.assert_and_track(fact.translate(context), name)
    solver.add(z3.Not(claim).translate(context))
    return solver, names


def decided(solver: z3.Solver, effort: int = EFFORT) -> tuple[str, z3.Solver]:
    """Return z3's answer, and the solver that gave it.

    Terms of earlier questions change z3's search, and may make it long.  So where the claim does not follow, z3 is
    asked again in a context of its own, whose answer and model do not depend on what was asked before.  If it then
    finds no model, the earlier model stands: it is evaluated on the formulas anyway.
    """
    answer = ask_z3(solver)
    if answer == "unsat":
        return answer, solver
    again = z3.Solver(ctx=z3.Context())  # a solver that has answered is slow to translate with all that it learned
    again.set("rlimit", effort)
    again.add(*(one.translate(again.ctx) for one in solver.assertions()))
    found = ask_z3(again)
    return (found, again) if found == "sat" or answer == "unknown" else (answer, solver)


def apart(solver: z3.Solver, effort: int = EFFORT) -> tuple[str, z3.Solver]:
    """Return z3's answer in a new context, and the solver there; ``solver`` has not been asked yet."""
    solver = solver.translate(z3.Context())
    solver.set("rlimit", effort)
    return ask_z3(solver), solver


def ask_z3(solver: z3.Solver) -> str:
    """Return z3's answer: ``"unsat"`` (the claim holds), ``"sat"`` or ``"unknown"``."""
    return str(solver.check())


def ask_z3_text(text: str) -> tuple[str, int]:
    """Return z3's answer to SMT-LIB text that asks one question, in a context of its own; and its effort."""
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context) if FUNCTIONS in text else z3.Solver(ctx=context)
    solver.set("rlimit", EFFORT)
    try:
        solver.from_string(text)
    except z3.Z3Exception:
        return "unreadable", 0
    answer = str(solver.check())
    return answer, int(solver.statistics().get_key_value("rlimit count"))


BITS, FUNCTIONS = "(_ BitVec ", "(declare-fun power_of_two "


@lru_cache(maxsize=1000)
def ask_cvc5(text: str) -> str:
    """Return cvc5's answer to SMT-LIB text that asks one question."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("rlimit-per", str(CVC5_EFFORT))
    if BITS in text:
        solver.setOption("bitblast", "eager")  # up to ten times as fast as lazily, measured on recursive doubling
    solver.setLogic("QF_BV" if BITS in text else "ALL")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols, answer = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        answer = str(command.invoke(solver, symbols) or "").strip() or answer
    return answer


def witness(solver: z3.Solver, p: Any) -> dict[str, int]:
    """Return a model of a satisfiable question with the fewest ranks, found by bisection."""
    model, p = solver.model(), p if p.ctx == solver.ctx else p.translate(solver.ctx)
    least, most = 1, number(model.eval(p, model_completion=True))
    while least < most:
        middle = (least + most) // 2
        solver.push()
        solver.add(p <= middle)
        smaller = solver.model() if solver.check() == z3.sat else None
        solver.pop()
        if smaller is None:
            least = middle + 1
        else:
            model, most = smaller, number(smaller.eval(p, model_completion=True))
    return {str(d): number(model[d]) for d in sorted(model.decls(), key=str) if d.arity() == 0}


def number(value: Any) -> Any:
    """Return a z3 value as an integer, or as a fraction where it is none; bits are read with their sign."""
    if isinstance(value, z3.RatNumRef):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    return int(value.as_signed_long() if isinstance(value, z3.BitVecNumRef) else value.as_long())


RANKS = (2, 3, 4, 5)
"""The numbers of ranks for each of which the hypotheses must be satisfiable."""


def vacuous_at(hypotheses: Sequence[z3.BoolRef], p: Any) -> int | None:
    """Return the first of 2, 3, 4, 5 ranks for which the hypotheses contradict each other, else None.

    Anything would follow from contradictory hypotheses.
    """
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    solver.add(*hypotheses)
    for ranks in RANKS:
        solver.push()
        solver.add(p == ranks)
        possible = solver.check() == z3.sat
        solver.pop()
        if not possible:
            return ranks
    return None
