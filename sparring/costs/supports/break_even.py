"""Finds the densities for which a sparse ring with the cheapest encodings pays, and by how much.

Compared are bytes per place of the vector, as it grows, so that headers and rounding vanish: of
the sparse ring, of a ring allgather whose lists, of the vector's full length, are granted the same
encodings, and of the dense ring.  Supports are independent and evenly spread; each message has its
expected number of entries.  Its expected bytes are no more: the cheapest encoding is concave (Jensen).

None of the three falls as the density grows.  So the values at two densities bound the factor
between them, and densities are cut finer until that decides.  Numbers are integers in units of
``2^-BITS``, rounded down or up as the bound needs; nothing is a float.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

import sympy

from sparring.costs.formulas.symbols import Expr, SympyReader, symbol
from sparring.costs.supports.contributions import contributions
from sparring.errors import InputError, Undecided
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym
from sparring.spec.core.schedule import number

BITS = 96
ONE = 1 << BITS
SIZES = (2**16 + 1, 2**32)  # places of a chunk: they settle how wide an index is
FINE = Fraction(1, 10**5)


class Line(NamedTuple):
    """Bytes per place: ``slope`` for each entry per place, and ``constant``."""

    slope: Fraction
    constant: Fraction


class Between(NamedTuple):
    """Two numbers between which something lies."""

    low: Fraction
    high: Fraction


class Sent(NamedTuple):
    """The amounts that a rank sends at a density, per place; only quotients matter, in the comparison's unit."""

    ring: int
    other: int
    """The better of the allgather and the dense ring."""


class Band(NamedTuple):
    """The densities at which the sparse ring sends less than the better of the two others, and by which factor at most.

    Where a factor was asked for, ``begins`` and ``ends`` bound the densities at which so much less is sent.
    """

    begins: Between
    """The density from which on the sparse ring pays, 0 to 1."""
    ends: Between
    best: Fraction
    """A density with the largest factor, up to the factor's own width."""
    factor: Between
    """The better of the two others, divided by the sparse ring, at most."""


def encodings(page: Page, w: int) -> list[Line]:
    """Return the bytes that each encoding of ``page.octets`` takes in long chunks, for values of ``w`` bytes."""
    octets = SympyReader()(page.octets(Sym.var("m"), Sym.var("size"), w)).replace(sympy.Piecewise, settled)
    minima = octets.atoms(sympy.Min)
    if len(minima) != 1 or (octets - sum(minima)).has(symbol("m"), symbol("size")):
        raise Undecided(f"octets = {octets} is no header and the least of several encodings")
    return [line(x) for x in minima.pop().replace(sympy.floor, lambda x: x).args]


def settled(*cases: tuple[Expr, Expr]) -> Expr:
    """Return the case that holds for all chunks of such a size; a condition compares the size with a number."""
    first, last = (next(x for x, holds in cases if holds.subs(symbol("size"), at) == sympy.true) for at in SIZES)
    if first != last:
        raise Undecided(f"{cases}: it depends on the size of the chunk")
    return first


def line(octets: Expr) -> Line:
    """Return the bytes per place, as the chunk grows with as many entries a place."""
    m, size = symbol("m"), symbol("size")
    slope, constant = (sympy.expand(octets).coeff(letter) for letter in (m, size))
    if (octets - slope * m - constant * size).has(m, size):
        raise Undecided(f"{octets} bytes do not grow in proportion to entries and places")
    if slope < 0 or constant < 0:
        raise Undecided(f"{octets} bytes fall as entries or places grow")
    return Line(*(Fraction(x.p, x.q) for x in (slope, constant)))


