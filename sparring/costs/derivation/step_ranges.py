"""Spans of steps in which a page's conditions do not change; its formulas within one, summed over steps and ranks.

The conditions ``t < X`` of its formulas cut the steps into spans, in an order that a solver finds to hold for every p.
Within a span ``where(t < p - 1, ...)`` is decided, and what remains to be summed is linear in ``t``.

A sum of ``B(x + 1) - B(x)`` over chunks that follow each other telescopes.  Over all ranks,
``B(x + m) - B(x)`` has the mean ``m n / p`` and takes no values but its floor and its ceiling; so
the largest is the ceiling and the smallest the floor.

What all roads to closed forms come to, a ``Derivation``, stands here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, permutations
from typing import NamedTuple

import sympy

from sparring.costs.derivation.confirmation import always_so
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import LENGTHS, B, CeilLog, CeilLog2, Expr, FloorLog2, SympyReader
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import every, p, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Node, Reader, Sym, variables, where

COMPARISONS = ("<", "<=", "==")
READ = ("+", "-", "*", "//", "%", "<", "not", "and", "or")
"""The operators that a number of steps may have beside those that are looked for."""
FURTHEST = 64  # chunks that one message may span
UNLESS_ALONE = sympy.Min(1, symbols.p - 1)
"""1, but 0 for one rank."""
IS_NO_POWER = CeilLog2(symbols.p) - FloorLog2(symbols.p)
"""1 where p is no power of two, else 0."""


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


def limit(x: Node) -> tuple[Int, bool] | None:
    """Return the ``X``, the same for all ranks, for which a comparison says ``t < X``, and whether so, or the contrary.

    None for other comparisons.
    """
    low, high = x.args
    if isinstance(low, Sym) and low.op == "+" and low.args[0] is t:
        low, high = t, high - low.args[1]
    if x.op == "==" or (low is not t) == (high is not t):
        return None
    less, most = ("<", high) if low is t else ("<=", low)
    end = most if x.op == less else most + 1
    return None if variables(end) & {"r", "j"} else (end, low is t)


def cuts(page: Page, formulas: Iterable[Int | Bool]) -> list[Int]:
    """Return the ends of all spans but the last, in their order; raise Undecided where that depends on p.

    A span ends where a condition ``t < X`` in ``formulas`` changes.  Where the first step of one is another than those
    after it, ``t == 0``, it is a span of its own.
    """
    compared = {spelt: x for found in map(Comparisons(), formulas) for spelt, x in found.items()}
    limits = filter(None, map(limit, compared.values()))
    ends = [*{repr(end): end for end, _ in limits}.values()]
    first = [where(end > 0, 1, 0) for end in ends if "(t == 0)" in compared]
    for order in chain.from_iterable(map(permutations, [[*ends, one] for one in first] or [ends])):
        if always_so(page, every(*(a <= b for a, b in pairwise([0, *order, page.steps(p)])))):
            return list(order)
    raise Undecided("the order of the steps at which ranks begin or cease to send depends on p")


def spans(page: Page, formulas: Sequence[Int | Bool]) -> list[tuple[Span, InSpan]]:
    """Return the spans in which all conditions ``t < X`` stay as they are, each with what reads a term there."""
    edges: list[Int] = [0, *cuts(page, formulas), page.steps(p)]
    ends = {repr(end): at for at, end in enumerate(edges[1:])}
    exact = [sympy.expand(StepsReader()(edge)) for edge in edges]
    return [(Span(*span), InSpan(ends, at)) for at, span in enumerate(pairwise(exact))]


class StepsReader(SympyReader):
    """Reads a number made of ``p``, its binary logarithm, and quotients, rounded up or down."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "bit_length" and args == [symbols.p]:
            return FloorLog2(symbols.p) + 1
        if x.op == "<<":
            return args[0] * 2 ** args[1]
        if x.op == ">>":  # half of a logarithm, rounded up, or else of what is shown to be even
            return CeilLog(symbols.p, 4) if args == [CeilLog2(symbols.p) + 1, 1] else args[0] / 2 ** args[1]
        if x.op == "where" and args[::2] == [sympy.Lt(1, symbols.p), 0]:
            return args[1] * UNLESS_ALONE
        if x.op == "where" and args[::2] == [sympy.Lt(1, FloorLog2(symbols.p)), 0]:
            return args[1] * sympy.Min(1, sympy.floor(symbols.p / 4))
        if x.op == "where" and args[1:] == [1, 0] and args[0].has(sympy.Mod):
            return rounded_up(args[0])
        unless_power = [sympy.Lt(0, symbols.p - 2 ** FloorLog2(symbols.p)), sympy.Lt(0, 2 * IS_NO_POWER)]
        if x.op == "where" and args[0] in unless_power:
            return args[2] + (args[1] - args[2]) * IS_NO_POWER
        if x.op == "<=":
            return sympy.Le(*args, evaluate=False)
        if x.op not in READ and (x.op != "where" or x.args[0].op != "<="):
            raise Undecided(f"{x!r} has no closed form")
        return super().operator(x, args)


