"""The bytes of a message as a formula: with the page's own numbers, or with letters for them.

``m``: its entries, of a chunk of ``size``; ``width``: bytes of a value.  ``index`` and ``header`` are the
bytes of an index and of what stands before the entries.

By a page's own rule chunks may be sent with all their places, be that the cheapest or not.  Such a page has a formula
``fills(m, size, t, p)``: whether in step ``t`` a chunk of ``size`` places that has ``m`` entries is sent so.  A word
of one is a value; all other messages have an index beside each.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from sparring.costs.formulas.symbols import OCTETS, OPERATORS, Expr, SympyReader, symbol
from sparring.errors import Undecided
from sparring.proofs.reading.annotations import with_parameters
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Node, Sym
from sparring.spec.core.schedule import number, truth

m, index, header = map(symbol, ("m", "index", "header"))
SHORT, LONG = 4, 8
"""Bytes of an index, where chunks are short and where they are long."""


class LettersReader(SympyReader):
    """Reads an index's bytes, which depend on how long the chunk is, or are saved in full ones, as ``index``."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "where" and args[1:] == [SHORT, LONG]:
            return index
        if x.op == "where" and args[1:] == [SHORT, 0]:
            return OPERATORS[x.op](args[0], index, args[2])
        return super().operator(x, args)


def octets(page: Page, reader: type[SympyReader] = SympyReader) -> Expr:
    """Return the page's own formula, with minima written as such."""
    return reader()(page.octets(Sym.var("m"), Sym.var("size"), Sym.var("width")))


def lettered(page: Page) -> Expr | None:
    """Return it with letters for the bytes of an index and of a header; None where messages have no index."""
    if not page.listed:
        return None
    found = octets(page, LettersReader)
    if not found.has(index):  # always short
        found = sympy.expand(found) + m * (index - SHORT)
    before = number(page.octets(0, 0, 1))  # what even a message without entries, of a chunk without places, has
    return sympy.factor(found - before) + (header if before else 0)


def worth(page: Page) -> str:
    """Return in words the values that the letters have on this page."""
    before = number(page.octets(0, 0, 1))
    long = "" if not octets(page, LettersReader).has(index) else f", {LONG} in long chunks"
    long = ", none where all of a chunk is sent" if page.once else long
    return f"index: {SHORT} bytes{long}" + (f"; header: {before} bytes" if before else "")


# -- chunks that are dense by a rule


class Sent(NamedTuple):
    """The part of a chunk that a message sends."""

    entries: Fraction
    words: Fraction


def stated(page: Page) -> Any:
    """Return the page's ``fills``, its parameters bound; None where it has none."""
    return with_parameters(getattr(page.module, "fills", None), page)


def sending(page: Page) -> Callable[[Fraction, int, int, int], Sent]:
    """Return ``sent(m, size, t, p)``: what is sent in step ``t`` of a chunk of ``size`` with ``m`` entries."""
    fills = stated(page)

    def sent(m: Fraction, size: int, t: int, p: int) -> Sent:
        whole = fills is not None and truth(fills(m, size, t, p))
        return Sent(Fraction(size), Fraction(size)) if whole else Sent(m, 2 * m)

    return sent


def condition(page: Page, step: Int, p: Int) -> Expr:
    """Return when a chunk goes dense, as a formula of ``OCTETS``; raise Undecided for more than a few steps."""
    fills = stated(page)
    if fills is None:
        return sympy.false
    if not page.several:
        raise Undecided("chunks that go dense by a rule are summed step by step: of several messages in each")
    return sympy.sympify(SympyReader()(fills(Sym.var("m"), Sym.var("size"), step, p)))


def either(dense: Expr, many: Expr, length: Expr, share: Expr, of: Callable[..., Expr], whole: Any) -> Expr:
    """Return ``whole(length)`` where the condition holds, else ``of(many)``; a chunk has the ``share`` of these."""
    m, size, _ = OCTETS
    there = dense.subs({m: many * share, size: length * share}, simultaneous=True)
    if there in (sympy.true, sympy.false):
        return whole(length) if there == sympy.true else of(many)
    return sympy.Piecewise((whole(length), there), (of(many), True))
