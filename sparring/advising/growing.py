"""Sizes of unions of more ranks' supports than workers were measured.

Up to the number of workers they are known.  Beyond, they lie between no new entry at all and as many
with every rank as that worker has alone which has the most of its own: a union grows ever more
slowly where ranks are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from sparring.advising.measuring import Measured
from sparring.spec.library import support_models


class Range(NamedTuple):
    """A value in the most favourable, the expected and the least favourable case."""

    low: Fraction
    expected: Fraction
    high: Fraction


def growing(measured: Measured, case: str) -> Callable[[int], Fraction]:
    """Return the size of ``s`` ranks' union as a function: measured as far as there are workers, then by ``case``."""
    growth, workers = measured.growth, measured.growth.ranks
    by_case: dict[str, Sequence[int | Fraction]] = {"low": growth.low, "expected": growth.mean, "high": growth.high}
    sizes = [Fraction(size) for size in by_case[case]]
    last, most = sizes[-1], max(measured.own)

    def union(s: int) -> Fraction:
        if s <= workers:
            return sizes[s - 1]
        if workers == 1:
            return Fraction(support_models.MODELS[ALONE[case]](s, growth.n, growth.k[0]))
        more = s - workers
        new = {"low": 0, "expected": min(unseen(measured, more), more * most), "high": more * most}[case]
        return min(Fraction(growth.n), last + new)

    return union


ALONE = dict(zip(Range._fields, support_models.MODELS))
"""The models of supports where one worker alone was measured."""


def unseen(measured: Measured, more: int) -> int:
    """Return the number of new entries expected from ``more`` more workers, by how many entries one or two keep.

    Chao's estimate of what nobody has yet, and of how it shrinks: Colwell et al., "Models and estimators linking
    individual-based and sample-based rarefaction, extrapolation and comparison of assemblages", Journal of
    Plant Ecology 5 (2012), for species in samples.  Exact for supports that are independent or identical.
    """
    workers, once, twice = measured.growth.ranks, measured.shared[0], measured.shared[1]
    pairs = once**2 / (2 * twice) if twice else once * (once - 1) / 2
    left = min(pairs * (workers - 1) / workers, measured.growth.n - float(measured.growth.mean[-1]))
    return round(left * (1 - (1 - once / (workers * left + once)) ** more)) if left else 0
