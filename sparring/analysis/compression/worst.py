"""Vectors on which Flash Communication is off by nearly all of its bound, in exact arithmetic.

In each group of each rank there are a least entry, a greatest, and one that lies little less than half a step
above a code, so that every rank's is read too low by as much.  The codes are chosen so that the sum of what is
read lies, if it can, as far above a code of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from sparring.spec.codecs.group_quantiser import levels
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run

HALF = Fraction(1, 2)
NEARLY = HALF - Fraction(1, 10**6)
"""A part of a step: an entry that lies so far above a code is read as this code, whatever code it is."""


class Reached(NamedTuple):
    """The largest error of a run, and its bound."""

    error: Fraction
    bound: Fraction

    @property
    def part(self) -> Fraction:
        """The error as a part of its bound."""
        return self.error / self.bound


def worst(p: int, b1: int, b2: int) -> list[list[Fraction]]:
    """Return vectors with a group a chunk for each of ``p`` ranks, of range ``2**b1 - 1``, so that steps are 1."""
    most = levels(b1)
    each = Fraction(levels(b2), most * p)
    code, more = max(product(range(max(1, most - 1)), range(p)), key=lambda one: below((one[0] * p + one[1]) * each))
    codes = [code + (r < more) for r in range(p)]
    return [[Fraction(0), Fraction(most), one + NEARLY] * p for one in codes]


def below(place: Fraction) -> Fraction:
    """Return by how much of a step a number at ``place`` is read too low; 0 where it is read too high."""
    code = place // 1
    low = place - code < HALF or (place - code == HALF and code % 2 == 0)  # ties go to the even code
    return place - code if low else Fraction(0)


def reached(page: Page, xs: Sequence[Sequence[Fraction]], group: int = 3) -> Reached:
    """Return the largest error of a run and its bound, for groups of ``group`` entries."""
    b1, b2 = page.params["b1"], page.params["b2"]
    sums = [sum(column, Fraction(0)) for column in zip(*xs)]
    error = max(abs(y - right) for y, right in zip(run(page, xs).results[0], sums))
    groups = [[x[i : i + group] for x in xs] for i in range(0, len(sums), group)]
    spans = [sum((max(some) - min(some) for some in each), Fraction(0)) for each in groups]
    return Reached(error, max(spans) / 2 * (Fraction(1, levels(b1)) + Fraction(1, levels(b2))))
