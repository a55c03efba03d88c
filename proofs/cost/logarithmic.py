"""Spans of a number of steps that is a logarithm of ``p``, and in each how many contributions a message holds.

The conditions ``t < X`` of a page's formulas cut its steps into spans, as where messages are counted
(``proofs.cost.whole``); within a span each is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import sympy

from sparring.proofs.core.obligations import p, t
from sparring.proofs.cost.spans import Span
from sparring.proofs.cost.symbols import Expr
from sparring.proofs.cost.whole import LogReader, cuts
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Node


class InSpan(LogReader):
    """Reads a term as it is in the span number ``at``; ``ends``: by how an end is spelt, of which span it is the end.

    ``where(a <= b, a, b)`` is read as the minimum of the two.
    """

    def __init__(self, ends: Mapping[str, int], at: int) -> None:
        super().__init__()
        self.ends, self.at = ends, at

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "<" and x.args[0] is t and repr(x.args[1]) in self.ends:
            return sympy.true if self.at <= self.ends[repr(x.args[1])] else sympy.false
        if x.op == "<=":
            return sympy.Le(*args, evaluate=False)
        if x.op == "where" and args[0] in (sympy.true, sympy.false):
            return args[1] if args[0] == sympy.true else args[2]
        if x.op == "where" and x.args[0].op == "<=" and all(a is b for a, b in zip(x.args[0].args, x.args[1:])):
            return sympy.Min(*args[1:])
        return super().operator(x, args)


def spanned(page: Page, many: Callable[[Int, Int], Int]) -> tuple[Expr, list[tuple[Span, Expr, bool]]]:
    """The number of steps; and of each span which steps it has, ``many`` in each, and whether it adds.

    Raises Undecided where the order of the ends depends on ``p``, or something has no closed form.
    """
    edges: list[Int] = [0, *cuts(page), page.steps(p)]
    ends = {repr(end): at for at, end in enumerate(edges[1:])}
    exact = [sympy.expand(LogReader()(edge)) for edge in edges]
    found = []
    for at, span in enumerate(pairwise(exact)):
        read = InSpan(ends, at)
        found.append((Span(*span), read(many(t, p)), bool(read(page.adds(t, p)))))
    return exact[-1], found
