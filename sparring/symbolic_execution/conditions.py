"""Conditions on forms: the sign of a form, and all or some of several conditions.

>>> from sparring.symbolic_execution.forms import Table, constant
>>> table = Table()
>>> a, b = table.symbol("a"), table.symbol("b")
>>> less(a, b) == opposite(less(a, b, or_equal=False)), less(constant(1), constant(2))
(False, All(parts=()))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sparring.symbolic_execution.forms import ONE, Form, Table, minus, scaled, value


@dataclass(frozen=True, slots=True)
class Sign:
    """The condition that the sign of ``form``, no constant, is one of ``signs``: -1, 0 and 1; see ``scaled``."""

    form: Form
    signs: frozenset[int]


@dataclass(frozen=True, slots=True)
class All:
    """The condition that all parts hold; without parts it always does."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """The condition that at least one part holds; without parts it never does."""

    parts: tuple[Condition, ...]


Condition = Sign | All | Some
TRUE, FALSE = All(()), Some(())
SIGNS = frozenset((-1, 0, 1))


def sign(form: Form, signs: Iterable[int]) -> Condition:
    """Return the condition that the sign of ``form`` is one of ``signs``."""
    known, wanted = value(form), frozenset(signs)
    if known is not None:
        return TRUE if (known > 0) - (known < 0) in wanted else FALSE
    c, direction = scaled(form)
    return Sign(direction, wanted if c > 0 else frozenset(-s for s in wanted))


def less(a: Form, b: Form, or_equal: bool = True) -> Condition:
    """Return the condition ``a <= b``, or ``a < b``."""
    return sign(minus(a, b), (-1, 0) if or_equal else (-1,))


def equal(a: Form, b: Form) -> Condition:
    """Return the condition ``a == b``."""
    return sign(minus(a, b), (0,))


def both(*parts: Condition) -> Condition:
    """Return the condition that all parts hold, simplified."""
    signs: dict[Form, frozenset[int]] = {}
    others: dict[Condition, None] = {}
    for part in parts:
        for one in part.parts if isinstance(part, All) else (part,):
            if isinstance(one, Sign):
                signs[one.form] = signs.get(one.form, SIGNS) & one.signs
            else:
                others[one] = None
    if FALSE in others or frozenset() in signs.values():
        return FALSE
    kept = (*(Sign(form, known) for form, known in signs.items() if known != SIGNS), *others)
    return kept[0] if len(kept) == 1 else All(kept)


def either(*parts: Condition) -> Condition:
    """Return the condition that one part holds, simplified."""
    return opposite(both(*map(opposite, parts)))


def opposite(x: Condition) -> Condition:
    """Return the negation of ``x``."""
    match x:
        case Sign(form, signs):
            return Sign(form, SIGNS - signs)
        case All(parts):
            return Some(tuple(map(opposite, parts)))
        case Some(parts):
            return All(tuple(map(opposite, parts)))


def replaced(x: Condition, source: Table, by: Mapping[str, Form], table: Table) -> Condition:
    """Return ``x`` with forms of ``table`` in the place of ``source``'s inputs."""
    match x:
        case Sign(form, signs):
            return sign(source.replaced(form, by, table), signs)
        case All(parts):
            return both(*(replaced(part, source, by, table) for part in parts))
        case Some(parts):
            return either(*(replaced(part, source, by, table) for part in parts))


class Reader:
    """A translator of conditions to a solver's terms; ``api`` is z3, or cvc5's module of the same interface."""

    def __init__(self, api: Any, table: Table) -> None:
        self.api, self.table = api, table
        self._atoms: dict[int, Any] = {ONE: api.RealVal(1)}
        self._forms: dict[Form, Any] = {}

    def __call__(self, x: Condition) -> Any:
        match x:
            case Sign(form, signs):
                return self.sign(self.form(form), signs)
            case All(parts):
                return self.api.And([self(part) for part in parts]) if parts else self.api.BoolVal(True)
            case Some(parts):
                return self.api.Or([self(part) for part in parts]) if parts else self.api.BoolVal(False)

    def sign(self, term: Any, signs: frozenset[int]) -> Any:
        """Return the comparison of a term with zero."""
        said = {
            (): lambda: self.api.BoolVal(False), (-1,): lambda: term < 0, (0,): lambda: term == 0,
            (1,): lambda: term > 0, (-1, 0): lambda: term <= 0, (0, 1): lambda: term >= 0,
            (-1, 1): lambda: term != 0, (-1, 0, 1): lambda: self.api.BoolVal(True),
        }  # fmt: skip
        return said[tuple(sorted(signs))]()

    def form(self, a: Form) -> Any:
        """Return the term of a form."""
        if a not in self._forms:
            parts = [self.api.RealVal(str(c)) * self.atom(atom) for atom, c in a.parts]
            self._forms[a] = self.api.Sum(parts) if len(parts) > 1 else parts[0]
        return self._forms[a]

    def atom(self, atom: int) -> Any:
        """Return the term of an atom."""
        if atom not in self._atoms:
            meant = self.table.atoms[atom]
            if isinstance(meant, str):
                self._atoms[atom] = self.api.Real(meant)
            else:
                inner = self.form(meant)
                self._atoms[atom] = self.api.If(inner >= 0, inner, -inner)
        return self._atoms[atom]
