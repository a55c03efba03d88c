"""Reads relations as papers write them, so that what a statement says is what is decided.

Letters and numbers that stand side by side are multiplied; ``^`` is a power.

>>> print(read("2 k (p - 1) / p <= 6 k - a^2").relation)
2*k*(p - 1)/p <= -a**2 + 6*k
>>> print(*read("a < b if and only if beta_s = 0.5 c"))
Equivalent(a < b, Eq(beta_s, c/2)) ['a', 'b', 'beta_s', 'c']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import sympy

from sparring.costs.formulas.symbols import Expr, Log2, symbol
from sparring.errors import InputError

NATURALS = ("p", "n", "k", "r", "d", "m")
LETTER = re.compile(r"[A-Za-z](?:_\w+)?|alpha|beta(?:_\w+)?|gamma|tau")
TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[A-Za-z]\w*|[<>]=|[-+*/^()<>=])")
COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": sympy.Eq, "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge,
}  # fmt: skip
POWER_OF_TWO = re.compile(r"p = 2\^m(?: >= (\d+))?")
"""What is said of binary logarithms, which have no other value; and how many ranks there are at least."""


class Said(NamedTuple):
    """A relation, and its letters, as they come."""

    relation: Expr
    letters: list[str]


def letter(name: str) -> Expr:
    """Return the letter of that name: a natural number, or a real number that is not negative."""
    return symbol(name) if name in NATURALS else sympy.Symbol(name, nonnegative=True)


def told(says: str) -> Said:
    """Return the relation that a statement says, alone or with words on the other side of a colon.

    Raises InputError where it says none.
    """
    for part in says.split(": "):
        try:
            return read(part)
        except InputError:
            continue
    raise InputError(f"{says!r} is no relation, and has none on one side of a colon: give relation=")


def supposed(hypotheses: str) -> Said:
    """Return what hypotheses say, relations that commas part.  Raises InputError where something else is among them."""
    texts = [POWER_OF_TWO.sub(least, text) for text in hypotheses.split(", ")]
    return together(sympy.And, [read(text) for text in texts if text])


def least(known: re.Match[str]) -> str:
    """Return what remains of a power of two: how many ranks there are at least."""
    return f"p >= {known[1]}" if known[1] else ""


def together(how: Callable[..., Expr], some: Iterable[Said]) -> Said:
    """Return the relation that joins others, with the letters of all."""
    every = [*some]
    return Said(how(*(one.relation for one in every)), [*dict.fromkeys(x for one in every for x in one.letters)])


def read(text: str) -> Said:
    """Return the relation that is written.  Raises InputError for any other text."""
    return reduce(lambda a, b: together(sympy.Equivalent, [a, b]), map(in_a_row, text.split(" if and only if ")))


def in_a_row(text: str) -> Said:
    """Return what ``a < b <= c`` says: that both hold."""
    rest = Formula(text)
    sides, signs = [rest.total()], []
    while rest.next() in COMPARED:
        signs.append(rest.take())
        sides.append(rest.total())
    if not signs or rest.next():
        raise InputError(f"{text!r} is no relation")
    held = sympy.And(*(COMPARED[sign](a, b) for sign, (a, b) in zip(signs, pairwise(sides))))
    return Said(held, [*rest.letters])


class Formula:
    """A text that is read from left to right; ``letters`` are those that came so far."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.letters: dict[str, None] = {}

    def next(self) -> str:
        """Return the next sign, name or number; nothing at the end.  Raises InputError for anything else."""
        if not self.text[self.at :].strip():
            return ""
        found = TOKEN.match(self.text, self.at)
        if not found:
            raise InputError(f"{self.text!r}: {self.text[self.at :]!r} is no part of a formula")
        return found[1]

    def take(self, wanted: str = "") -> str:
        """Return it, and go on.  Raises InputError where something else is ``wanted``."""
        found = self.next()
        if wanted and found != wanted:
            raise InputError(f"{self.text!r}: {wanted!r} is missing before {self.text[self.at :]!r}")
        self.at = self.text.index(found, self.at) + len(found)
        return found

    def total(self) -> Expr:
        """Read a sum."""
        value = self.product()
        while self.next() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> Expr:
        """Read a product; what divides is the next factor alone."""
        value = self.power()
        while (sign := self.next()) in ("*", "/", "(") or sign[:1].isalnum():
            if sign in ("*", "/"):
                self.take()
            value = value / self.power() if sign == "/" else value * self.power()
        return value

    def power(self) -> Expr:
        """Read a factor, and what power of it is meant."""
        value = self.factor()
        if self.next() != "^":
            return value
        self.take()
        return value ** self.factor()

    def factor(self) -> Expr:
        """Read a number, a letter, a logarithm, or what stands in parentheses."""
        word = self.take()
        if word in ("(", "log2"):
            if word == "log2":
                self.take("(")
            inside = self.total()
            self.take(")")
            return Log2(inside) if word == "log2" else inside
        if word[:1].isdigit():
            return sympy.Rational(word)
        if not LETTER.fullmatch(word):
            raise InputError(f"{self.text!r}: {word!r} is no number and no letter")
        self.letters[word] = None
        return letter(word)
