"""Proves the contraction of ARC-Top-K: the share of a matrix in its ``k`` rows of longest sketch [CM25]_.

A compressor is *contractive* with a constant ``A`` if it leaves at most ``1 - A`` of the squared length, in
expectation.  Of rows whose squared lengths are ``w[j]``, some with the ``k`` largest scores ``s[j]`` of ``m`` are
kept; ``I`` are these rows.

*Exact lengths*, ``s = w``: the ``k`` largest of ``m`` numbers, none negative, are at least ``k / m`` of all.  So
``A = k / m``.  *Lengths to within a part* ``x``: ``A = (1 - x) / (1 + x) k / m``.

*A random sketch* with ``r`` columns, independent, of independent entries with mean 0, variance 1 and a fourth moment
of at most 3, as normal ones have and those of this project's page: ``s[j] = w[j] Z[j]`` with ``E Z = r`` and
``E Z^2 <= r (r + 2)``.  Whatever was drawn, the kept scores are at least ``k / m`` of all; so
``E sum_I w Z >= k / m r W``.  By Cauchy and Schwarz its square is at most ``E sum_I w`` times ``E sum w Z^2``.  Hence
``A >= (k / m)^2 r / (r + 2)``, whatever the matrix.  That is a bound of this project's own.

*That ``A = k / m`` there, too, is false*: of three rows ``(1, 0)``, ``(1, 0)``, ``(0, sqrt(9/10))`` and ``k = 1`` the
two equal ones rise and fall together.  The longer are kept with a chance ``q``, and ``q + 9/10 (1 - q)`` of ``29/10``
is less than a third wherever ``q < 2/3``.

A sum over rows, or over entries, is a number here, and each step of an induction takes one more.

.. [CM25] Chen, Ma, Li, He, Dong and Yuan, "ARC-Top-K", arXiv:2510.26709, 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

import sympy
import z3

from sparring.analysis.compression.reals import Lemma, proved
from sparring.errors import Undecided
from sparring.proofs.logic.verdicts import Settled

BITS = 64
"""An entry of this project's sketching matrix counts ones among so many bits."""
SHORTER = Fraction(9, 10)
"""The third row's squared length; those of the first two are 1."""
EVEN = range(2, 65, 2)
"""Columns of sketches of which the chance ``q`` is a fraction."""

k, m, r, j, t, x, w, kept, left = z3.Reals("k m r j t x w kept left")
captured, scored, squares, low, high, second, fourth, entry = z3.Reals(
    "captured scored squares low high second fourth entry"
)


def largest(held: Any = None) -> Iterator[Lemma]:
    """Yield the lemmas that the ``k`` largest of ``m`` numbers, the least being ``t``, are at least ``k / m`` of all.

    ``held``: what is said of the least one that is kept, by default that no other number is above it.
    """
    above = x <= t if held is None else held
    yield Lemma("of no number", (t >= 0, kept == 0, left == 0), z3.And(kept >= 0 * t, left <= 0 * t))
    yield Lemma("one more is kept", (t >= 0, j >= 0, kept >= j * t, x >= t), kept + x >= (j + 1) * t)
    yield Lemma("one more is left", (t >= 0, j >= 0, left <= j * t, x >= 0, above), left + x <= (j + 1) * t)
    ends = (t >= 0, k >= 0, k <= m, kept >= k * t, left <= (m - k) * t)
    yield Lemma("times the number left", ends, (m - k) * kept >= (m - k) * (k * t))
    yield Lemma("times the number kept", ends, k * left <= k * ((m - k) * t))
    products = ((m - k) * kept >= (m - k) * (k * t), k * left <= k * ((m - k) * t))
    yield Lemma("so many of all", products, m * kept >= k * (kept + left))


def sizes(m: int, k: int) -> Lemma:
    """Return the lemma that the ``k`` largest are at least ``k / m`` of all, for ``m`` ordered letters."""
    numbers = z3.Reals(" ".join(f"w{i}" for i in range(m)))
    ordered = tuple(a >= b for a, b in pairwise(numbers))
    largest, every = (sum(some, z3.RealVal(0)) for some in (numbers[:k], numbers))
    return Lemma(f"{k} of {m}", (numbers[-1] >= 0, *ordered), m * largest >= k * every)


