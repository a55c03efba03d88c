"""Spans of steps in which a page's conditions do not change; its formulas within one, summed over steps and ranks.

Within a span ``where(t < p - 1, ...)`` is decided, and what remains is linear in ``t``.

A sum of ``B(x + 1) - B(x)`` over chunks that follow each other telescopes.  Over all ranks,
``B(x + m) - B(x)`` has the mean ``m n / p`` and takes no values but its floor and its ceiling; so
the largest is the ceiling and the smallest the floor.

What all roads to closed forms come to, a ``Derivation``, stands here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import sympy

from sparring.costs.formulas.symbols import LENGTHS, B, Expr, SympyReader, c, p, r, t
from sparring.errors import Undecided
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader

COMPARISONS = ("<", "<=", "==")
FURTHEST = 64  # chunks that one message may span


class Span(NamedTuple):
    """The steps ``first <= t < end``."""

    first: Expr
    end: Expr


class Piece(NamedTuple):
    """The words that are sent in the steps of one span."""

    span: Span
    words: Expr
    """Words of the message of rank ``r`` in step ``t``."""
    total: Expr
    """These words, summed over the span."""


@dataclass(frozen=True)
class Derivation:
    """The closed forms that could be derived, named as ``counted.Counts``; None where there is none: see ``gaps``."""

    steps: Expr
    messages: Expr
    """The most messages of a rank in each step, summed."""
    critical: Expr | None
    words: Expr | None
    added: Expr | None
    added_critical: Expr | None
    gaps: tuple[str, ...]
    pieces: tuple[Piece, ...] = ()
    sent: Expr | None = None
    adding: tuple[Piece, ...] | None = None
    """The words that rank ``r`` receives in the spans that add."""
    received: Expr | None = None
    path: Expr | None = None
    most: Expr | None = None
    """Messages of the rank that sends the most, where ranks are silent in some steps; None where none is."""
    confirmed: int = 0
    """How many obligations both solvers confirmed, where the forms were derived with their help."""
    given: str = ""
    """The hypothesis under which all but ``steps`` hold: chunks are equal, or p is a power."""
    letters: Mapping[str, int] = field(default_factory=dict)
    """Values of the page's parameters that the forms have as letters."""
    below: bool = False
    """Whether something is proved for p < 2^31 alone."""
    parts: tuple[tuple[Page, Derivation], ...] = ()
    """For several messages of chunks in a step: each step, as a page that sends them one after the other."""


class Comparisons(Reader[dict[str, Node]]):
    """Reads a term as its comparisons, by how they are spelt."""

    def constant(self, x: int | bool) -> dict[str, Node]:
        return {}

    def variable(self, name: str) -> dict[str, Node]:
        return {}

    def operator(self, x: Node, args: list[dict[str, Node]]) -> dict[str, Node]:
        own = {repr(x): x} if x.op in COMPARISONS else {}
        return {spelt: one for found in [*args, own] for spelt, one in found.items()}


def changes(x: Node) -> Iterable[Expr]:
    """Return the steps at which ``a < b``, ``a <= b`` or ``a == b`` changes as ``t`` grows."""
    zero = difference(x)
    slope = zero.coeff(t)
    if slope == 0:
        return ()
    if slope not in (1, -1) or not (zero - slope * t).free_symbols <= {p}:
        raise Undecided(f"{x!r}: a condition must compare t, with factor 1 or -1, to a number made of p")
    at = sympy.expand(t - slope * zero)
    if x.op == "==":
        return (at, at + 1)
    return (at,) if (x.op == "<") == (slope == 1) else (at + 1,)


def difference(x: Node) -> Expr:
    """Return ``a - b`` for the comparison ``x`` of ``a`` with ``b``."""
    read = SympyReader()
    return sympy.expand(read(x.args[0]) - read(x.args[1]))


def never_negative(x: Expr) -> bool:
    """Return whether ``x >= 0`` surely holds for every ``p >= 2``: written in ``p - 2`` it has no minus."""
    shifted = sympy.expand(x.subs(p, p + 2))
    return shifted.free_symbols <= {p} and all(k >= 0 for k in sympy.Poly(shifted, p).all_coeffs())


def spans(steps: Expr, formulas: Iterable[Int | Bool]) -> list[Span]:
    """Cut the steps wherever a condition in ``formulas`` may change; raise Undecided where cuts have no order."""
    inner: list[Expr] = []
    compared = (x for found in map(Comparisons(), formulas) for x in found.values())
    for cut in {cut for x in compared for cut in changes(x)} - {0, steps}:
        if never_negative(-cut) or never_negative(cut - steps):
            continue
        if not (never_negative(cut) and never_negative(steps - cut)):
            raise Undecided(f"whether step {cut} is among the {steps} steps depends on p")
        if not all(never_negative(cut - other) or never_negative(other - cut) for other in inner):
            raise Undecided(f"the order of the steps {cut} and {inner} depends on p")
        inner.insert(sum(never_negative(cut - other) for other in inner), cut)
    edges = [sympy.Integer(0), *inner, steps]
    return [Span(*edge) for edge in pairwise(edges)]


