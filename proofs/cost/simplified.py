"""Closed forms under a hypothesis."""

from __future__ import annotations

import sympy

from sparring.errors import InputError
from sparring.proofs.cost.symbols import Expr, n, p


def simplified(x: Expr, given: str) -> Expr:
    """``x`` under the hypothesis ``given``: "" or "p | n".

    >>> simplified(2 * n - sympy.floor(2 * n / p), "p | n")
    2*n*(p - 1)/p
    """
    if given.replace(" ", "") not in ("", "p|n"):
        raise InputError(f"given={given!r} is no hypothesis that costs are simplified under; there is 'p | n'")
    if not given:
        return x
    each = sympy.Symbol("n/p", integer=True, nonnegative=True)
    return sympy.factor(sympy.expand(x.subs(n, each * p)).subs(each, n / p))


def tidy(x: Expr) -> Expr:
    """``x``, factored where that is shorter."""
    return min(sympy.factor(x), x, key=sympy.count_ops)