def rounded_up(condition: Expr) -> Expr:
    """Return ``ceiling(a / d) - floor(a / d)`` for the condition ``0 < a % d``, which is 1 where it holds."""
    (rest,) = condition.atoms(sympy.Mod)
    if condition != sympy.Lt(0, rest):
        raise Undecided(f"{condition} has no closed form")
    quotient = rest.args[0] / rest.args[1]
    return sympy.ceiling(quotient) - sympy.floor(quotient)


class InSpan(StepsReader):
    """Reads a term as it is in the span number ``at``; ``ends`` gives, for an end as it is spelt, the span's number."""

    def __init__(self, ends: Mapping[str, int], at: int) -> None:
        super().__init__()
        self.ends, self.at = ends, at

    def holds(self, claim: Bool) -> bool:
        """Return whether ``claim`` holds in all steps of the span; raise Undecided where that is no matter of spans."""
        found = self(claim)
        if found not in (sympy.true, sympy.false):
            raise Undecided(f"{claim!r}: whether this holds depends on more than the step")
        return bool(found)

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op in COMPARISONS and (found := limit(x)) and repr(found[0]) in self.ends:
            return sympy.sympify((self.at <= self.ends[repr(found[0])]) == found[1])
        if x.op == "where" and args[0] in (sympy.true, sympy.false):
            return args[1] if args[0] == sympy.true else args[2]
        return super().operator(x, args)


class ResidueReader(InSpan):
    """Reads a chunk up to multiples of ``p``: there ``%`` changes nothing, since ``B`` takes laps out."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "%" and args[1] == symbols.p:
            return args[0]
        if x.op not in ("+", "-", "*", "where", "and", "or", "not", *COMPARISONS):
            raise Undecided(f"{x!r}: a chunk made with {x.op} cannot be summed")
        if x.op == "where":
            return args[1] if self.holds(x.args[0]) else args[2]
        return super().operator(x, args)


# -- sums


def total(words: Expr, span: Span) -> Expr:
    """Return the sum of ``words``, a sum of ``B`` at places linear in ``t``, over the span.

    Raises Undecided where it does not telescope.
    """
    words = sympy.expand(words)
    moving = [b for b in words.atoms(B) if b.has(symbols.t)]
    rest, found = remainder(words, moving)
    if rest.has(symbols.t) or any(k.has(symbols.t) for k in found.values()):
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
    places = {b: sympy.expand(b.args[0] - slope * symbols.t) for b in found}
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
    slopes = {sympy.expand(b.args[0]).coeff(symbols.t) for b in moving}
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
    rest, factors = remainder(words, [b for b in words.atoms(B) if b.has(symbols.r)])
    if rest.has(symbols.r, symbols.c):
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    if not factors:
        return rest
    lengths = {b.args[1] for b in factors}
    if len(factors) != 2 or len(lengths) != 1 or sympy.expand(sum(factors.values())) != 0:
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    low, high = sorted(factors, key=distances({b: b.args[0] for b in factors}).__getitem__)
    if sympy.expand(low.args[0]).coeff(symbols.r) not in (1, -1):
        raise Undecided(f"in {words} the ranks do not share out the chunks")
    width = sympy.expand(high.args[0] - low.args[0]) * lengths.pop() / symbols.p
    if never_negative(factors[high]):
        return sympy.expand(rest + factors[high] * sympy.ceiling(width))
    if never_negative(-factors[high]):
        return sympy.expand(rest + factors[high] * sympy.floor(width))
    raise Undecided(f"whether {factors[high]} is negative depends on p")


def never_negative(x: Expr) -> bool:
    """Return whether ``x >= 0`` surely holds for every ``p >= 2``: written in ``p - 2`` it has no minus."""
    shifted = sympy.expand(x.subs(symbols.p, symbols.p + 2))
    return shifted.free_symbols <= {symbols.p} and all(k >= 0 for k in sympy.Poly(shifted, symbols.p).all_coeffs())
