"""Of many facts those that a proof needs: enough for it, and no more than were given."""

import pytest
import z3

from sparring.proofs.core import solvers

x, y, *others = z3.Ints("x y " + " ".join(f"z{i}" for i in range(50)))
FACTS = [x > y, y > 3, *(other == i for i, other in enumerate(others))]


def test_a_proof_names_its_facts():
    """The claim follows from the two that it is about; the fifty others are left out."""
    answer, facts = solvers.needed(FACTS, x > 4)
    assert answer == "unsat"
    assert [*map(str, facts)] == ["x > y", "y > 3"]
    assert solvers.ask_z3(solvers.question(facts, x > 4)) == "unsat"


@pytest.mark.parametrize("claim", [x > 5, others[0] == 1])
def test_what_does_not_follow_needs_nothing(claim):
    """It has a counterexample, under all facts."""
    assert solvers.needed(FACTS, claim) == ("sat", FACTS)


def test_effort_is_limited():
    """Where it does not do, the answer is neither."""
    assert solvers.needed([x * x * x + y * y * y == 33 + others[0] ** 3], x < 1000, 1000)[0] == "unknown"
