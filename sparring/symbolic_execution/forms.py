"""Exact linear forms: values in terms of the inputs, over the real numbers.

A form is a sum of *atoms* with rational coefficients.  An atom is the number one, a named input, or
the magnitude of another form, so that magnitudes can be added, scaled and compared without asking
for signs.

In arrays and buffers a form is represented by a random float64 around 10^299, its *id*.  A smaller number is a
constant, so that zeros, indices and factors that code packs beside its values keep their meaning.  A large number that
is no form's id shows that arithmetic was done on ids.

>>> table = Table()
>>> a, b = table.symbol("a"), table.symbol("b")
>>> table.show(plus(times(2, a), times(-1, b)))
'2 a - b'
>>> table.show(table.magnitude(plus(b, times(-1, a)))), table.show(table.magnitude(times(-3, a)))
('|a - b|', '3 |a|')
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import SparringError

Rational = int | Fraction
LARGE = 2.0**64  # from here on a number is the id of a form, or none
EXPONENT = 0x7E0 << 52  # of ids: 2^993, far from what sums of constants reach


class NoForm(SparringError, ArithmeticError):
    """An error: forms were asked for what they are not, or a number stands where a form should."""


@dataclass(frozen=True, slots=True)
class Form:
    """A linear form: atoms, ascending, with their coefficients, none of which is zero."""

    parts: tuple[tuple[int, Rational], ...]


ONE = 0  # the atom of constants
ZERO = Form(())


def constant(value: Rational) -> Form:
    """Return the form that has this value whatever the inputs are."""
    return Form(((ONE, simple(value)),)) if value else ZERO


def simple(value: Rational) -> Rational:
    """Return the same number, as an int where it is whole, which is faster."""
    return value.numerator if value.denominator == 1 else value


def size(x: Rational) -> Rational:
    """Return the magnitude of a number."""
    return -x if x < 0 else x


def plus(a: Form, b: Form) -> Form:
    """Return the sum."""
    sums = dict(a.parts)
    for atom, c in b.parts:
        sums[atom] = sums.get(atom, 0) + c
    return Form(tuple(sorted((atom, simple(c)) for atom, c in sums.items() if c)))


def times(factor: Rational, a: Form) -> Form:
    """Return a multiple."""
    return Form(tuple((atom, simple(c * factor)) for atom, c in a.parts)) if factor else ZERO


def minus(a: Form, b: Form) -> Form:
    """Return the difference."""
    return plus(a, times(-1, b))


def value(a: Form) -> Rational | None:
    """Return the constant that the form is; None if it depends on the inputs."""
    if not a.parts:
        return 0
    return a.parts[0][1] if a.parts[0][0] == ONE and len(a.parts) == 1 else None


def scaled(a: Form) -> tuple[Rational, Form]:
    """Return ``c`` and ``b`` with ``a = c b`` and a last coefficient of one in ``b``; ``a`` must not be zero."""
    c = a.parts[-1][1]
    return c, a if c == 1 else times(Fraction(1) / c, a)


class Table:
    """The table of all atoms, and of all forms that have an id; the same seed and steps give the same ids."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self.atoms: list[str | Form] = ["1"]
        """By number: the name of an input, or the form whose magnitude it is."""
        self._numbers: dict[str | Form, int] = {"1": ONE}
        self._forms: dict[float, Form] = {}
        self._ids: dict[Form, float] = {}
        self.done: dict[Any, Any] = {}
        """Earlier results: the same code runs again in every cell."""

    def symbol(self, name: str) -> Form:
        """Return the input called ``name``."""
        return Form(((self._atom(name), 1),))

    def magnitude(self, a: Form) -> Form:
        """Return ``|a|``."""
        if (known := value(a)) is not None:
            return constant(size(known))
        c, direction = scaled(a)
        if len(direction.parts) == 1 and not isinstance(self.atoms[direction.parts[0][0]], str):
            return times(size(c), direction)  # a magnitude is its own
        first = direction if direction.parts[0][1] > 0 else times(-1, direction)
        return times(size(c), Form(((self._atom(first), 1),)))

    def id(self, a: Form) -> float:
        """Return the number that stands for ``a`` in arrays."""
        known = value(a)
        if known is not None and size(known) < LARGE and float(known) == known:
            return float(known)
        if a not in self._ids:
            i = struct.unpack("d", struct.pack("Q", EXPONENT | self._random.getrandbits(52)))[0]
            self._ids[a], self._forms[i] = i, a
        return self._ids[a]

    def form(self, number: float) -> Form:
        """Return the form that ``number`` stands for.  Raise NoForm where there is none."""
        if (known := self._forms.get(number)) is not None:
            return known
        if math.isfinite(number) and abs(number) < LARGE:
            return constant(Fraction(number))
        raise NoForm(f"{number} is no form: {'no real number' if not math.isfinite(number) else RAW}")

    def check(self, raw: NDArray[Any] | Sequence[int]) -> int | None:
        """Return the index of the first of these 64-bit words that is no form; None if all are."""
        for at, number in enumerate(np.asarray(raw, np.int64).view(np.float64).tolist()):
            try:
                self.form(number)
            except NoForm:
                return at
        return None

    def unordered(self, parts: Iterable[float]) -> int:
        """Return the word of the sum; the order does not matter, since forms are exact."""
        total = ZERO
        for part in parts:
            total = plus(total, self.form(part))
        return int(np.float64(self.id(total)).view(np.int64))

    def replaced(self, a: Form, by: Mapping[str, Form], table: Table) -> Form:
        """Return ``a`` with forms of ``table`` in the place of this table's inputs."""
        total = ZERO
        for atom, c in a.parts:
            meant = self.atoms[atom]
            if isinstance(meant, str):
                part = constant(1) if atom == ONE else by[meant]
            else:
                part = table.magnitude(self.replaced(meant, by, table))
            total = plus(total, times(c, part))
        return total

    def at(self, a: Form, point: Mapping[str, Rational]) -> Rational:
        """Return the value where the inputs have these values; those not named are zero."""
        total: Rational = 0
        for atom, c in a.parts:
            meant = self.atoms[atom]
            if isinstance(meant, str):
                total += c * (1 if atom == ONE else point.get(meant, 0))
            else:
                total += c * size(self.at(meant, point))
        return total

    def show(self, a: Form) -> str:
        """Return the formula as text."""
        text = ""
        for atom, c in a.parts:
            sign, factor = "-" if c < 0 else "+", "" if size(c) == 1 and atom != ONE else f"{size(c)}"
            meant = self.atoms[atom]
            name = "" if atom == ONE else meant if isinstance(meant, str) else f"|{self.show(meant)}|"
            text += f" {sign} {factor}{' ' if factor and name else ''}{name}"
        return (text[3:] if text.startswith(" + ") else "-" + text[3:]) if text else "0"

    def _atom(self, meant: str | Form) -> int:
        if meant not in self._numbers:
            self._numbers[meant] = len(self.atoms)
            self.atoms.append(meant)
        return self._numbers[meant]


RAW = "arithmetic on a raw buffer, or memory never written"
