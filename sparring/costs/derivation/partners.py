"""Finds patterns of partners in a page's formulas: to whom messages go, and how long they are.

*Shift*: in every step every rank sends one message, to the rank so many further around the ring.
*All to all*: in every step every rank sends one message to every other.
*Exchange*: every rank sends to all those whose number differs from its own in one digit alone, a bit
say.  Steps go through the digits from the lowest to the highest, or back, once or several times.  So
they go through the distances 1, b, b^2, ..., p / b, where p is a power of the base b.

Both solvers confirm a pattern before it is used: for every number of ranks, or every p < 2^31.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import sympy

from sparring.costs.derivation.confirmation import confirmed, plausible, so
from sparring.costs.derivation.multi_message import POWER, rounds, to_all
from sparring.costs.derivation.whole_vectors import cuts
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, during, every, implies, j, letters, p, r, t
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.digits import digit, log, power, put
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, negate, where

d = sympy.Symbol("d", integer=True, positive=True)
"""The distance of partners."""
SHIFTS = (1, -1)
"""The shifts that are looked for."""


class Pattern(NamedTuple):
    """A pattern of partners that both solvers confirmed."""

    base: int
    """The base of the digits in which partners differ; 0 where they differ in no one digit."""
    by: int
    """How far a shift goes around; 0 where the pattern is no shift."""
    courses: Sequence[Expr]
    """The words of a message at distance ``d``, for each time that an exchange goes through all digits."""
    given: str
    """The hypotheses under which the pattern holds; chunks are equal there."""
    confirmed: int
    """How many obligations both solvers confirmed."""
    below: bool = False
    """Whether the obligations speak of p < 2^31 alone."""

    @property
    def to_all(self) -> bool:
        """Whether every rank sends to every other."""
        return not (self.base or self.by)

    def pairs(self, ranks: int, distance: int = 1) -> list[tuple[int, int]]:
        """Return the pairs of sender and receiver in a step at that distance."""
        if self.to_all:
            return [(rank, other) for rank in range(ranks) for other in range(ranks) if other != rank]
        if not self.base:
            return [(rank, (rank + self.by) % ranks) for rank in range(ranks)]
        return [
            (rank, rank + (other - rank // distance % self.base) * distance)
            for rank in range(ranks)
            for other in range(self.base)
            if other != rank // distance % self.base
        ]

    def __str__(self) -> str:
        if self.to_all:
            return "each rank sends to every other in each step"
        if not self.base:
            return f"each rank sends to the next one {'up' if self.by > 0 else 'down'} the ring"
        digits = "bit" if self.base == 2 else f"digit to the base {self.base}"
        times = "once" if len(self.courses) == 1 else f"{len(self.courses)} times"
        return f"ranks whose numbers differ in one {digits} alone exchange, {times} through all"


def pattern(page: Page) -> Pattern:
    """Return the pattern of a page; raise Undecided where none is found."""
    if page.encoding == "digits":
        return exchange_of_several(page)
    if page.several:
        return all_to_all(page)
    if page.encoding == "bits":
        return exchange(page)
    for by in SHIFTS:
        claims = [
            Obligation("a shift", during(page), page.dst(r, t, p) == (r + by) % p),
            Obligation("all send", during(page), page.active(r, t, p)),
        ]
        if all(map(plausible, claims)) and so(page, claims):
            return Pattern(0, by, (), "", len(claims))
    raise Undecided("messages do not go the same way around in every step")


def all_to_all(page: Page) -> Pattern:
    """Return the pattern of a page whose ranks send several messages of chunks in a step."""
    aside = Obligation("none to itself", (*during(page), *letters(page)), negate(page.dst(r, t, p, j) == r))
    if not (plausible(aside) and so(page, [aside]) and to_all(page)):
        raise Undecided("not every rank sends to every other in each step")
    return Pattern(0, 0, (), "", 3)


def exchange(page: Page) -> Pattern:
    """Return the pattern of a page of whole vectors, or of blocks of them, whose partners differ in a bit."""
    is_power = p == 1 << (p.bit_length() - 1)
    claims: list[Obligation] = []
    courses = []
    for first, end in pairwise([0, *cuts(page), page.steps(p)]):
        nothing = Obligation("no step", during(page), implies(is_power, end == first))
        if plausible(nothing):
            claims.append(nothing)
            continue
        words, shown = course(page, first, end, is_power)
        courses.append(words)
        claims += shown
    helped, below = confirmed(page, claims)
    return Pattern(2, 0, courses, "p = 2^m, p | n" if page.cuts else "p = 2^m", len(helped), below)


def course(page: Page, first: Int, end: Int, is_power: Bool) -> tuple[Expr, Sequence[Obligation]]:
    """Return the words of a message in these steps, and what shows them; raise Undecided for no such course."""
    bits, everything, many = p.bit_length() - 1, page.chunks(p), page.count(r, t, p)
    inside = every(is_power, first <= t, t < end)
    whole = 2 * symbols.k * symbols.p if page.data == "lists" else symbols.n  # the words of all chunks
    ways: tuple[Int, Int] = (t - first, end - 1 - t)
    for bit in ways:
        at = where(inside, bit, 0)
        shown = [
            Obligation("through all bits", during(page), implies(is_power, end - first == bits)),
            Obligation("partners differ in a bit", during(page), implies(inside, page.dst(r, t, p) == r ^ (1 << at))),
            Obligation("all send", during(page), implies(inside, page.active(r, t, p))),
        ]
        for words, claim in (
            (whole, many == everything),
            (whole / (2 * d), many << (at + 1) == everything),
            (whole * d / symbols.p, many == 1 << at),
        ):
            sized = [*shown, Obligation("words of a message", during(page), implies(inside, claim))]
            if all(map(plausible, sized)):
                return words, sized
    raise Undecided("partners do not differ in one bit, from the lowest to the highest or back")


def exchange_of_several(page: Page) -> Pattern:
    """Return the pattern of a page whose ranks send several messages of whole vectors in a step."""
    found, whole = rounds(page), subject(page).general
    radix = whole.page.params.get("radix")
    if found.given != POWER or radix is None:
        raise Undecided("partners do not differ in one digit alone")
    step = (*whole.given, *during(whole.page), p == power(radix, log(p, radix)), every(j >= 0, j < radix - 1))
    turned = put(r, t, (digit(r, t, radix) + j + 1) % radix, radix)
    claims = [
        Obligation("through all digits", step, whole.page.steps(p) == log(p, radix)),
        Obligation("partners differ in a digit", step, whole.page.dst(r, t, p, j) == turned),
        Obligation("all of them", step, whole.page.messages(t, p) == radix - 1),
    ]
    if not so(whole.page, claims):
        raise Undecided("partners do not differ in one digit alone")
    base = page.params["radix"]
    return Pattern(base, 0, (symbols.n,), f"p = {base}^m", found.confirmed + len(claims))
