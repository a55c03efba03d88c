"""What the theorems of the allgather by recursive doubling need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs import recursive_doubling as dense
from sparring.proofs.recursive_doubling import contention
from sparring.proofs.core.obligations import c, every, implies
from sparring.spec import recursive_doubling_allgather as formulas
from sparring.spec import recursive_doubling
from sparring.spec.core.numbers import Bool, Int, both, either

__all__ = ["contention"]


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Two ranks hold the identical list ``c`` once both have it."""
    has = [recursive_doubling.holds(c, x, 0, t, p) for x in (r, s)]
    return either(r == s, both(*has))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    return dense.lemmas(r, t, p)
