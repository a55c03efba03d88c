"""Whether hypotheses can be so at all: found by trying small numbers."""

from __future__ import annotations

from itertools import product

import pytest
import z3

from sparring.proofs.core import solvers
from sparring.proofs.core.obligations import p, q, r, within
from sparring.proofs.core.questions import SMALL, instance
from sparring.spec.core.numbers import Bool, both, evaluate, variables

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
    """As trying all numbers one by one finds out."""
    hypotheses, satisfied = CASES[case]
    assert [ranks for ranks in (1, 2, 3) if instance(hypotheses, ranks)] == satisfied
    assert [ranks for ranks in (1, 2, 3) if any_of_all(hypotheses, ranks)] == satisfied


def any_of_all(hypotheses: list[Bool], ranks: int) -> bool:
    """The slow way."""
    for values in product(SMALL, repeat=2):
        at = {"p": ranks, **dict(zip("qr", values))}
        try:
            if all(evaluate(h, **{v: at[v] for v in variables(h)}) for h in hypotheses):
                return True
        except ValueError:
            continue
    return False


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
