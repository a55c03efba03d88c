"""What the theorems of the allgather by recursive doubling need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from sparring.impl import recursive_doubling_allgather
from sparring.proofs import recursive_doubling as dense
from sparring.proofs.logic.obligations import Obligation, always, every, i, implies, p, r, t, within
from sparring.proofs.recursive_doubling import contention, lemmas
from sparring.spec import recursive_doubling
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either, negate, where
from sparring.spec.recursive_doubling_allgather import folds, log, number

__all__ = ["contention", "lemmas"]  # the dense one's


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical list ``c`` once both have it."""
    return either(r == s, both(*(recursive_doubling.holds(c, x, 0, t, p) for x in (r, s))))


def peers(page: Page) -> Iterator[Obligation]:
    """State that who sends to whom is as in the dense one; lists are told by their ranks, in a row."""
    return chain(dense.peers(page), which(page))


def which(page: Page) -> Iterator[Obligation]:
    """State which lists are in a message, and where they go."""
    impl: Any = recursive_doubling_allgather  # its functions are typed for int and run here on symbols
    beyond, rounds = impl.beyond(p), impl.rounds(p)

    def begin(v: Int) -> Int:
        rank: Int = where(v < beyond, impl.doubled(v), impl.raised(v, p))
        return rank

    v, idle = number(r, p), both(r < 2 * beyond, impl.neighbour(r) == r + 1)
    box = (*always(page), within(t, rounds), negate(idle))
    start, end = begin(impl.low(v, t)), begin(impl.high(v, t))
    yield Obligation("first list", box, page.chunk(r, t + folds(p), p) == start)
    yield Obligation("how many", box, page.count(r, t + folds(p), p) == end - start)
    yield Obligation("after the last number", always(page), begin(1 << rounds) == p)
    last, backs = folds(p) + log(p), every(beyond > 0, r < 2 * beyond, negate(idle))
    returned = every(page.chunk(r, last, p) == r, page.count(r, last, p) == p - 1)
    row = (*always(page), within(i, p - 1))
    there = (r + i) % p
    yield Obligation("handed back", always(page), implies(backs, returned))
    yield Obligation("not its own", row, implies(backs, negate(there == impl.neighbour(r))))
    yield Obligation("where they go", row, implies(backs, impl.place(there, impl.neighbour(r), p) == i + 1))
