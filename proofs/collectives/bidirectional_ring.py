"""What the theorems of the bidirectional ring need beyond its formulas."""

from __future__ import annotations

from sparring.proofs import ring
from sparring.spec.core.numbers import Bool, Int, where

contention = {"ring": "exclusive"}


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term: of the second half in a mirror, as in the ring."""
    return where(c < p, ring.same(r, s, c, t, p), ring.same(-r, -s, -c, t, p))