def distorted() -> Iterator[Lemma]:
    """Yield the lemmas on scores that are the lengths to within a part ``x``; kept scores: ``scored``, all: ``low``."""
    part = (x >= 0, x < 1)
    yield Lemma(
        "a row's score",
        (*part, w >= 0, scored <= (1 + x) * captured, entry <= (1 + x) * w),
        scored + entry <= (1 + x) * (captured + w),
    )
    yield Lemma(
        "of all rows", (*part, w >= 0, low >= (1 - x) * high, entry >= (1 - x) * w), low + entry >= (1 - x) * (high + w)
    )
    ends = (*part, k >= 0, m > 0, m * scored >= k * low, scored <= (1 + x) * captured, low >= (1 - x) * high)
    yield Lemma("times k", ends, k * low >= k * ((1 - x) * high))
    yield Lemma("times m", ends, m * scored <= m * ((1 + x) * captured))
    products = (k * low >= k * ((1 - x) * high), m * scored <= m * ((1 + x) * captured), m * scored >= k * low)
    yield Lemma("so much of all", products, m * ((1 + x) * captured) >= k * ((1 - x) * high))


def moments(most: Any = 3) -> Iterator[Lemma]:
    """Yield the lemmas on moments: of a combination of independent entries, then of the squares of ``r`` such.

    With ``x`` more in front of an entry, whose square is ``w``: odd moments vanish where means do.  ``most``:
    what the fourth moment of an entry is at most.
    """
    yield Lemma("of no entry", (second == 0, fourth == 0), fourth <= 3 * second * second)
    more = fourth + 6 * second * w + entry * (w * w)
    yield Lemma("times its square's square", (entry <= most, w >= 0), entry * (w * w) <= most * (w * w))
    so_far = (second >= 0, w >= 0, fourth <= 3 * (second * second), entry * (w * w) <= most * (w * w))
    yield Lemma("one entry more", so_far, more <= 3 * ((second + w) * (second + w)))
    yield Lemma(
        "one column more", (r >= 0, squares <= r * (r + 2), fourth <= 3), squares + 2 * r + fourth <= (r + 1) * (r + 3)
    )


def averaged(columns: Any = None) -> Iterator[Lemma]:
    """Yield the lemmas that lead from the expected kept scores, ``scored``, to the expected kept lengths, ``captured``.

    All lengths together are 1.  ``squares``: the expectation of kept lengths times ``Z^2``, no more than of all.
    ``t``: any number.
    """
    columns = r + 2 if columns is None else columns
    square = captured * (t * t) - 2 * (scored * t) + squares
    cauchy = (captured > 0, t * captured == scored, square >= 0)
    yield Lemma("a square", (t > 0,), x * x >= 0)
    yield Lemma("a length times a square", (w >= 0, x >= 0), w * x >= 0)
    yield Lemma("Cauchy and Schwarz", cauchy, scored * scored <= captured * squares)
    yield Lemma("squared", (low >= high, high >= 0), low * low >= high * high)
    yield Lemma("few squares", (captured >= 0, squares <= r * columns), captured * squares <= captured * (r * columns))
    bound = (r >= 1, (k * r) * (k * r) <= x * (r * columns))  # x: the square of m times what is captured
    yield Lemma("one r less", bound, k * k * r <= x * (r + 2))


def exact_lengths() -> Settled:
    """Decide whether the constant with exact lengths is ``k / m``: for every ``k <= m``; for small ``m`` in letters."""
    return proved([*largest(), *(sizes(m, k) for m in range(1, 6) for k in range(m + 1))])


def within_a_part() -> Settled:
    """Decide whether the constant with lengths to within a part ``x`` is ``(1 - x) / (1 + x) k / m``."""
    return proved([*largest(), *distorted()])


