"""What the theorems of the reduce-scatter by a butterfly need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, implies, q, within
from sparring.spec.collectives import butterfly_reduce_scatter as formulas
from sparring.spec.collectives.recursive_halving_reduce_scatter import inside
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.recursive_doubling import idle, log, number, rank


def contributor(r: Int, c: Int, t: Int, p: Int) -> Int:
    """Return whose contribution is new: the sender's; where sums are exchanged, one's of the other half of numbers."""
    far = 1 << where(log(p) > 0, log(p) - 1, 0)
    return where(formulas.swap(t, p), rank(number(c, p) ^ far, p), r)


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what holds where ranks exchange halves: whose numbers differ in a bit, and which chunks come."""
    bit, partner = formulas.bit(t, p), formulas.dst(r, t, p)
    size = log(p) - 1 - bit
    exchange = both(inside(t, p), negate(idle(r, p)))
    flipped = every(
        number(partner, p) == number(r, p) ^ (1 << bit),
        negate(idle(partner, p)),
        within(partner),
        1 << (bit + 1) <= 1 << log(p),
    )
    first, count = formulas.block(partner, t, p)

    def apart(x: Int) -> Int:
        numbers: Int = number(c, p) ^ formulas.mirror(x, p)
        return numbers.bit_length()

    mine, other = both(exchange, apart(r) <= size), number(c, p) ^ formulas.mirror(partner, p)

    def comes(x: Int) -> Int:
        numbers: Int = number(q, p) ^ number(x, p)
        return numbers.bit_length()

    return [
        implies(exchange, flipped),
        implies(exchange, formulas.dst(partner, t, p) == r),
        implies(exchange, iff(both(first <= c, c < first + count), apart(r) <= size)),
        implies(exchange, formulas.mirror(partner, p) == formulas.mirror(r, p) ^ (1 << size)),
        implies(mine, both(other < 1 << (size + 1), negate(other < 1 << size))),
        implies(mine, apart(partner) == size + 1),
        implies(exchange, iff(comes(r) <= bit + 1, either(comes(r) <= bit, comes(partner) <= bit))),
        implies(exchange, implies(comes(r) <= bit, negate(comes(partner) <= bit))),
    ]
