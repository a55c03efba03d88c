"""Hypotheses under which formulas hold, as they are written: which there are, and whether they hold at a point."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod
from operator import le, lt

from sparring.errors import InputError
from sparring.spec.core.digits import log_of, power_of

POWER = "p = 2^m"
HYPOTHESES = ("p | n", "p | k", POWER, "p not 2^m", "2^floor(log2 p) | n", "p = radix^m", "k p <= n")
"""The hypotheses that a claim may have; several are joined by commas."""
MULTIPLE, POWER_OF = re.compile(r"(\d+)( p)? \| n"), re.compile(r"p = (\d+)\^m")
"""Other hypotheses that a cost may have, with a number in them: ``8 | n``, ``128 p | n``, ``p = 3^m``."""
DIVIDES = re.compile(r"(\d+) \| p")
"""So with grids of ranks: ``4 | p``."""

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {"|": lambda x, y: x != 0 and y % x == 0, "<": lt, "<=": le}
Point = Mapping[str, int | Fraction]


def parts(given: str) -> list[str]:
    """Return the hypotheses that ``given`` joins.

    >>> parts("p = 2^m, p | n"), parts("")
    (['p = 2^m', 'p | n'], [])
    """
    return [part.strip() for part in given.split(",") if part.strip()]


def holds(given: str, at: Point) -> bool:
    """Return whether all hypotheses of ``given`` hold at the point, ``radix`` being 2 where it has no value.

    Raises InputError for another letter that has none, KeyError for a relation that is not known.
    """
    return all(single(part, {"radix": 2, **at}) for part in parts(given))


def single(hypothesis: str, at: Point) -> bool:
    """Return whether one hypothesis holds at the point.

    >>> [single(one, {"p": 9, "n": 72}) for one in ("8 p | n", "p = 3^m", "2^floor(log2 p) | n", "n <= 2^5")]
    [True, True, True, False]
    """
    left, relation, right = hypothesis.rsplit(" ", 2)
    if left == "2^floor(log2 p)":
        return amount(right, at) % (1 << amount("p", at).bit_length() - 1) == 0
    x = prod(amount(one, at) for one in left.split())
    if relation in ("=", "not"):
        base = amount(right.partition("^")[0], at)
        return (power_of(base, log_of(x, base)) == x) is (relation == "=")
    y = amount(right, at)
    return RELATIONS[relation](x, y)


def amount(text: str, at: Point) -> int:
    """Return a number, or a letter's value; raise InputError where it has none."""
    base, _, exponent = text.partition("^")
    if base.isdigit():
        return int(int(base) ** int(exponent or 1))
    if text not in at:
        raise InputError(f"this cost needs a value for {text}: {text}=VALUE")
    return int(at[text])
