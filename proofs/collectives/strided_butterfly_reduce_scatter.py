"""What the theorems of the butterfly by last bits need beyond its formulas: how the chunks of a message are counted."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, implies
from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, rounds
from sparring.spec.collectives.strided_butterfly_reduce_scatter import alike, counted, dst, ending
from sparring.spec.core.numbers import Bool, Int, where
from sparring.spec.recursive_doubling import log, number


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State which numbers end alike, and that every ``2**bits`` numbers one more is counted."""
    bits = where(inside(t, p), rounds(t, p) + 1, 0)
    v, x = number(dst(r, t, p), p), number(c, p)
    block, half = x >> bits, 1 << where(inside(t, p), log(p) - bits, 0)
    same = ending(v, bits) == ending(x, bits)
    return [
        implies(inside(t, p), every(bits <= log(p), half << bits == 1 << log(p))),
        implies(inside(t, p), iff(alike(dst(r, t, p), c, bits, p), same)),
        (block + 1) << bits == (block << bits) + (1 << bits),
        counted(v, x + 1, bits) == counted(v, x, bits) + where(same, 1, 0),
    ]
