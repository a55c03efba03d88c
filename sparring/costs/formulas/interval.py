"""Evaluates a formula on intervals of its letters: the result holds for all values in them.

mpmath's interval arithmetic rounds outwards, so that a value which an enclosure leaves out is not taken
anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import itemgetter
from typing import Any, TypeAlias

import sympy
from mpmath import iv

from sparring.costs.formulas.symbols import EXACT, Expr
from sparring.errors import Undecided

Interval: TypeAlias = Any  # mpmath ships no types
Values = Mapping[str, Interval]
Enclosure = Callable[[Values], Interval]


def interval(low: Fraction | int, high: Fraction | int | None = None) -> Interval:
    """Return all numbers from ``low`` to ``high``, or that number alone, and a little more where floats round."""
    ends = [
        iv.mpf(x.numerator) / iv.mpf(x.denominator) for x in (Fraction(low), Fraction(low if high is None else high))
    ]
    return iv.mpf([ends[0].a, ends[1].b])


def sign(x: Interval) -> int | None:
    """Return 1 or -1 where all of ``x`` is above or below 0, 0 where it is 0 itself, None where that is open."""
    if x.a > 0 or x.b < 0:
        return 1 if x.a > 0 else -1
    return 0 if x.a == x.b == 0 else None


def enclosure(x: Expr) -> Enclosure:
    """Return an interval that holds ``x``, as a function of its letters' intervals.

    Raises Undecided for an operation that is not enclosed; the function KeyError for a letter without a value.

    >>> p = sympy.Symbol("p")
    >>> print(enclosure(sympy.floor(p / 2) + p**2)({"p": interval(2, 5)}))
    [5.0, 27.0]

    A function may bring ``enclosed``, which gives where its value lies from its arguments' intervals.
    """
    if x.is_Symbol:
        return itemgetter(x.name)
    if x.is_Rational:
        constant = interval(Fraction(x.p, x.q))
        return lambda values: constant
    if isinstance(x, sympy.Sum):
        return summed(x)
    if isinstance(x, sympy.Piecewise):
        return chosen(x)
    parts = [enclosure(a) for a in x.args]
    if x.is_Pow:
        return lambda values: parts[0](values) ** as_integer(parts[1](values), x)
    if x.func in OPERATIONS:
        operation = OPERATIONS[x.func]
        return lambda values: operation([part(values) for part in parts])
    if own := getattr(x.func, "enclosed", None):
        return lambda values: own([part(values) for part in parts])
    if x.func not in EXACT:
        raise Undecided(f"{x}: {x.func.__name__} has no enclosure")
    exact = EXACT[x.func]
    return lambda values: interval(exact([Fraction(as_integer(part(values), x)) for part in parts]))


def as_integer(x: Interval, within: Expr) -> int:
    """Return the integer that ``x`` is; raise Undecided where it is none."""
    if x.a != x.b or x.a != math.floor(x.a):
        raise Undecided(f"{within}: no enclosure where {x} is no single integer")
    return int(x.a)


def summed(x: Expr) -> Enclosure:
    """Return the enclosure of a sum, term by term."""
    (letter, *edges), inner = x.limits[0], enclosure(x.function)
    ends = [enclosure(edge) for edge in edges]

    def total(values: Values) -> Interval:
        first, last = (as_integer(end(values), x) for end in ends)
        terms = (inner({**values, letter.name: iv.mpf(at)}) for at in range(first, last + 1))
        return sum(terms, start=iv.mpf(0))

    return total


def chosen(x: Expr) -> Enclosure:
    """Return the enclosure of the cases that may hold, up to the first that surely does."""
    cases = [(enclosure(value), condition(test)) for value, test in x.args]

    def found(values: Values) -> Interval:
        possible = []
        for value, holds in cases:
            if (answer := holds(values)) is not False:
                possible.append(value(values))
            if answer:
                break
        return hull(possible, min, max)

    return found


def condition(x: Expr) -> Callable[[Values], bool | None]:
    """Return a function of intervals that says whether a comparison holds, or None where that is open."""
    if x == True:  # noqa: E712  # sympy's own
        return lambda values: True
    difference = enclosure(x.lts - x.gts)
    strict = isinstance(x, sympy.StrictLessThan | sympy.StrictGreaterThan)

    def holds(values: Values) -> bool | None:
        found = sign(difference(values))
        return found if found is None else found < 0 or (found == 0 and not strict)

    return holds


def hull(parts: list[Interval], low: Callable[..., Any], high: Callable[..., Any]) -> Interval:
    """Return the interval from the ``low`` of all lower ends to the ``high`` of all upper ones."""
    return iv.mpf([low(part.a for part in parts), high(part.b for part in parts)])


def rounded(how: Callable[[Any], int]) -> Callable[[list[Interval]], Interval]:
    """Return the floor or ceiling of an interval's ends, as a function."""
    return lambda args: iv.mpf([how(args[0].a), how(args[0].b)])


OPERATIONS: Mapping[Any, Callable[[list[Interval]], Interval]] = {
    sympy.Add: lambda args: reduce(lambda a, b: a + b, args),
    sympy.Mul: lambda args: reduce(lambda a, b: a * b, args),
    sympy.Min: lambda args: hull(args, min, min),
    sympy.Max: lambda args: hull(args, max, max),
    sympy.floor: rounded(math.floor),
    sympy.ceiling: rounded(math.ceil),
}
