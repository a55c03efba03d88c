"""What the theorems of Rabenseifner's allreduce with a fold of halves need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c, every, iff, implies, q, within
from sparring.spec.collectives import rabenseifner_halves as formulas
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have been shown the chunk."""
    depth = formulas.depth(t, p)
    seen = both(formulas.after(r, c, depth, p), formulas.after(s, c, depth, p))
    awake = both(negate(formulas.idle(r, p)), negate(formulas.idle(s, p)))
    finished = every(awake, formulas.halved(p) <= t, seen)
    return either(r == s, either(formulas.steps(p) <= t, finished))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that ranks that are not idle and numbers below ``2**log(p)`` are one to one, and a round flips one bit."""
    number, bit, partner = formulas.number(r, p), formulas.bit(t, p), formulas.dst(r, t, p)
    top, other = formulas.chunks(p), number ^ (1 << bit)
    in_round = both(formulas.folds(p) <= t, t < formulas.shown(p))
    awake, partner_awake = (negate(formulas.idle(x, p)) for x in (r, partner))
    exchange = both(in_round, awake)
    mirrored = formulas.place(partner, p) == formulas.place(r, p) ^ (1 << (formulas.log(p) - 1 - bit))
    size = formulas.log(p) - 1 - bit
    mine, theirs = (c ^ formulas.place(x, p) < 1 << size for x in (r, partner))
    first, count = formulas.block(partner, t, p)
    received = both(first <= c, c < first + count)
    apart = (c ^ formulas.place(partner, p)).bit_length() == size + 1

    def comes(x: Int) -> Int:
        return (formulas.number(q, p) ^ formulas.number(x, p)).bit_length()

    return [
        within(number, top),
        implies(awake, formulas.rank(number, p) == r),
        implies(in_round, every(within(bit, formulas.log(p)), within(other, top), 1 << (bit + 1) <= top)),
        implies(exchange, every(formulas.number(partner, p) == other, partner_awake, within(partner))),
        implies(exchange, formulas.dst(partner, t, p) == r),
        implies(exchange, both(mirrored, iff(received, where(t < formulas.halved(p), mine, theirs)))),
        implies(both(exchange, mine), both(c ^ formulas.place(partner, p) < 1 << (size + 1), negate(theirs))),
        implies(both(exchange, mine), apart),
        implies(exchange, iff(comes(r) <= bit + 1, either(comes(r) <= bit, comes(partner) <= bit))),
    ]
