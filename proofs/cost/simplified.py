"""Closed forms under a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from sparring.errors import InputError
from sparring.proofs.cost.symbols import LENGTHS, B, Expr, p

DIVIDED = {f"p | {m}": m for m in LENGTHS}
"""Hypotheses, and what ``p`` divides there; several are joined by commas."""


def simplified(x: Expr, given: str) -> Expr:
    """``x`` under the hypothesis ``given``: "", "p | n", "p | k", or both, "p | n, p | k".

    >>> from sparring.proofs.cost.symbols import n
    >>> simplified(2 * n - sympy.floor(2 * n / p), "p | n")
    2*n*(p - 1)/p
    """
    for m in divided(given):
        each = sympy.Symbol(f"{m}/p", integer=True, nonnegative=True)
        x = sympy.factor(sympy.expand(x.subs(m, each * p)).subs(each, m / p))
    return x


def divided(given: str) -> list[Expr]:
    """What ``p`` divides; raises InputError for another hypothesis."""
    parts = [part.strip() for part in given.split(",")] if given else []
    if any(part not in DIVIDED for part in parts):
        known = ", ".join(map(repr, DIVIDED))
        raise InputError(f"given={given!r} is no hypothesis that costs are simplified under; there are {known}")
    return [DIVIDED[part] for part in parts]


def even(exact: Iterable[Expr]) -> str:
    """The hypothesis under which nothing that is shared out in ``exact`` is rounded; "p | n" if nothing is."""
    found = {b.args[1] for x in exact for b in x.atoms(B)}
    return ", ".join(given for given, m in DIVIDED.items() if m in found) or "p | n"


def tidy(x: Expr) -> Expr:
    """``x``, factored where that is shorter."""
    return min(sympy.factor(x), x, key=sympy.count_ops)