class SpanReader(SympyReader):
    """Reads a term as it is in every step of a span."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op in COMPARISONS:
            return self.settled(x)
        if x.op == "where":
            return args[1] if args[0] == sympy.true else args[2]
        return super().operator(x, args)

    def settled(self, x: Node) -> Expr:
        """Return whether ``x`` holds throughout the span; raise Undecided where it changes or depends."""
        ends = [sympy.expand(difference(x).subs(t, at)) for at in (self.span.first, self.span.end - 1)]
        reach = {"<": -1, "<=": 0, "==": 0}[x.op]
        if all(never_negative(reach - end) for end in ends) and (
            x.op != "==" or all(never_negative(end) for end in ends)
        ):
            return sympy.true
        above = all(never_negative(end - reach - 1) for end in ends)
        if above or (x.op == "==" and all(never_negative(-end - 1) for end in ends)):
            return sympy.false
        raise Undecided(f"{x!r}: whether this holds depends on more than the step")


class ResidueReader(SpanReader):
    """Reads a chunk up to multiples of ``p``: there ``%`` changes nothing, since ``B`` takes laps out."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "%" and args[1] == p:
            return args[0]
        if x.op not in ("+", "-", "*", "where", "and", "or", "not", *COMPARISONS):
            raise Undecided(f"{x!r}: a chunk made with {x.op} cannot be summed")
        return super().operator(x, args)


# -- sums


def total(words: Expr, span: Span) -> Expr:
    """Return the sum of ``words``, a sum of ``B`` at places linear in ``t``, over the span.

    Raises Undecided where it does not telescope.
    """
    words = sympy.expand(words)
    moving = [b for b in words.atoms(B) if b.has(t)]
    rest, found = remainder(words, moving)
    if rest.has(t) or any(k.has(t) for k in found.values()):
        raise Undecided(f"a message of {words} words changes with the step in a way that is not summed")
    result = rest * (span.end - span.first)
    for m in LENGTHS:
        if shared := {b: factor for b, factor in found.items() if b.args[1] == m}:
            result += telescoped(shared, m, span)
    return sympy.expand(result)


def telescoped(found: dict[Expr, Expr], m: Expr, span: Span) -> Expr:
    """Return the sum over the span of prefixes of ``m``, each with its factor."""
    if sympy.expand(sum(found.values())) != 0:
        raise Undecided(f"{sum(factor * b for b, factor in found.items())} is no sum of chunk sizes")
    slope = common_slope(list(found))
    start, stop = (span.first, span.end) if slope == 1 else (1 - span.end, 1 - span.first)
    places = {b: sympy.expand(b.args[0] - slope * t) for b in found}
    result = sympy.Integer(0)
    for b, steps in distances(places).items():
        low = places[b] - steps
        result += found[b] * sum(B(stop + low + j, m) - B(start + low + j, m) for j in range(steps))
    return result


def remainder(x: Expr, prefixes: list[Expr]) -> tuple[Expr, dict[Expr, Expr]]:
    """Return ``x`` without its terms in ``prefixes``, and the factor of each prefix."""
    factors = {b: x.coeff(b) for b in prefixes}
    return sympy.expand(x - sum(k * b for b, k in factors.items())), factors


def common_slope(moving: list[Expr]) -> int:
    """Return by how much the chunk moves from one step to the next, 1 or -1; raise Undecided for others."""
    slopes = {sympy.expand(b.args[0]).coeff(t) for b in moving}
    if slopes not in ({1}, {-1}):
        raise Undecided(f"chunks do not follow each other: from step to step they move by {sorted(slopes, key=str)}")
    return int(slopes.pop())


def distances(places: dict[Expr, Expr]) -> dict[Expr, int]:
    """Return how far each place is from the lowest."""
    some = next(iter(places.values()))
    away = {b: sympy.expand(x - some) for b, x in places.items()}
    if not all(d.is_Integer and abs(d) <= FURTHEST for d in away.values()):
        raise Undecided("a message whose number of chunks is no small constant is not summed")
    lowest = min(away.values())
    return {b: int(d - lowest) for b, d in away.items()}


def largest(words: Expr) -> Expr:
    """Return the largest of ``words`` over all ranks ``r``, which takes each value modulo ``p`` once.

    Raises Undecided where that is no single difference ``B(x + m) - B(x)``.
    """
    words = sympy.expand(words)
    rest, factors = remainder(words, [b for b in words.atoms(B) if b.has(r)])
    if rest.has(r, c):
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    if not factors:
        return rest
    lengths = {b.args[1] for b in factors}
    if len(factors) != 2 or len(lengths) != 1 or sympy.expand(sum(factors.values())) != 0:
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    low, high = sorted(factors, key=distances({b: b.args[0] for b in factors}).__getitem__)
    if sympy.expand(low.args[0]).coeff(r) not in (1, -1):
        raise Undecided(f"in {words} the ranks do not share out the chunks")
    width = sympy.expand(high.args[0] - low.args[0]) * lengths.pop() / p
    if never_negative(factors[high]):
        return sympy.expand(rest + factors[high] * sympy.ceiling(width))
    if never_negative(-factors[high]):
        return sympy.expand(rest + factors[high] * sympy.floor(width))
    raise Undecided(f"whether {factors[high]} is negative depends on p")
