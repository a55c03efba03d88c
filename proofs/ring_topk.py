"""What the theorems of the ring with selection need beyond the ring's."""

from __future__ import annotations

from sparring.proofs.ring import contention, same
from sparring.spec.core.numbers import Bool, Int, both

__all__ = ["contention", "same"]


def spent(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Rank ``r`` sends chunk ``c`` to be added in step ``(r - c) % p``, and has it back, complete, a lap later."""
    given = (r - c) % p
    return both(given < t, both(given < p - 1, t <= given + p - 1))
