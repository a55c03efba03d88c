"""Chunks that are sent with all their places by a page's own rule, be that the cheapest or not.

Such a page has a formula ``fills(m, size, t, p)``: whether in step ``t`` a chunk of ``size`` places that has
``m`` entries is sent so.  A word of one is a value; all other messages have an
index beside each.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from sparring.errors import Undecided
from sparring.proofs.core.supplement import with_parameters
from sparring.proofs.cost.encodings import OctetsReader
from sparring.proofs.cost.symbols import OCTETS, Expr
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym
from sparring.spec.core.schedule import truth


class Sent(NamedTuple):
    """What a message has of a chunk."""

    entries: Fraction
    words: Fraction


def stated(page: Page) -> Any:
    """The page's ``fills``, its parameters bound; None where it has none."""
    return with_parameters(getattr(page.module, "fills", None), page)


def sending(page: Page) -> Callable[[Fraction, int, int, int], Sent]:
    """``sent(m, size, t, p)``: what is sent in step ``t`` of a chunk of ``size`` with ``m`` entries."""
    fills = stated(page)

    def sent(m: Fraction, size: int, t: int, p: int) -> Sent:
        whole = fills is not None and truth(fills(m, size, t, p))
        return Sent(Fraction(size), Fraction(size)) if whole else Sent(m, 2 * m)

    return sent


def condition(page: Page, step: Int, p: Int) -> Expr:
    """Where a chunk goes dense, as a formula of ``OCTETS``; raises Undecided of more than a few steps."""
    fills = stated(page)
    if fills is None:
        return sympy.false
    if not page.several:
        raise Undecided("chunks that go dense by a rule are summed step by step: of several messages in each")
    return sympy.sympify(OctetsReader()(fills(Sym.var("m"), Sym.var("size"), step, p)))


def either(dense: Expr, many: Expr, length: Expr, share: Expr, of: Callable[..., Expr], whole: Any) -> Expr:
    """``whole(length)`` where the condition holds, else ``of(many)``; a chunk has the ``share`` of these."""
    m, size, _ = OCTETS
    there = dense.subs({m: many * share, size: length * share}, simultaneous=True)
    if there in (sympy.true, sympy.false):
        return whole(length) if there == sympy.true else of(many)
    return sympy.Piecewise((whole(length), there), (of(many), True))
