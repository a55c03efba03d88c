"""Supports of which some indices are more popular than others, as Zipf's law has it.

The ``j``-th most popular of ``n`` indices is in a rank's support with chance ``min(1, c j^-a)``, by itself:
whatever other ranks and indices do.  ``c`` is such that these chances sum up to ``k``, the expected size of
a support.  So the union of ``s`` supports is expected to have

    ``u(s) = sum over j = 1..n of 1 - (1 - min(1, c j^-a))^s``

entries: ``k`` where ``s = 1``, never more than independent supports (each term is concave in its chance), and
``k`` for all ``s`` in the limit of large ``a``.  That chances are cut at 1, and that ranks share one order of
popularity but draw by themselves, is our own choice.

There is no closed form of finite ``n``.  Sums are taken in floats, and enclosed: only ``+ - * /`` and square
roots are used, which IEEE 754 rounds correctly, and every error that these can make is counted (``EXACT``).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np
import sympy
from mpmath import iv
from numpy.typing import NDArray

from sparring.costs.formulas.interval import Interval, as_integer, interval
from sparring.costs.formulas.symbols import Expr
from sparring.errors import InputError, Undecided

Floats: TypeAlias = NDArray[np.float64]

MOST = 1 << 24
"""Indices whose chances are summed one by one."""
STEEPEST = 16
BITS = 48  # of an exponent's fraction
ROW = 1024
EXACT = Fraction(1, 1 << 39)
"""``u(s)`` is known to ``s + 1`` times this part of it.

With ``e = 2^-53``: a weight ``j^-a`` is a product of at most ``BITS`` roots, each of error below ``2 e``, and of
``STEEPEST`` integers, and leaves out a factor ``j^-d``, ``d < 2^-BITS``: all that is below 2^-42 of it.  A sum of
positive numbers by rows of ``ROW``, the rows then summed exactly, is right to ``ROW e = 2^-43`` of it.  So chances
that are found to sum up to ``k`` but for ``LEFT k`` do so but for 2^-40 of it.  A term is concave in its chance and 0
at 0: where a chance is wrong by a part of it, so is the term, by no greater part; and where all chances together
are too large by ``x``, the sum of the terms is by ``s x`` at most, which is ``s x / k`` of it or less.
"""
LEFT = 2.0**-43


@lru_cache(maxsize=2)
def weights(n: int, a: Fraction) -> Floats:
    """Return ``j^-a`` for ``j = 1..n``: by square roots and products alone."""
    j = np.arange(1, n + 1, dtype=np.float64)
    power, root = np.ones(n), j.copy()
    for _ in range(math.floor(a)):
        power *= j
    fraction = math.floor((a - math.floor(a)) * (1 << BITS))
    for place in reversed(range(BITS)):
        root = np.sqrt(root)
        if fraction >> place & 1:
            power *= root
    return 1 / power


def summed(x: Floats) -> float:
    """Return the sum of numbers that are not negative."""
    full = len(x) // ROW * ROW
    rows = x[:full].reshape(-1, ROW).sum(axis=1)
    return math.fsum([*rows.tolist(), *x[full:].tolist()])


def chances(n: int, k: Fraction, a: Fraction) -> Floats:
    """Return ``min(1, c j^-a)``, which sum up to ``k``.

    Their sum is concave in ``c`` and made of straight pieces, so that Newton's method comes to its value from
    below and after finitely many steps.
    """
    if k in (0, n):
        return np.full(n, float(k > 0))
    each, wanted = weights(n, a), float(k)
    c = wanted / summed(each)
    for _ in range(200):
        found = np.minimum(1, c * each)
        missing = wanted - summed(found)
        if abs(missing) <= LEFT * wanted:
            return found
        c += missing / summed(each[found < 1])
    raise Undecided(f"zipf:{a}: no scale found for which the chances of n={n} indices sum up to k={float(k):g}")


class Curve:
    """``u(s)`` for one ``n``, ``k`` and exponent, found as far as it is asked for."""

    def __init__(self, n: int, k: Fraction, a: Fraction) -> None:
        self.n, self.k = n, k
        self.chances = chances(n, k, a)
        self.met = np.zeros(n)  # chances that an index is in the union so far
        self.sizes = [0.0]

    def size(self, s: int) -> float:
        """Return ``u(s)``, nearly."""
        while len(self.sizes) <= s:
            self.met = self.chances + self.met * (1 - self.chances)  # positive terms alone: no digits are lost
            self.sizes.append(summed(self.met))
        return self.sizes[s]

    def between(self, s: int) -> tuple[Fraction, Fraction]:
        """Return two numbers that ``u(s)`` lies between; one and the same for one rank."""
        most = min(s * self.k, Fraction(self.n))
        if s <= 1 or self.k in (0, self.n):
            return most, most
        found, error = Fraction(self.size(s)), (s + 1) * EXACT
        return max(self.k, found * (1 - error)), min(most, found * (1 + error))


@lru_cache(maxsize=16)
def curve(n: int, k: Fraction, a: Fraction) -> Curve:
    """Return the curve; raise InputError for more than ``MOST`` indices, or a ``k`` that is not from 0 to ``n``."""
    if n > MOST:
        raise InputError(f"n={n}: indices that are popular as Zipf's law has it are summed one by one, at most {MOST}")
    if not 0 <= k <= n:
        raise InputError(f"k={k}: a rank has 0 to n={n} entries")
    return Curve(n, k, a)


def union(s: int, n: int, k: int | Fraction, a: Fraction) -> Fraction:
    """Return ``u(s)``, never too low, and too high by ``2 (s + 1) EXACT`` of it at most."""
    return curve(int(n), Fraction(k), a).between(int(s))[1]


@cache
def function(a: Fraction) -> type[Expr]:
    """Return ``u(s, n, k)`` for one exponent, as sympy's function that brings its own enclosure."""

    def enclosed(args: list[Interval]) -> Interval:
        """Return an enclosure: ``u`` grows with ``k``, whose ends, kept from 0 to ``n``, give its ends."""
        s = as_integer(args[0], "u(s)")
        if args[1].a != args[1].b:
            raise Undecided("u(s) of Zipf's law is summed for one n at a time; compare over rho or p")
        n = as_integer(args[1], "u(s)")
        low, high = (min(max(Fraction(float(end)), Fraction(0)), Fraction(n)) for end in (args[2].a, args[2].b))
        ends = interval(curve(n, low, a).between(s)[0], curve(n, high, a).between(s)[1])
        return iv.mpf([ends.a, ends.b])

    return type("u", (sympy.Function,), {"enclosed": staticmethod(enclosed), "is_nonnegative": True})
