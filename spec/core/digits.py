"""Numbers by their digits to a base ``k``: what schedules of radix ``k`` are made of.

Digit 0 is the last one.  The base is at least 2, numbers and places of digits are natural.

>>> digit(375, 1, 10), prefix(375, 1, 10), put(375, 1, 0, 10)
(7, 37, 305)
>>> log(375, 10), power(10, log(375, 10))
(2, 100)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sparring.errors import InputError
from sparring.spec.core.numbers import MEANING, Int, Sym
from sparring.spec.core.vectors import at_point


def power(k: Int, e: Int) -> Int:
    """``k**e``."""
    return formula("power", k, e)


def log(x: Int, k: Int) -> Int:
    """The largest ``e`` with ``k**e <= x``, for ``x >= 1``."""
    return formula("log", x, k)


def prefix(x: Int, e: Int, k: Int) -> Int:
    """``x`` without its last ``e`` digits: also the number of the ``k**e`` numbers in a row among which ``x`` is."""
    return formula("prefix", x, e, k)


def digit(x: Int, e: Int, k: Int) -> Int:
    """Digit ``e`` of ``x``."""
    return formula("digit", x, e, k)


def put(x: Int, e: Int, b: Int, k: Int) -> Int:
    """``x`` with ``b`` as its digit ``e``."""
    return formula("put", x, e, b, k)


def formula(op: str, *args: Int) -> Int:
    """The number, or, where a symbol is among the operands, the term; of points the point."""
    if {*map(type, args)} == {int}:  # a run asks for hundreds of thousands
        return MEANING[op](*args)
    if (at := at_point(args)) is not None:
        return at.formula(lambda *terms: formula(op, *terms), args)  # type: ignore[no-any-return]  # a term or a number
    return Sym(op, *args) if any(isinstance(a, Sym) for a in args) else MEANING[op](*args)


def power_of(k: int, e: int) -> int:
    """``k**e``; InputError unless ``k >= 2`` and ``e >= 0``."""
    if k < 2:
        raise InputError(f"digits to the base {k}: a base, or radix, is at least 2")
    if e < 0:
        raise InputError(f"digit {e}: digits are counted from 0")
    return int(k**e)


@lru_cache(maxsize=1024)
def log_of(x: int, k: int) -> int:
    """By trying; InputError unless ``x >= 1`` and ``k >= 2``."""
    if x < 1:
        raise InputError(f"log({x}): only of numbers from 1 on")
    e = 0
    while power_of(k, e + 1) <= x:
        e += 1
    return e


DIGITS: dict[str, Callable[..., int]] = {
    "power": power_of,
    "log": log_of,
    "prefix": lambda x, e, k: x // power_of(k, e),
    "digit": lambda x, e, k: x // power_of(k, e) % k,
    "put": lambda x, e, b, k: x + (b - x // power_of(k, e) % k) * power_of(k, e),
}
MEANING |= DIGITS  # what a term with these operators evaluates to; there is none unless this module was imported
