"""What the theorems of Rabenseifner's allreduce with a fold of halves need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import every
from sparring.proofs.rabenseifner import halving
from sparring.spec.collectives import rabenseifner_halves as formulas
from sparring.spec.core.numbers import Bool, Int, both, either, negate


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have been shown the chunk."""
    depth = formulas.depth(t, p)
    seen = both(formulas.after(r, c, depth, p), formulas.after(s, c, depth, p))
    awake = both(negate(formulas.idle(r, p)), negate(formulas.idle(s, p)))
    finished = every(awake, formulas.halved(p) <= t, seen)
    return either(r == s, either(formulas.steps(p) <= t, finished))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what holds where ranks exchange halves."""
    return halving(formulas, both(formulas.folds(p) <= t, t < formulas.shown(p)), r, t, p)
