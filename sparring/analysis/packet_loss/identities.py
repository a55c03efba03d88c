"""Equations that hold for all values of their letters: decided by sympy, never by trying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sympy

from sparring.costs.formulas.symbols import Expr


class Identity(NamedTuple):
    """A statement that follows from this: all of these expressions vanish."""

    name: str
    statement: str
    vanishing: Sequence[Expr]

    @property
    def holds(self) -> bool:
        """Whether all do."""
        return all(vanishes(x) for x in self.vanishing)


def shown(some: Iterable[Identity]) -> tuple[bool, str]:
    """Whether all hold, and in words of which this was seen; or which does not."""
    names = []
    for one in some:
        if not one.holds:
            return False, f"{one.name} does not hold: {one.statement}"
        names.append(one.name)
    return True, f"sympy, for all values of the letters: {', '.join(names)}"


def vanishes(x: Expr) -> bool:
    """Whether ``x`` is zero wherever it has a value: its numerator is, with powers and binomials taken apart."""
    numerator = sympy.fraction(sympy.together(sympy.gammasimp(sympy.expand_func(x))))[0]
    return bool(sympy.simplify(sympy.expand(numerator, power_exp=True)) == 0)


def induction(name: str, statement: str, closed: Expr, t: Expr, first: Expr, successor: Expr) -> Identity:
    """A sequence that is ``first`` at 0, and from ``t`` to ``t + 1`` goes on with ``successor``, is ``closed``."""
    return Identity(name, statement, (closed.subs(t, 0) - first, closed.subs(t, t + 1) - successor))
