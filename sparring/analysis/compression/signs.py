"""Bounds what signs and one scale leave of a vector: the compressor of 1-bit Adam, with its two scales [TG21]_.

Of ``d`` entries ``a`` is what their magnitudes add up to, ``b`` their squares.  Read as ``s`` or ``-s`` by their
signs they are off by ``b - 2 s a + d s^2`` in squares, ``left``.

*The scale of the published code*, ``s = sqrt(b / d)``: ``left = 2 (b - s a)``, that is
``2 |v|_2^2 (1 - |v|_1 / (sqrt(d) |v|_2))``.  It is more than ``b`` wherever ``2 |v|_1 < sqrt(d) |v|_2``: then codes are
worse than sending nothing.  One entry that is not zero among nine is such a vector.

*The mean magnitude*, ``s = a / d``: ``left = b - a^2 / d``, less than with any other scale, and at most
``(1 - 1/d) b``, since ``a^2 >= b``: a contraction with the constant ``a^2 / (d b)``.

A sum over entries is a number here, and each step of an induction takes one more.

.. [TG21] H. Tang, S. Gan, A. A. Awan, S. Rajbhandari, C. Li, X. Lian, J. Liu, C. Zhang and Y. He, "1-bit Adam",
   ICML 2021, arXiv:2102.02888.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
import z3

import sparring.spec.one_bit as module
from sparring.analysis.compression.reals import Lemma, proved, refuted, shown
from sparring.analysis.compression.sizes import of_signs
from sparring.errors import Undecided
from sparring.proofs.logic.verdicts import Settled
from sparring.spec.codecs.sign_codec import Signs, read, signed
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

WITNESS = [Fraction(1), *[Fraction(0)] * 8]
"""One entry that is not zero, among more than four."""
RANKS = range(1, 34)

a, b, d, s, t, x, left = z3.Reals("a b d s t x left")


def size(v: Any) -> Any:
    return z3.If(v >= 0, v, -v)


def entries(sign: Any = None) -> Iterator[Lemma]:
    """Yield the lemmas on what is left of an entry, and of one more; ``sign``: of ``x``, by default ``+`` for 0."""
    read_as = z3.If(x >= 0, s, -s) if sign is None else sign * s
    yield Lemma("an entry", (), (x - read_as) * (x - read_as) == x * x - 2 * (s * size(x)) + s * s)
    yield Lemma("no entry", (a == 0, b == 0, d == 0, left == 0), left == b - 2 * (s * a) + d * (s * s))
    one = x * x - 2 * (s * size(x)) + s * s
    yield Lemma(
        "one entry more",
        (left == b - 2 * (s * a) + d * (s * s),),
        left + one == b + x * x - 2 * (s * (a + size(x))) + (d + 1) * (s * s),
    )


SUMS = left == b - 2 * (s * a) + d * (s * s)


def root_of_squares() -> Iterator[Lemma]:
    """Yield the lemmas on what is left with the published scale."""
    given = (SUMS, d * (s * s) == b, s >= 0)
    yield Lemma("twice what the scale is short of", given, left == 2 * (b - s * a))
    yield Lemma("worse than nothing", given, (left > b) == (2 * (s * a) < b))


def mean_magnitude() -> Iterator[Lemma]:
    """Yield the lemmas on what is left with the mean magnitude, the scale that leaves least."""
    yield Lemma("times the scale", (d * s == a,), (d * s) * s == a * s)
    yield Lemma("what is left", (SUMS, (d * s) * s == a * s), left == b - s * a)
    yield Lemma("times the magnitudes", (d * s == a,), (d * s) * a == a * a)
    yield Lemma("times d", (left == b - s * a, (d * s) * a == a * a), d * left == d * b - a * a)
    yield Lemma("of no magnitude", (a == 0, b == 0), a * a >= b)
    yield Lemma("one magnitude more", (a * a >= b, a * x >= 0), (a + x) * (a + x) >= b + x * x)
    yield Lemma("magnitudes are not negative", (a >= 0, x >= 0), a * x >= 0)
    yield Lemma("a contraction", (d * left == d * b - a * a, a * a >= b), d * left <= (d - 1) * b)
    other = t * (d * t) - 2 * (t * a)  # of another scale, t, less b
    yield Lemma("a square", (), x * x >= 0)
    yield Lemma("none leaves less", ((d * t - a) * (d * t - a) >= 0,), d * other >= -(a * a))


def identity() -> Settled:
    """Decide whether ``2 |v|_2^2 (1 - |v|_1 / (sqrt(d) |v|_2))`` is left with the published scale."""
    first, second, many = sympy.symbols("first second many", positive=True)  # |v|_1, |v|_2, d
    scale = second / sympy.sqrt(many)
    printed = 2 * second**2 * (1 - first / (sympy.sqrt(many) * second))
    if sympy.simplify(printed - 2 * (second**2 - scale * first)) != 0:
        return Settled(False, "the printed form is another")
    found = proved([*entries(), *root_of_squares()])
    return found._replace(detail=f"{found.detail}; its printed form: sympy") if found.holds else found


def contracts_by_squares() -> Settled:
    """Decide whether codes with the published scale leave less than the whole: a vector of nine entries refutes it."""
    codes = read(signed(WITNESS, norm=2))
    lost, whole = sum((v - u) ** 2 for v, u in zip(WITNESS, codes)), sum(v * v for v in WITNESS)
    if lost <= whole or not proved([*entries(), *root_of_squares()]).holds:
        raise Undecided("the vector is no counterexample")
    return Settled(
        False,
        f"of (1, 0, ..., 0) with 9 entries, whose squares add up to {whole}, {lost} are left; "
        "so wherever 2 |v|_1 < sqrt(d) |v|_2",
    )


def contracts_by_magnitudes() -> Settled:
    """Decide whether the mean magnitude saves ``a^2 / d`` of ``b``, at least a ``d``-th, and no scale saves more."""
    return proved([*entries(), *mean_magnitude()])


def zero_may_be_zero() -> bool:
    """Return whether as much is left if a zero is read as 0: less is left, so that the statement needs a sign of 0."""
    return not refuted(next(entries(z3.If(x > 0, 1, z3.If(x < 0, -1, z3.RealVal(0))))))


def volume_of_a_call() -> Settled:
    """Decide whether a rank sends ``2 (p - 1) (d / (8 p) + w)`` bytes where ``8 p`` divides ``d``; also by counting."""
    if not (found := shown(of_signs(Signs(norm=2)))).holds:
        return found
    for p in RANKS:
        each = 1 + p % 3
        trace = run(load(module), [np.ones(8 * p * each, np.float32)] * p).trace
        counts = {sum(len(m.entries) for wire in trace for m in wire if m.src == r) for r in range(p)}
        if counts != {2 * (p - 1) * (each + 4)}:
            return Settled(False, f"p = {p}, d = {8 * p * each}: ranks send {sorted(counts)} bytes")
    return Settled(True, f"messages: z3 and cvc5; whole calls counted for p = {RANKS[0]}..{RANKS[-1]}")
