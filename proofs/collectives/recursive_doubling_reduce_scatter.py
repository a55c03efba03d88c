"""What the theorems of the reduce-scatter by recursive doubling need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, implies, q, within
from sparring.spec.collectives import recursive_doubling_reduce_scatter as formulas
from sparring.spec.collectives.recursive_halving_reduce_scatter import inside, rounds
from sparring.spec.core.numbers import Bool, Int, both, either, negate
from sparring.spec.recursive_doubling import dst, idle, log, number


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what holds in a round: whose numbers differ in a bit, which chunks come, and whose contributions."""
    done, partner = rounds(t, p), dst(r, t, p)
    exchange = both(inside(t, p), negate(idle(r, p)))
    flipped = every(
        number(partner, p) == number(r, p) ^ (1 << done),
        negate(idle(partner, p)),
        within(partner),
        1 << (done + 1) <= 1 << log(p),
    )
    first, count = formulas.block(partner, t, p)

    def apart(a: Int, b: Int) -> Int:
        numbers: Int = number(a, p) ^ number(b, p)
        return numbers.bit_length()

    def comes(x: Int) -> Bool:
        return apart(q, x) <= done

    return [
        implies(exchange, flipped),
        implies(exchange, dst(partner, t, p) == r),
        implies(exchange, iff((c - first) % p < count, negate(apart(c, partner) <= done))),
        implies(exchange, iff(apart(q, r) <= done + 1, either(comes(r), comes(partner)))),
        implies(exchange, iff(apart(c, partner) <= done, apart(c, r) == done + 1)),
        implies(both(exchange, comes(partner)), apart(q, r) == done + 1),
    ]
