"""Proves three bounds on what QSGD's levels lose in expectation, for any vector and number of levels [QSGD]_.

An entry ``v`` of a vector ``x`` lies ``t = s |v| / |x|`` levels above 0, ``t = whole + f`` with ``whole >= 0``
and ``0 <= f < 1``.  It is right in expectation, as :mod:`sparring.analysis.compression.rounding` has it, and off by
``f (1 - f)`` in squared units of ``|x| / s``.  That is at most 1, so that all are off by ``d |x|^2 / s^2``; and at
most ``t``, which all add up to ``s |x|_1 / |x|``, at most ``s sqrt(d)``, so that all are off by
``sqrt(d) |x|^2 / s``.  A level is not 0 with a chance of at most ``t`` and of at most 1, so of no more than
``t^2 + t``: over all entries that is ``s^2 + s sqrt(d)``.

Of ``d`` entries ``a`` is what all ``t`` add up to, ``b`` their squares, ``lost`` their ``f (1 - f)`` and ``found`` the
chances that levels are not 0.  A sum over entries is a number here, and each step of an induction takes one
more.

.. [QSGD] D. Alistarh, D. Grubic, J. Li, R. Tomioka and M. Vojnovic, "QSGD: Communication-efficient SGD via gradient
   quantization and encoding", NeurIPS 2017, arXiv:1610.02132.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import floor
from typing import Literal, NamedTuple

import z3

import sparring.spec.qsgd as module
from sparring.analysis.compression.reals import Lemma, proved
from sparring.analysis.compression.rounding import fraction
from sparring.errors import Undecided
from sparring.proofs.logic.verdicts import Settled
from sparring.spec.codecs.level_codec import leveled, unit
from sparring.spec.core.schedule import number
from sparring.spec.core.vectors import Vector
from sparring.spec.library.counter_rng import FINE

VECTORS = [(3, 4), (-4, 3), (0, 5), (1, 2, 2), (2, -3, 6), (1, 4, -8), (1, 1, 1, 1), (0, 0, 0, 7), (1, 1, 3, 5), (0, 0)]
"""Vectors of rational norms, one of them zero."""
LEVELS = range(1, 6)
BOTH: tuple[Literal[0, 1], ...] = (0, 1)
"""The two norms: ``by_max`` 0 or 1."""

f, t, a, b, d, s, x, lost, found, chance, root, whole = z3.Reals("f t a b d s x lost found chance root whole")


def entry() -> Iterator[Lemma]:
    """Yield the lemmas on one entry: how far it is off, and the chance that its level is not 0."""
    part = (whole >= 0, f >= 0, f < 1, t == whole + f)
    yield Lemma("a square", (), x * x >= 0)
    yield Lemma("no more than what is above a level", (f * f >= 0, *part), f * (1 - f) <= t)
    yield Lemma("no more than 1", (f * f >= 0, *part), f * (1 - f) <= 1)
    yield Lemma("no negative product", (t >= 0, x >= 0), t * x >= 0)
    yield Lemma("a level above 0", (t * (t - 1) >= 0, t >= 1, chance <= 1), chance <= t * t + t)
    yield Lemma("a level that may be 0", (t * t >= 0, t < 1, chance <= t), chance <= t * t + t)


def summed() -> Iterator[Lemma]:
    """Yield the lemmas that take one entry more, and those on the sums over all entries."""
    yield Lemma("losses", (lost <= a, x <= t), lost + x <= a + t)
    yield Lemma("each at most 1", (lost <= d, x <= 1), lost + x <= d + 1)
    yield Lemma("chances", (found <= b + a, chance <= t * t + t), found + chance <= (b + t * t) + (a + t))
    # sum (t - x)^2 = b - 2 x a + d x^2, none negative, at x = a / d: Cauchy and Schwarz
    yield Lemma(
        "one more square",
        (lost == b - 2 * (x * a) + d * (x * x),),
        lost + (t - x) * (t - x) == (b + t * t) - 2 * (x * (a + t)) + (d + 1) * (x * x),
    )
    yield Lemma("at the mean", (d * x == a,), (d * x) * a == a * a)
    yield Lemma("at the mean, again", (d * x == a,), (d * x) * (d * x) == a * a)
    yield Lemma("times d", (b - 2 * (x * a) + d * (x * x) >= 0, d > 0), d * (b - 2 * (x * a) + d * (x * x)) >= 0)
    ends = (d * (b - 2 * (x * a) + d * (x * x)) >= 0, (d * x) * a == a * a, (d * x) * (d * x) == a * a)
    yield Lemma("Cauchy and Schwarz", ends, a * a <= d * b)


def ending() -> Iterator[Lemma]:
    """Yield the lemmas that the sum of all ``t`` is at most ``s sqrt(d)``, since their squares add up to ``s^2``.

    ``root`` is ``sqrt(d)``.
    """
    yield Lemma("of norms", (a * a <= d * b, b == s * s, root * root == d), a * a <= (root * s) * (root * s))
    yield Lemma("of roots", (t > x, x >= 0), t * t > x * x)
    yield Lemma("not 0", (found <= b + a, b == s * s, a <= root * s), found <= s * s + s * root)
    yield Lemma("losses in all", (lost <= a, a <= root * s), lost <= root * s)


class Moments(NamedTuple):
    """The mean of each entry of a coded vector, its mean squared error, and its mean number of nonzero levels."""

    mean: list[Fraction]
    off: Fraction
    nonzero: Fraction


def moments(v: Sequence[int], params: module.Params) -> Moments:
    """Return the moments over both levels of each entry by their chances, through the page's own unit and levels."""
    xs = Vector([Fraction(one) for one in v])
    one = unit(xs, params.levels, params.by_max)
    mean, off, nonzero = [], Fraction(0), Fraction(0)
    for entry in xs:
        t = abs(entry) / one if one else Fraction(0)
        up = t - floor(t)
        both = [(up, 0), (1 - up, (1 << FINE) - 1)]  # the smallest chance rounds up, the largest down
        levels = [(share, number(module.level(entry, one, u, params.levels))) for share, u in both if share]
        reads = [(share, leveled(one, [q], [entry])[0], q) for share, q in levels]
        mean.append(sum((share * y for share, y, _ in reads), Fraction(0)))
        off += sum(share * (y - entry) ** 2 for share, y, _ in reads)
        nonzero += sum(share for share, _, q in reads if q)
    return Moments(mean, off, nonzero)


