"""Proves rows, their order, sums in halves and products of ``spec/library/matrices.py``.

Sizes, scores and entries are letters.  A row's score is told by its place among all scores, ``a`` or ``b``, and rows
by their indices ``i``, ``j`` and ``q``; where a row is cut, ``p`` is its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from sparring.proofs.logic.obligations import Obligation, c, every, i, implies, j, p, q, within
from sparring.spec.core.numbers import Int, Sym, both, either, negate
from sparring.spec.core.vectors import Vector
from sparring.spec.library import matrices

LENGTHS = range(1, 9)
"""Of so many terms the order of addition is looked at."""
ANY = (p >= 1,)
a, b, e, k = (Sym.var(name) for name in "abek")
PART = (p >= 1, k >= 0, e >= 1, e <= p)
"""Of ``k`` whole rows and ``e`` entries more, one at least and a row at most."""


def order(m: Any = matrices) -> Iterator[Obligation]:
    """State that two ranks' choices of as many rows are one: of what one alone has or the other, either came first."""
    yield Obligation("not before itself", ANY, negate(m.before(a, i, a, i)))
    yield Obligation("of two rows one", (*ANY, negate(i == j)), either(m.before(a, i, b, j), m.before(b, j, a, i)))
    yield Obligation("and not the other", ANY, negate(both(m.before(a, i, b, j), m.before(b, j, a, i))))
    chain = both(m.before(a, i, b, j), m.before(b, j, e, q))
    yield Obligation("in one order", ANY, implies(chain, m.before(a, i, e, q)))
    yield Obligation("a larger score is first", (*ANY, a < b), m.before(a, i, b, j))


def places(m: Any = matrices) -> Iterator[Obligation]:
    """State that rows lie one after the other; ``p`` is their length, ``k`` their number."""
    row = (p >= 1, within(i, k), within(c))
    yield Obligation("as the first", (p >= 1, within(c)), both(m.slot(0, c, p) == c, m.slot(0, p, p) == p))
    yield Obligation("each after the one before", row, m.slot(i + 1, c, p) == m.slot(i, c, p) + p)
    yield Obligation("entry by entry", row, both(m.slot(i, c + 1, p) == m.slot(i, c, p) + 1, m.slot(i, c, p) >= c))


def rows(m: Any = matrices) -> Iterator[Obligation]:
    """State that whole rows and a part of one are a row more; of nothing there is none."""
    yield Obligation("no row of nothing", ANY, m.rows(0, p) == 0)
    yield Obligation("whole rows and a part", PART, m.rows(p * k + e, p) == k + 1)


def high(counted: Callable[[Int, Int], Int]) -> Iterator[Obligation]:
    """State that an implementation counts as many."""
    yield Obligation("no rows", ANY, counted(0 * p, p) == matrices.rows(0 * p, p))
    yield Obligation("rows", PART, counted(p * k + e, p) == matrices.rows(p * k + e, p))


def halves(m: Any = matrices) -> Iterator[Obligation]:
    """State that the orders of addition add every term once; a product is that of its terms."""
    for many in LENGTHS:
        first, by = letters("x", many), letters("z", many)
        yield Obligation(f"{many} halved", ANY, m.halved(first) == summed(first))
        yield Obligation(f"{many} one below the other", ANY, m.down(first) == summed(first))
        yield Obligation(f"product of {many}", ANY, m.dot(first, by) == summed([u * v for u, v in zip(first, by)]))


def letters(name: str, many: int) -> list[Sym]:
    return [Sym.var(f"{name}{at}") for at in range(many)]


def summed(terms: list[Any]) -> Int:
    """Sum terms one after the other."""
    total: Int = 0
    for term in terms:
        total = total + term
    return total


def additive(name: str, function: Callable[[Vector], Vector], many: int) -> Iterator[Obligation]:
    """State that of the sum of two vectors of so many entries it gives the sum."""
    x, y = (Vector(letters(letter, many)) for letter in "xy")
    sums = zip(function(x + y), function(x) + function(y), strict=True)
    yield Obligation(f"{name} of {many}", ANY, every(True, *(one == other for one, other in sums)))


def roots(m: Any = matrices) -> Iterator[Obligation]:
    """State what roots of exact numbers are: of a square its root, of others a fraction near it."""
    for top, bottom in ((0, 1), (2, 1), (2, 3), (5, 4)):
        root = m.root(Fraction(top * top, bottom * bottom))
        same = both(p * root.numerator == p * top, p * root.denominator == p * bottom)
        yield Obligation(f"root of the square of {top}/{bottom}", ANY, same)
    near = abs(m.root(2) ** 2 - 2) * 10**15
    yield Obligation("near the root of 2", ANY, p * int(near) <= p - 1)
