"""What the theorems of Sparbit need beyond its formulas: how the chunks of a message are counted."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, within
from sparring.proofs.pat import counting
from sparring.spec import pat
from sparring.spec.collectives.sparbit_allgather import bit, carries, dst, rounds
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.gtopk import zeros


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that what a rank sends is at odd multiples of the leap before the receiver, and how these are counted."""
    e, far, back = bit(t, p), (r - c) % p, t + rounds(p)
    leap, block = 1 << e, far >> (e + 1)
    return [
        every(within(e, rounds(p)), 1 << (e + 1) == 2 * leap, pat.bit(back, p) == e),
        (block + 1) << (e + 1) == (block << (e + 1)) + 2 * leap,
        (far + 2 * leap) >> (e + 1) == block + 1,
        iff(carries(r, c, t, p), zeros((dst(r, t, p) - c) % p + leap, e + 1)),
        *counting(r, back, p),
    ]
