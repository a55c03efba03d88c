"""Closed forms under a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy

from sparring.costs.formulas.hypotheses import DIVIDES, HYPOTHESES, MULTIPLE, POWER, POWER_OF, parts
from sparring.costs.formulas.symbols import LENGTHS, B, CeilLog, CeilLog2, Expr, FloorLog2, Log, Log2, n, p
from sparring.errors import InputError

DIVIDED = {f"p | {m}": m for m in LENGTHS}
"""Hypotheses, each with the letter that ``p`` divides; several are joined by commas."""

WITH_NUMBERS = (MULTIPLE, POWER_OF, DIVIDES)
NUMBERED = ("8 | n", "8 p | n", "p = 3^m", "4 | p")
"""Hypotheses with a number in them, here with one for any."""


def simplified(x: Expr, given: str) -> Expr:
    """Return ``x`` under the hypothesis ``given``: "", "p | n", "p | k", "p = 2^m", or several, "p | n, p | k".

    So with "8 | n", "128 p | n", "p = 3^m" and "4 | p".  Others change nothing.

    >>> from sparring.costs.formulas.symbols import n
    >>> simplified(2 * n - sympy.floor(2 * n / p), "p | n")
    2*n*(p - 1)/p
    """
    some = hypotheses(given)
    if POWER in some:
        x = sympy.powsimp(x.subs({CeilLog2(p): Log2(p), FloorLog2(p): Log2(p)}).subs(2 ** Log2(p), p))
    elif powers := [int(found[1]) for found in map(POWER_OF.fullmatch, some) if found]:
        x = x.subs({CeilLog(p, base): Log(p, base) for base in powers})
    if grid := next(filter(None, map(DIVIDES.fullmatch, some)), None):
        rows, long = sympy.Symbol("p/m", integer=True, positive=True), int(grid[1])
        return sympy.factor(shared_out(x, some, long * rows).subs(rows, p / long))
    return shared_out(x, some, p)


def shared_out(x: Expr, some: Sequence[str], ranks: Expr) -> Expr:
    """Return ``x`` for so many ``ranks``, where what these divide is a letter times its divisor."""
    x = x.subs(p, ranks)
    for m, by in (shared(part) for part in some if part in DIVIDED or MULTIPLE.fullmatch(part)):
        each, whole = sympy.Symbol(f"{m}/p", integer=True, nonnegative=True), by.subs(p, ranks)
        x = sympy.factor(sympy.expand(x.subs(m, each * whole)).subs(each, m / whole))
    return x


def shared(part: str) -> tuple[Expr, Expr]:
    """Return the letter that is divided under the hypothesis ``part``, and its divisor.

    >>> shared("p | k"), shared("8 p | n"), shared("3 | n")
    ((k, p), (n, 8*p), (n, 3))
    """
    found = MULTIPLE.fullmatch(part)
    return (n, int(found[1]) * (p if found[2] else sympy.Integer(1))) if found else (DIVIDED[part], p)


def hypotheses(given: str) -> list[str]:
    """Return the hypotheses that ``given`` joins; raise InputError for one that is not known."""
    found = parts(given)
    if any(part not in HYPOTHESES and not any(one.fullmatch(part) for one in WITH_NUMBERS) for part in found):
        known = ", ".join(map(repr, (*HYPOTHESES, *NUMBERED)))
        raise InputError(f"given={given!r} is no hypothesis that costs are simplified under; there are {known}")
    return found


def even(exact: Iterable[Expr]) -> str:
    """Return the hypothesis under which ``exact`` has nothing rounded, shared out or logarithm; "p | n" if none."""
    atoms = {b for x in exact for b in x.atoms(B, CeilLog2, FloorLog2)}
    found = {POWER if isinstance(b, (CeilLog2, FloorLog2)) else f"p | {b.args[1]}" for b in atoms}
    return ", ".join(given for given in HYPOTHESES if given in found) or "p | n"


def tidy(x: Expr) -> Expr:
    """Return ``x``, factored where that is shorter."""
    return min(sympy.factor(x), x, key=sympy.count_ops)
