"""Equations that hold for all values of their letters: decided by sympy, never by trying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sympy

from sparring.costs.formulas.symbols import Expr


class Identity(NamedTuple):
    """A statement that follows if all of these expressions vanish."""

    name: str
    statement: str
    vanishing: Sequence[Expr]

    @property
    def holds(self) -> bool:
        """True if all expressions vanish."""
        return all(vanishes(x) for x in self.vanishing)


def shown(some: Iterable[Identity]) -> tuple[bool, str]:
    """Return whether all identities hold, and in words for which this was decided, or which one fails."""
    names = []
    for one in some:
        if not one.holds:
            return False, f"{one.name} does not hold: {one.statement}"
        names.append(one.name)
    return True, f"sympy, for all values of the letters: {', '.join(names)}"


def vanishes(x: Expr) -> bool:
    """Return whether ``x`` is zero wherever it has a value, by expanding powers and binomials in its numerator."""
    numerator = sympy.fraction(sympy.together(sympy.gammasimp(sympy.expand_func(x))))[0]
    return bool(sympy.simplify(sympy.expand(numerator, power_exp=True)) == 0)


def induction(name: str, statement: str, closed: Expr, t: Expr, first: Expr, successor: Expr) -> Identity:
    """Return the identity that a sequence, ``first`` at 0 and ``successor`` at ``t + 1``, equals ``closed``."""
    return Identity(name, statement, (closed.subs(t, 0) - first, closed.subs(t, t + 1) - successor))
