"""The bytes of a message as a formula: with the page's own numbers, or with letters for them.

``m``: its entries, of a chunk of ``size``; ``width``: bytes of a value.  ``index`` and ``header`` are the
bytes of an index and of what stands before the entries.
"""

from __future__ import annotations

import sympy

from sparring.proofs.cost.symbols import OPERATORS, Expr, SympyReader, symbol
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Node, Sym
from sparring.spec.core.schedule import number

m, index, header = map(symbol, ("m", "index", "header"))
SHORT, LONG = 4, 8
"""Bytes of an index, where chunks are short and where they are long."""


class OctetsReader(SympyReader):
    """Reads ``where(a <= b, a, b)`` as the minimum of the two."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "where" and x.args[0].op == "<=" and all(a is b for a, b in zip(x.args[0].args, x.args[1:])):
            return sympy.Min(*args[1:])
        return OPERATORS[x.op](*args)


class LettersReader(OctetsReader):
    """Reads an index's bytes, which depend on how long the chunk is, or are saved in full ones, as ``index``."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "where" and args[1:] == [SHORT, LONG]:
            return index
        if x.op == "where" and args[1:] == [SHORT, 0]:
            return OPERATORS[x.op](args[0], index, args[2])
        return super().operator(x, args)


def octets(page: Page, reader: type[OctetsReader] = OctetsReader) -> Expr:
    """The page's own formula, with minima written as such."""
    return reader()(page.octets(Sym.var("m"), Sym.var("size"), Sym.var("width")))


def lettered(page: Page) -> Expr | None:
    """The same with letters for the bytes of an index and of a header; None for a page whose messages have no index."""
    if not page.listed:
        return None
    found = octets(page, LettersReader)
    if not found.has(index):  # always short
        found = sympy.expand(found) + m * (index - SHORT)
    before = number(page.octets(0, 0, 1))  # what even a message without entries, of a chunk without places, has
    return sympy.factor(found - before) + (header if before else 0)


def worth(page: Page) -> str:
    """What the letters are on this page, in words."""
    before = number(page.octets(0, 0, 1))
    long = "" if not octets(page, LettersReader).has(index) else f", {LONG} in long chunks"
    long = ", none where all of a chunk is sent" if page.once else long
    return f"index: {SHORT} bytes{long}" + (f"; header: {before} bytes" if before else "")
