"""The letters of costs in sympy, and the prefix sum that chunk sizes are differences of.

``B(x) = floor(x n / p)`` is where chunk ``x`` begins.  On all integers ``B(x + p) = B(x) + n``, so
the size of chunk ``x % p`` is ``B(x + 1) - B(x)`` for any ``x``, and no case is made for laps.
``B(x, k)`` is the same for ``k`` entries that are shared out among the chunks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import sympy

from sparring.errors import Undecided
from sparring.spec.core.digits import log_of
from sparring.spec.core.numbers import Node, Reader

Expr: TypeAlias = Any  # sympy ships no types


def symbol(name: str) -> Expr:
    """Return the letter ``name``: a natural number, and ``p`` is at least 1."""
    return sympy.Symbol(name, integer=True, **{"positive" if name == "p" else "nonnegative": True})


p, n, r, t, c, k, width = map(symbol, ("p", "n", "r", "t", "c", "k", "width"))
OCTETS = tuple(map(symbol, ("m", "size", "width")))
"""The letters of a page's ``octets``."""
LENGTHS = (n, k)
"""The letters of the lengths that are shared out among the chunks."""
alpha, beta, gamma = sympy.symbols("alpha beta gamma", nonnegative=True)
node = sympy.Symbol("node", integer=True, positive=True)
"""Ranks of a node."""
alpha_in, beta_in, alpha_out, beta_out = sympy.symbols("alpha_in beta_in alpha_out beta_out", nonnegative=True)
"""Seconds of a message and of a byte within a node, and between nodes."""


class B(sympy.Function):  # type: ignore[misc]  # sympy ships no types
    """``B(x, m) = floor(x m / p)``, with whole multiples of ``p`` taken out of ``x``; ``m`` is ``n`` by default.

    >>> B(p + 1) - B(1)
    n
    """

    @classmethod
    def eval(cls, x: Expr, m: Expr | None = None) -> Expr | None:
        """Return a simpler form, or None where there is none."""
        if m is None:
            return cls(x, n)
        x = sympy.expand(x)
        if x == 0:
            return sympy.Integer(0)
        inside = x.subs(p, 0)
        laps = sympy.expand((x - inside) / p)
        return None if laps == 0 else cls(inside, m) + laps * m


class Logarithm(sympy.Function):  # type: ignore[misc]  # sympy ships no types
    """A binary logarithm, and how it is written."""

    text: ClassVar[str]
    typeset: ClassVar[str]
    bracketed: ClassVar[bool] = False
    """Whether brackets are part of how the logarithm is written."""

    def _latex(self, printer: Any) -> str:
        x, *base = self.args
        printed = printer.doprint(x)
        told = printed if x.is_Atom or self.bracketed else f"({printed})"
        return self.typeset.format(told, *map(printer.doprint, base))

    def _sympystr(self, printer: Any) -> str:
        return self.text.format(*map(printer.doprint, self.args))


class Log2(Logarithm):
    """The ``m`` with ``x = 2**m``, where there is one."""

    text, typeset = "log2({})", r"\log_2 {}"


class Log(Logarithm):
    """The ``m`` with ``x = b**m``, where there is one."""

    text, typeset = "log({}, {})", r"\log_{{{1}}} {0}"


class CeilLog2(Logarithm):
    """The least ``m`` with ``x <= 2**m``."""

    text, typeset, bracketed = "ceil(log2({}))", r"\lceil\log_2 {}\rceil", True


class CeilLog(Logarithm):
    """The least ``m`` with ``x <= b**m``."""

    text, typeset, bracketed = "ceil(log({}, {}))", r"\lceil\log_{{{1}}} {0}\rceil", True


class FloorLog2(Logarithm):
    """The largest ``m`` with ``2**m <= x``."""

    text, typeset, bracketed = "floor(log2({}))", r"\lfloor\log_2 {}\rfloor", True


class SympyReader(Reader[Expr]):
    """Reads a term in sympy, exactly: ``%`` as ``Mod``, ``x n // p`` as ``B(x)``, ``x k // p`` as ``B(x, k)``.

    ``where(a <= b, a, b)`` is read as the minimum of the two, and ``where(a <= b, b, a)`` as the maximum.
    """

    def constant(self, x: int | bool) -> Expr:
        return sympy.sympify(x)

    def variable(self, name: str) -> Expr:
        return symbol(name)

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        shared = [m for m in LENGTHS if x.op == "//" and args[1] == p and sympy.expand(args[0]).subs(m, 0) == 0]
        if shared:
            return B(sympy.cancel(args[0] / shared[0]), shared[0])
        if x.op == "where" and x.args[0].op == "<=":
            for pick, two in ((sympy.Min, x.args[1:]), (sympy.Max, x.args[:0:-1])):
                if all(a is b for a, b in zip(x.args[0].args, two)):
                    return pick(*args[1:])
        return OPERATORS[x.op](*args)


OPERATORS: Mapping[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: sympy.Mod(a, b, evaluate=False),
    "//": lambda a, b: sympy.floor(a / b),
    "<": sympy.Lt,
    "<=": sympy.Le,
    "==": sympy.Eq,
    "not": sympy.Not,
    "and": sympy.And,
    "or": sympy.Or,
    "where": lambda c, a, b: sympy.Piecewise((a, c), (b, True)),
}


def without_floors(x: Expr) -> Expr:
    """Return ``x`` with every ``B`` written out as a floor."""
    return x.replace(B, lambda at, m: sympy.floor(at * m / p))


def exact(x: Expr, values: Mapping[str, int | Fraction]) -> Fraction:
    """Return the value of ``x``, in exact arithmetic: numbers are never floats.

    >>> exact(without_floors(B(2)), {"n": 10**18, "p": 3})
    Fraction(666666666666666666, 1)

    Raises KeyError for a letter without a value, Undecided for an operation that is not exact.
    """
    if x.is_Symbol:
        return Fraction(values[x.name])
    if x.is_Rational:
        return Fraction(x.p, x.q)
    if x.is_Pow and (exponent := exact(x.exp, values)).denominator == 1:
        return exact(x.base, values) ** int(exponent)
    args = [exact(a, values) for a in x.args]
    if isinstance(x, B):
        return Fraction(math.floor(args[0] * args[1] / values["p"]))
    if x.func not in EXACT:
        raise Undecided(f"{x}: {x.func.__name__} has no exact evaluation")
    return Fraction(EXACT[x.func](args))


def exactly(x: Fraction, base: int | Fraction) -> int:
    """Return the ``m`` with ``x = base**m``; raise Undecided where there is none."""
    m = log_of(math.floor(x), int(base))
    if x != int(base) ** m:
        raise Undecided(f"the logarithm of {x} to the base {base} is no integer")
    return m


EXACT: Mapping[Any, Any] = {
    sympy.Add: sum,
    sympy.Mul: math.prod,
    sympy.Min: min,
    sympy.Max: max,
    sympy.floor: lambda a: math.floor(a[0]),
    sympy.ceiling: lambda a: math.ceil(a[0]),
    Log2: lambda a: exactly(a[0], 2),
    Log: lambda a: exactly(*a),
    CeilLog2: lambda a: (math.ceil(a[0]) - 1).bit_length(),
    CeilLog: lambda a: log_of(math.ceil(a[0]) - 1, int(a[1])) + 1 if a[0] > 1 else 0,
    FloorLog2: lambda a: math.floor(a[0]).bit_length() - 1,
}
