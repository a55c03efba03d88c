"""What the theorems of Rabenseifner's reduction need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.rabenseifner import halving
from sparring.spec.collectives import rabenseifner_reduce as formulas
from sparring.spec.core.numbers import Bool, Int


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what holds where ranks exchange halves."""
    return halving(formulas, formulas.folded(p) <= t, r, t, p)
