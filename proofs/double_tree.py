"""What the theorems of the allreduce along double binary trees need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import double_tree
from sparring.proofs.logic.obligations import Obligation, always, c, every, iff, implies, j, n, p, q, r, t, within
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.double_tree import (
    active,
    adds,
    below,
    child,
    dst,
    holds,
    level,
    number,
    other,
    rank,
    rising,
    spread,
    told,
    tree,
    who,
)
from sparring.spec.gtopk import zeros

contention = {"crossbar": "contended", "ring": "contended", "tree": "contended", "torus": "contended"}


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have been told the sum."""
    return either(r == s, both(told(r, c, t, p), told(s, c, t, p)))


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:
    """State what is below a number of a level, who sends what comes, and what that changes; then of any message."""
    e, v, w = level(t, p), number(r, c, p), number(q, c, p)
    one, sender = who(q, r, c, t, p), dst(r, t, j, p)
    brings = either(negate(adds(t, p)), holds(q, sender, c, t, p))
    some_message = every(within(j, 4), tree(j) == c, within(w))
    back, _, place, theirs, down, _ = coming(r, t, j, p)
    return [
        implies(child(v, e), spread(v, t + 1) == 1 << e),
        *(implies(some_message, lemma) for lemma in (back, place, theirs, down)),
        implies(every(some_message, active(sender, t, j, p), brings), one == j),
        *renamed(r, t, one, c, p),
        *coming(r, t, one, p),
        implies(both(adds(t, p), told(r, c, t + 1, p)), both(v == 0, p <= 2 * (1 << e))),
        *changed(r, t, one, p),
    ]


def changed(r: Int, t: Int, j: Int, p: Int) -> Sequence[Bool]:
    """State whose contributions rank ``r`` has after a step: lesser numbers', greater ones', any; on the way down."""
    v, w = number(r, c, p), number(q, c, p)
    sender, up = dst(r, t, j, p), adds(t, p)
    got, own, theirs = active(sender, t, j, p), holds(q, r, c, t, p), holds(q, sender, c, t, p)
    summed = iff(holds(q, r, c, t + 1, p), either(own, both(got, theirs)))
    copied = iff(holds(q, r, c, t + 1, p), where(got, theirs, own))
    return [
        implies(both(up, w < v), summed),
        implies(both(up, v < w), summed),
        implies(up, summed),
        implies(negate(up), copied),
    ]


def renamed(r: Int, t: Int, j: Int, k: Int, p: Int) -> Sequence[Bool]:
    """State that ranks and numbers are one to one."""
    e, v = level(t, p), number(r, k, p)
    w = other(v, e, j, p)
    return [
        both(within(v), rank(v, k, p) == r),
        both(within(w), other(w, e, j, p) == v),
        both(number(rank(w, k, p), k, p) == w, within(rank(w, k, p))),
    ]


def coming(r: Int, t: Int, j: Int, p: Int) -> Sequence[Bool]:
    """State from whom rank ``r`` gets message ``j``, which is of half ``c``, and what that has."""
    e, v, w = level(t, p), number(r, c, p), number(q, c, p)
    sender, up, d = dst(r, t, j, p), adds(t, p), 1 << e
    u, got, lesser = number(sender, c, p), active(sender, t, j, p), rising(j)
    inner, higher = zeros(v, e + 1), zeros(v, e + 2)
    more = every(inner, v + d < p, either(negate(higher), p <= v + 2 * d))
    return [
        dst(sender, t, j, p) == r,
        implies(up, iff(got, where(lesser, both(inner, negate(higher)), more))),
        implies(both(got, up), both(u == where(lesser, v - d, v + d), child(u, e))),
        implies(both(got, up), iff(holds(q, sender, c, t, p), both(u - d < w, w < u + d))),
        implies(negate(up), iff(got, both(child(v, e), iff(below(v, e, p), lesser)))),
        implies(both(got, negate(up)), zeros(u, e + 1)),
    ]


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl/double_tree.py``, which asks for parents and children; the page asks for messages."""
    impl: Any = double_tree  # its functions are typed for int and run here on symbols
    last = impl.rounds(p)
    box, back = (*always(page), within(t, last)), 2 * last - 1 - t
    yield Obligation("rounds", always(page), page.steps(p) == 2 * last)
    yield Obligation("cuts", (*always(page), n >= 0), bound(1, n, 2) == n // 2)
    for half in (0, 1):
        v, named = impl.number(r, half, p), f"in tree {half}"
        yield Obligation(f"numbers {named}", always(page), v == number(r, half, p))
        yield Obligation(f"ranks {named}", always(page), impl.ranked(r, half, p) == rank(r, half, p))
        less, more = impl.before(v, t), impl.after(v, t)
        sends = both(impl.multiple(v, t), negate(impl.multiple(v, t + 1)))
        greater = both(impl.multiple(less, t + 2), more < p)
        inner, higher = impl.multiple(v, t + 1), impl.multiple(v, t + 2)
        beyond = impl.after(v, t + 1) >= p
        takes = both(inner, negate(higher)), every(inner, more < p, either(negate(higher), beyond))
        for side, parent, under, has in ((0, more, less, greater), (1, less, more, negate(greater))):
            which, told = 2 * half + side, f"by message {side} {named}"
            up, down = both(sends, has), page.dst(r, back, p, which)
            to, source = page.dst(r, t, p, which), page.src(r, t, p, which)
            yield Obligation(f"who sends {told}", box, iff(page.active(r, t, p, which), up))
            yield Obligation(f"to whom {told}", box, implies(up, to == impl.ranked(parent, half, p)))
            yield Obligation(f"who gets {told}", box, iff(page.active(source, t, p, which), takes[side]))
            yield Obligation(f"from whom {told}", box, implies(takes[side], source == impl.ranked(under, half, p)))
            yield Obligation(f"who sends back {told}", box, iff(page.active(r, back, p, which), takes[side]))
            yield Obligation(f"to whom back {told}", box, implies(takes[side], down == impl.ranked(under, half, p)))