def random_sketch() -> Settled:
    """Decide whether the constant with a random sketch is at least ``(k / m)^2 r / (r + 2)``."""
    if not (chi_square() and ones()):
        return Settled(False, "the moments of an entry are others")
    found = proved([*largest(), *moments(), *averaged()])
    told = f"{found.detail}; moments of normal entries: sympy; of ones among {BITS} bits: summed"
    return found._replace(detail=told) if found.holds else found


def chi_square() -> bool:
    """Return whether ``E Z = r`` and ``E Z^2 = r (r + 2)`` for normal entries, whose fourth moment is 3."""
    columns, power = sympy.symbols("r q", positive=True)
    moment = 2**power * sympy.gamma(columns / 2 + power) / sympy.gamma(columns / 2)
    first, second = (sympy.gammasimp(moment.subs(power, q)) for q in (1, 2))
    fourth = sympy.gammasimp(moment.subs({power: 2, columns: 1}))
    return bool(sympy.expand(first - columns) == 0 == sympy.expand(second - columns * (columns + 2)) and fourth == 3)


def ones(bits: int = BITS) -> bool:
    """Return whether the number of ones among fair bits, less half of them, has mean 0 and the moments needed."""
    half, every = Fraction(bits, 2), Fraction(1, 2**bits)
    first, second, fourth = (
        sum(comb(bits, i) * every * (i - half) ** power for i in range(bits + 1)) for power in (1, 2, 4)
    )
    return first == 0 and fourth <= 3 * second**2


def constant_fails() -> Settled:
    """Decide whether the constant of a normal sketch is ``k / m``: it is not, for one column or an even number.

    Raises Undecided if the three rows are no counterexample.
    """
    if not turns_at_two_thirds():
        raise Undecided("what the three rows hold is no third where q = 2/3")
    chance = ratio_below(1 / sympy.sqrt(sympy.Rational(SHORTER.numerator, SHORTER.denominator)))
    below = [chance < sympy.Rational(2, 3), *(kept_longer(columns) < Fraction(2, 3) for columns in EVEN)]
    share = (chance + SHORTER.numerator * (1 - chance) / SHORTER.denominator) / sympy.Rational(29, 10)
    if not all(bool(one) for one in below):
        raise Undecided("the three rows are no counterexample")
    told = f"three rows of squared lengths 1, 1, 9/10, the first two equal: one kept row holds {share.evalf(4)} of them"
    return Settled(False, f"{told} with r = 1, less than 1/3; likewise for r = {EVEN[0]}, {EVEN[1]}, ..., {EVEN[-1]}")


def turns_at_two_thirds() -> bool:
    """Return whether ``(q + w (1 - q)) / (2 + w) < 1/3`` exactly where ``q < 2/3``, for every ``w`` in ``[0, 1)``."""
    q, share = z3.Real("q"), z3.Real("share")
    length = (w >= 0, w < 1, share * (2 + w) == q + w * (1 - q))
    less = Lemma("less than a third", length, (3 * share < 1) == (3 * q < 2))
    return proved([less]).holds


def ratio_below(x: Any) -> Any:
    """Return the chance that the ratio of two independent normal numbers is between ``-x`` and ``x``: it is Cauchy's.

    With one column the score of the equal rows is the square of one normal number, that of the third row ``9/10`` of
    another's square: the third is kept where the ratio is beyond ``1 / sqrt(9/10)``.
    """
    u = sympy.Symbol("u", real=True)
    return sympy.integrate(1 / (sympy.pi * (1 + u**2)), (u, -x, x))


def kept_longer(columns: int) -> Fraction:
    """Return the chance, for an even number of columns, that ``Z1 > 9/10 Z2``, each the sum of ``columns`` squares.

    ``Z1 / (Z1 + Z2)`` has a beta distribution with twice the parameter ``h = columns / 2``.  It is above ``y`` with the
    chance that of ``2 h - 1`` throws, each below ``y`` with chance ``y``, fewer than ``h`` are below ``y``.
    """
    half, y = columns // 2, SHORTER / (1 + SHORTER)
    throws = 2 * half - 1
    return sum((comb(throws, i) * y**i * (1 - y) ** (throws - i) for i in range(half)), Fraction(0))
