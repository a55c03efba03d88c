"""Numbers rounded to a grid by chance: right in expectation, and how far off.

A number that lies ``t`` of a step above a point, ``0 <= t < 1``, is rounded up with the chance ``t``.  It is right
in expectation, and its variance is ``t (1 - t)`` squared steps, at most a quarter, which it is halfway.  Of
independent numbers variances add up.  Chances of the pages are whole multiples of ``2^-53``: what is said
holds of numbers ``t`` that are, and of others to within one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy
import z3

import sparring.spec.thc as module
from sparring.analysis.compression.reals import Lemma, proved, shown
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.verdicts import Settled
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.proofs.thc import homomorphic
from sparring.spec.codecs.packed_integers import most
from sparring.spec.codecs.shared_grid import Grid
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import Sym
from sparring.spec.library.counter_rng import FINE

QUARTERS = [i << FINE - 2 for i in range(4)]
"""Chances that stand for all where numbers lie at quarters of a step."""
GRID = Grid(Fraction(-3, 2), Fraction(1, 2))
"""A grid for codes of ``BITS`` bits: its points are -3/2, -1, -1/2 and 0."""
BITS = 2

t, s, k, v, y, m = z3.Reals("t s k v y m")


def fraction() -> Iterator[Lemma]:
    """Yield the lemmas on one number that is rounded by chance: its mean and its variance."""
    part = (t >= 0, t < 1)
    yield Lemma("in expectation", part, (1 - t) * k + t * (k + 1) == k + t)
    yield Lemma("squares", part, (1 - t) * (t * t) + t * ((1 - t) * (1 - t)) == t * (1 - t))
    yield Lemma("a square", (), y * y >= 0)
    yield Lemma("at most a quarter", ((2 * t - 1) * (2 * t - 1) >= 0,), 4 * (t * (1 - t)) <= 1)
    yield Lemma("of a step", (s >= 0, 1 - 4 * v >= 0), s * (1 - 4 * v) >= 0)  # s: its square


def added() -> Iterator[Lemma]:
    """Yield the lemmas that take ``k`` numbers and one more, of variance ``y``; independent errors do not correlate."""
    yield Lemma("variances add up", (m == 0,), v + 2 * m + y == v + y)  # m: the mean of the product
    yield Lemma("one more", (4 * v <= k * s, 4 * y <= s), 4 * (v + y) <= (k + 1) * s)


def quarter() -> bool:
    """Return whether the maximum of ``t (1 - t)`` is a quarter, by sympy."""
    u = sympy.Symbol("u", real=True)
    return bool(sympy.maximum(u * (1 - u), u, sympy.Interval(0, 1)) == sympy.Rational(1, 4))


def moments(values: list[Fraction]) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the sum of values read for these, over all chances, by the page's own codes."""
    found = []
    for chances in product(QUARTERS, repeat=len(values)):
        codes = [module.code(one, *GRID, chance, BITS) for one, chance in zip(values, chances)]
        found.append(module.value(GRID.low, GRID.step, sum(codes), len(codes)))
    mean = sum(found, Fraction(0)) / len(found)
    return mean, sum(((one - mean) ** 2 for one in found), Fraction(0)) / len(found)


def examples() -> Iterator[list[Fraction]]:
    """Yield entries of one, two and three ranks, at all quarters of a step."""
    eighths = [Fraction(i, 8) for i in range(-12, 1)]
    yield from ([one] for one in eighths)
    yield from ([one, other] for one in eighths for other in eighths)
    yield from ([one, Fraction(-5, 8), other] for one in eighths for other in eighths)


def unbiased() -> Settled:
    """Decide whether results are right in expectation with a variance of at most ``p step^2 / 4``."""
    count = 0
    for values in examples():
        mean, variance = moments(values)
        if mean != sum(values) or variance > len(values) * GRID.step**2 / 4:
            return Settled(False, f"entries {', '.join(map(str, values))}: mean {mean}, variance {variance}")
        count += 1
    halves = [Fraction(-1, 4)] * 3
    if not quarter() or moments(halves)[1] != len(halves) * GRID.step**2 / 4:
        return Settled(False, "the bound is not the least one")
    found = proved([*fraction(), *added()])
    told = f"{found.detail}, sympy; through the page in {count} cases with all of their chances, and reached halfway"
    return found._replace(detail=told) if found.holds else found


def sum_of_codes() -> Settled:
    """Decide whether the value read for a sum of codes is the sum of the values read for each."""
    return shown(homomorphic(module))


def any_order() -> Settled:
    """Decide whether codes have the same sum in any order, as whole numbers do."""
    a, b, c = (Sym.var(name) for name in "abc")
    return shown([Obligation("any two may change places", (), a + b == b + a),
                  Obligation("brackets may move", (), (a + b) + c == a + (b + c))])  # fmt: skip


def bits_enough() -> Settled:
    """Decide whether ``p`` codes add up in ``bits + ceil(log2 p)`` bits, for every width of codes."""
    return shown(next(conjectures(subject(load(module)), "volume")).obligations)


def bits_one_fewer() -> Settled:
    """Decide whether one bit less is enough: it is not, for two ranks that have the greatest codes."""
    for bits in range(1, 9):
        if 2 * most(bits) >= 1 << bits:
            return Settled(False, f"p = 2, {bits} bits: the greatest codes add up to {2 * most(bits)}")
    return Settled(True, "")
