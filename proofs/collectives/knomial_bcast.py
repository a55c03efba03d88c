"""What the theorems of the broadcast along a 4-nomial tree need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import implies
from sparring.spec.collectives.knomial_bcast import digit, zeros
from sparring.spec.core.numbers import Bool, Int


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that a rank with zeros from a bit down has them from the next bit down: a digit has two bits."""
    return [implies(zeros(r, digit(t, p) + 2), zeros(r, digit(t, p) + 1))]