def at_most_root(value: Fraction, times: Fraction, d: int) -> bool:
    """Return whether ``value <= times sqrt(d)``, for ``value`` and ``times`` that are not negative."""
    return value**2 <= times**2 * d


def cases(by_max: Literal[0, 1]) -> Iterator[tuple[Sequence[int], int, Moments]]:
    """Yield each vector with each number of levels, and the moments."""
    for v, levels in product(VECTORS, LEVELS):
        yield v, levels, moments(v, module.Params(levels, by_max=by_max))


def unbiased() -> Settled:
    """Decide whether the coded vector is right in expectation, with either norm."""
    for by_max in BOTH:
        for v, levels, found in cases(by_max):
            if found.mean != [*v]:
                return Settled(False, f"{v} with {levels} levels: {', '.join(map(str, found.mean))}")
    return with_count(proved([*fraction()]))


def variance() -> Settled:
    """Decide whether the mean squared error is within both bounds."""
    for by_max in BOTH:
        for v, levels, found in cases(by_max):
            d, squares = len(v), Fraction(sum(one * one for one in v))
            if found.off > d * squares / levels**2 or not at_most_root(found.off, squares / levels, d):
                return Settled(False, f"{v} with {levels} levels: {found.off}")
    return with_count(proved([*entry(), *summed(), *ending()]))


def sparse() -> Settled:
    """Decide whether the mean number of levels that are not 0 is at most ``s^2 + s sqrt(d)``."""
    for v, levels, found in cases(0):
        if found.nonzero > levels**2 and not at_most_root(found.nonzero - levels**2, Fraction(levels), len(v)):
            return Settled(False, f"{v} with {levels} levels: {found.nonzero}")
    return with_count(proved([*entry(), *summed(), *ending()]))


def sparse_by_max() -> Settled:
    """Decide whether the bound on levels that are not 0 holds with the maximum norm: nine equal entries refute it."""
    d, levels = 9, 1
    nonzero = moments([1] * d, module.Params(levels, by_max=1)).nonzero
    bound = levels * (levels + 3)  # the root of d is 3
    if nonzero <= bound:
        raise Undecided("the vector is no counterexample")
    return Settled(False, f"of {d} equal entries and {levels} level {nonzero} are not 0, more than {bound}")


def with_count(found: Settled) -> Settled:
    """Return what was found, with the number of vectors counted in its detail if it holds."""
    count = f"exactly through the page for {len(VECTORS)} vectors with {LEVELS[0]} to {LEVELS[-1]} levels"
    return found._replace(detail=f"{found.detail}; {count}") if found.holds else found
