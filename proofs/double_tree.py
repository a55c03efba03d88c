"""What the theorems of the allreduce along double binary trees need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import every, implies
from sparring.spec.core.numbers import Bool, Int, both, either
from sparring.spec.double_tree import child, level, number, spread, told


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have been told the sum."""
    return either(r == s, both(told(r, c, t, p), told(s, c, t, p)))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what is below a number of a level."""
    e = level(t, p)
    lemma = []
    for tree in (0, 1):
        v = number(r, tree, p)
        lemma.append(implies(child(v, e), spread(v) == 1 << e))
    return lemma
