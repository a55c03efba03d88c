"""The rows that tables of costs have: closed forms by name, each beside its lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sympy

from sparring.costs.forms import Forms
from sparring.costs.formulas.lower_bounds import Floor
from sparring.costs.formulas.simplified import tidy
from sparring.costs.formulas.symbols import Expr, Logarithm, p

FORMS = {
    "messages": "the most messages that one rank sends in each step, summed",
    "most": "the most messages that one rank sends in all steps, where ranks are silent in some",
    "steps": "steps, one after the other",
    "inside": "steps in which no message leaves its node",
    "outside": "steps in which some do",
    "sharing": "the most messages of a step on one link that they share",
    "carried": "bytes over the fullest such link of each step, summed",
    "sent": "words that rank r sends",
    "words": "V_max, the most words that one rank sends",
    "path": "V_path, the most words along a path of messages",
    "critical": "V_crit, the largest message of each step, summed",
    "added": "the most words that one rank adds",
    "time": "seconds in lock step",
    "pairs": "words, were every entry sent as an index and a value, or, where a rule says dense, as a value",
    "octets": "bytes of a message with m entries of a chunk of that size",
    "bytes": "bytes that a rank sends, those of the largest message of each step",
}
"""The closed forms of a cost, in the order in which they are shown, with what they mean."""


class Row(NamedTuple):
    """A closed form, the same where nothing is rounded, and a lower bound; None where there is none."""

    quantity: str
    exact: Expr | None
    divided: Expr | None
    bound: Expr | None
    gap: Expr | None
    """The form minus the bound, where nothing is rounded."""
    ratio: Expr | None = None
    """The form divided by the bound, where nothing is rounded; None where that is no shorter formula than the two."""

    @property
    def limit(self) -> Expr | None:
        """The limit of the ratio as the number of ranks grows; None where the ratio has none here."""
        return None if self.ratio is None else towards(self.ratio)


def rows(cost: Forms, names: Sequence[str] = ()) -> list[Row]:
    """Return a row for each form in ``names``, by default for the cost's main ones."""
    divided = cost.simplify(cost.plainest)
    bounds, there = cost.bounds, divided.bounds
    return [row(name, cost.form(name), divided.form(name), bounds, there) for name in names or cost.shown]


def row(
    name: str, exact: Expr | None, divided: Expr | None, bounds: Mapping[str, Floor], there: Mapping[str, Floor]
) -> Row:
    """Return one form and its bound; ``divided`` and ``there``: the form and the bounds where nothing is rounded."""
    if name not in bounds or divided is None:
        return Row(name, exact, divided, bounds[name].formula if name in bounds else None, None)
    least = there[name].formula
    if divided.has(sympy.Sum) or any(x.exp.has(p) for x in divided.atoms(sympy.Pow)):  # sympy takes long over these
        return Row(name, exact, divided, bounds[name].formula, tidy(sympy.expand(divided - least)))
    gap, ratio = sympy.simplify(divided - least), sympy.factor(sympy.cancel(divided / least))
    return Row(name, exact, divided, bounds[name].formula, tidy(gap), ratio)


def towards(ratio: Expr) -> Expr | None:
    """Return the limit of a ratio for large ``p``, of a logarithm with or without rounding."""
    smooth = ratio.replace(lambda x: isinstance(x, Logarithm), lambda x: sympy.log(x.args[0], *(x.args[1:] or (2,))))
    if smooth.has(sympy.floor, sympy.ceiling, sympy.Min) or not smooth.free_symbols <= {p}:
        return None
    found = sympy.limit(smooth, p, sympy.oo)
    return None if found.has(sympy.Limit) else found
