"""What the theorems of the reduce-scatter-allgather allreduce need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import rabenseifner, recursive_doubling
from sparring.proofs.logic.obligations import Obligation, always, c, every, iff, implies, n, p, q, r, t, within
from sparring.spec import rabenseifner as formulas
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}


def awake(r: Int, p: Int) -> Bool:
    return negate(formulas.idle(r, p))


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have been shown the chunk."""
    depth = formulas.depth(t, p)
    seen = both(formulas.after(r, c, depth, p), formulas.after(s, c, depth, p))
    finished = every(awake(r, p), awake(s, p), formulas.halved(p) <= t, seen)
    return either(r == s, either(formulas.steps(p) <= t, finished))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """See :func:`halving`."""
    return halving(formulas, both(formulas.folds(p) <= t, t < formulas.shown(p)), r, t, p)


def halving(formulas: Any, in_round: Bool, r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State that ranks that are not idle and numbers below ``2**log(p)`` are one to one, and a round flips one bit.

    ``formulas``: a page in whose rounds, ``in_round``, those exchange halves whose numbers differ in one bit.
    """
    number, bit, partner = formulas.number(r, p), formulas.bit(t, p), formulas.dst(r, t, p)
    top, other = formulas.chunks(p), number ^ (1 << bit)
    awake, partner_awake = (negate(formulas.idle(x, p)) for x in (r, partner))
    exchange = both(in_round, awake)
    flipped = every(formulas.number(partner, p) == other, partner_awake, within(partner))
    mirrored = formulas.place(partner, p) == formulas.place(r, p) ^ (1 << (formulas.log(p) - 1 - bit))
    size = formulas.log(p) - 1 - bit
    mine, theirs = (c ^ formulas.place(x, p) < 1 << size for x in (r, partner))
    first, count = formulas.block(partner, t, p)
    received = both(first <= c, c < first + count)
    apart = (c ^ formulas.place(partner, p)).bit_length() == size + 1

    def comes(x: Int) -> Int:
        numbers: Int = formulas.number(q, p) ^ formulas.number(x, p)
        return numbers.bit_length()

    return [
        within(number, top),
        implies(awake, formulas.rank(number, p) == r),
        implies(in_round, every(within(bit, formulas.log(p)), within(other, top), 1 << (bit + 1) <= top)),
        implies(exchange, flipped),
        implies(exchange, formulas.dst(partner, t, p) == r),
        implies(exchange, both(mirrored, iff(received, where(t < formulas.halved(p), mine, theirs)))),
        implies(both(exchange, mine), both(c ^ formulas.place(partner, p) < 1 << (size + 1), negate(theirs))),
        implies(both(exchange, mine), apart),
        implies(exchange, iff(comes(r) <= bit + 1, either(comes(r) <= bit, comes(partner) <= bit))),
    ]


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts its rounds without the fold, and keeps where its part begins."""
    impl: Any = rabenseifner  # these functions are typed for int and run here on symbols
    doubling: Any = recursive_doubling
    beyond, rounds = doubling.beyond(p), doubling.rounds(p)
    folds, shown = where(beyond > 0, 1, 0), formulas.shown(p)
    number = where(r < 2 * beyond, doubling.halved(r), doubling.lowered(r, p))
    other = doubling.flipped(number, t)
    partner = where(other < beyond, doubling.doubled(other), doubling.raised(other, p))
    idle = both(r < 2 * beyond, doubling.neighbour(r) == r + 1)

    def begins(depth: Int) -> Int:
        """Return the first chunk of the ``2**depth``-th part that the page has for rank ``r``."""
        size = formulas.log(p) - depth
        return (formulas.place(r, p) >> size) << size

    box, low, first, half = (
        (*always(page), within(t, rounds), negate(idle)),
        impl.low(number, t),
        begins(t),
        impl.half(t, p),
    )
    kept, given = where(low, first, impl.above(first, t, p)), where(low, impl.above(first, t, p), first)
    back = shown - 1 - t
    yield Obligation("steps", always(page), page.steps(p) == 2 * rounds + 2 * folds)
    yield Obligation("pieces", always(page), page.chunks(p) == impl.pieces(p))
    yield Obligation("cuts", (*always(page), n >= 0), impl.cut(r, n, p) == bound(r, n, p))
    for name, step in (("fold", 0), ("unfold", shown)):
        paired = page.dst(r, step, p) == doubling.neighbour(r)
        yield Obligation(f"partner in the {name}", always(page), implies(both(beyond > 0, r < 2 * beyond), paired))
    for name, step in (("round", t + folds), ("round back", back)):
        yield Obligation(f"partner in a {name}", box, page.dst(r, step, p) == partner)
        yield Obligation(f"who exchanges in a {name}", box, page.active(r, step, p))
        yield Obligation(f"pieces in a {name}", box, page.count(r, step, p) == half)
    yield Obligation("begins with all", box, begins(0) == 0)
    yield Obligation("keeps its half", box, begins(t + 1) == kept)
    yield Obligation("gives the other", box, page.chunk(r, t + folds, p) == given)
    yield Obligation("ends with its place", always(page), begins(rounds) == formulas.place(r, p))
    yield Obligation("shows its half", box, page.chunk(r, back, p) == begins(t + 1))
    yield Obligation("then has both", box, first == where(low, begins(t + 1), impl.below(begins(t + 1), t, p)))