@dataclass(frozen=True)
class Comparison:
    """The three algorithms on ``p`` ranks with values of ``w`` bytes; densities are in units of ``2^-BITS``."""

    p: int
    w: int
    scale: int
    """The number of units in a byte, which makes ``lines`` whole."""
    lines: tuple[tuple[int, int], ...]
    """The slope and the constant of each encoding."""
    messages: tuple[tuple[int, int], ...]
    """Numbers of contributions, each with the number of messages that hold so many."""
    times: Fraction
    """The sparse ring pays where the better of the others sends more than so many times as much."""

    def least(self, density: int) -> int:
        """Return the bytes that the cheapest encoding takes, in the comparison's units, exactly."""
        return min(slope * density + constant * ONE for slope, constant in self.lines)

    def sent(self, density: int, up: int) -> Sent:
        """Return the amounts that are sent at this density, rounded down, or up where ``up`` is 1."""
        power, ring, done = ONE, 0, 0
        for many, messages in self.messages:
            for _ in range(many - done):
                power = power * (ONE - density) + (ONE - 1) * (1 - up) >> BITS  # the larger, the smaller the union
            ring, done = ring + messages * self.least(ONE - power), many
        allgather = self.p * (self.p - 1) * self.least(density)
        return Sent(ring, min(allgather, 2 * (self.p - 1) * self.w * self.scale * ONE))

    def pays(self, low: int, high: int) -> int:
        """Return 1 where the ring pays at all densities between these, -1 where at none, 0 where neither is shown."""
        down, up = self.sent(low, 0), self.sent(high, 1)
        return (down.other > self.times * up.ring) - (up.other <= self.times * down.ring)

    @property
    def sparsest(self) -> int:
        """Below this density all messages and lists are pairs; a ring of these is nowhere shorter than both others."""
        pairs = min(slope for slope, constant in self.lines if constant == 0)
        return min(b * ONE // (self.p * (pairs - a)) for a, b in self.lines if a < pairs)

    def marked(self) -> Iterator[tuple[int, int, int]]:
        """Yield all densities from ``sparsest`` on, in pieces: from, to, and whether the sparse ring pays there."""
        open_ = [(self.sparsest, ONE)]
        while open_:
            low, high = open_.pop()
            if (said := self.pays(low, high)) or high - low < FINE * low:
                yield low, high, said
            else:
                middle = (low + high) // 2
                open_ += [(middle, high), (low, middle)]

    def largest(self) -> tuple[int, Between]:
        """Return a density at which the factor is largest, and the largest factor, as finely as ``FINE``."""
        best, at = Fraction(0), 0
        open_ = [(Fraction(-self.p), self.sparsest, ONE)]
        while -open_[0][0] - best > FINE:
            _, low, high = heapq.heappop(open_)
            middle = (low + high) // 2
            exact = Fraction(self.sent(middle, 0).other, self.sent(middle, 1).ring)
            best, at = max((best, at), (exact, middle))
            for a, b in ((low, middle), (middle, high)):
                heapq.heappush(open_, (-Fraction(self.sent(b, 1).other, self.sent(a, 0).ring), a, b))
        return at, Between(best, -open_[0][0])

    def factor(self, density: Fraction) -> Between:
        """Return the better of the others, divided by the sparse ring, at this density."""
        x = density * ONE // 1
        down, up = self.sent(x, 0), self.sent(x, 1)
        return Between(Fraction(down.other, up.ring), Fraction(up.other, down.ring))


def comparison(page: Page, p: int, w: int = 4, times: Fraction = Fraction(1)) -> Comparison:
    """Return the comparison for ``page``; raise InputError for bad numbers, Undecided for sizes of another kind."""
    if p < 2 or times < 1:
        raise InputError(f"p={p}, times={times}: right is 2 ranks or more, and 1 or more")
    if not page.cuts:
        raise Undecided(f"{page.name} sends whole vectors: a band is of chunks that go around a ring")
    many = contributions(page)
    messages = Counter(number(many(t, p)) for t in range(number(page.steps(p))))
    lines = encodings(page, w)
    scale = math.lcm(*(x.denominator for line in lines for x in line))
    whole = tuple((int(scale * slope), int(scale * constant)) for slope, constant in lines)
    return Comparison(p, w, scale, whole, tuple(sorted(messages.items())), times)


def band(page: Page, p: int, w: int = 4, times: Fraction = Fraction(1)) -> Band | None:
    """Return the densities at which ``page`` pays on ``p`` ranks with values of ``w`` bytes; None where none was found.

    It pays where the better of the others sends more than ``times`` as much.  Raises Undecided where it pays in
    several bands.
    """
    compared = comparison(page, p, w, times)
    pieces = [(said, list(piece)) for said, piece in groupby(compared.marked(), key=lambda x: x[2])]
    edges = [Between(Fraction(x[0][0], ONE), Fraction(x[-1][1], ONE)) for said, x in pieces if said == 0]
    said = [said for said, _ in pieces]
    if 1 not in said:
        return None
    if said != [-1, 0, 1, 0, -1]:
        raise Undecided(f"{page.name} at p={p}: the densities at which it pays are no one band")
    best, factor = compared.largest()
    return Band(edges[0], edges[1], Fraction(best, ONE), factor)
