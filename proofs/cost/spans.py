"""Spans of steps in which a page's conditions do not change, and its formulas read within one.

Within a span ``where(t < p - 1, ...)`` is decided, and what remains is linear in ``t``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import sympy

from sparring.errors import Undecided
from sparring.proofs.cost.symbols import Expr, SympyReader, p, t
from sparring.spec.core.numbers import Bool, Int, Node, Reader

COMPARISONS = ("<", "<=", "==")


class Span(NamedTuple):
    """The steps ``first <= t < end``."""

    first: Expr
    end: Expr


class Cuts(Reader[frozenset[Expr]]):
    """Reads a term as the steps at which one of its conditions may change."""

    def constant(self, x: int | bool) -> frozenset[Expr]:
        return frozenset()

    def variable(self, name: str) -> frozenset[Expr]:
        return frozenset()

    def operator(self, x: Node, args: list[frozenset[Expr]]) -> frozenset[Expr]:
        return frozenset().union(*args, changes(x) if x.op in COMPARISONS else ())


def changes(x: Node) -> Iterable[Expr]:
    """Where ``a < b``, ``a <= b`` or ``a == b`` changes as ``t`` grows."""
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
    """``a - b`` for the comparison ``x`` of ``a`` with ``b``."""
    read = SympyReader()
    return sympy.expand(read(x.args[0]) - read(x.args[1]))


def never_negative(x: Expr) -> bool:
    """Whether ``x >= 0`` surely holds for every ``p >= 2``: written in ``p - 2`` it has no minus."""
    shifted = sympy.expand(x.subs(p, p + 2))
    return shifted.free_symbols <= {p} and all(k >= 0 for k in sympy.Poly(shifted, p).all_coeffs())


def spans(steps: Expr, formulas: Iterable[Int | Bool]) -> list[Span]:
    """The steps cut wherever a condition in ``formulas`` may change; raises Undecided where cuts have no order."""
    inner: list[Expr] = []
    for cut in frozenset().union(*map(Cuts(), formulas)) - {0, steps}:
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
        """Whether the comparison ``x`` holds throughout the span; raises Undecided where it changes or depends."""
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
