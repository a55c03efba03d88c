"""Computes the lengths of parts of members with unequal bandwidths: a linear program's closed form, in entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any


def scores(bandwidths: Sequence[int]) -> list[Fraction]:
    """How much of a vector each member is to look after, in proportion: the optimum of the published linear program.

    Of ``n`` members one that looks after the fraction ``w`` sends and hears ``1 + (n - 2) w`` vectors each; the
    largest such load over bandwidth is as small as can be.  For two all parts are as good; then they are alike.
    """
    n, able = len(bandwidths), [b for b in bandwidths if b]
    if n <= 2 or not able:
        return [Fraction(b > 0) for b in bandwidths]
    time = max(Fraction(len(able) + n - 2, sum(able)), Fraction(1, min(able)))
    return [time * b - 1 if b else Fraction(0) for b in bandwidths]


def shares(n: int, wanted: Sequence[Fraction], rounded: Callable[[Any, Any], Any] = lambda a, b: a // b) -> list[int]:
    """``n`` entries in these proportions; those left go to the largest quotients, after Hagenbach-Bischoff.

    ``rounded(a, b)``: how many entries are sure for ``a`` of all scores, ``b``.
    """
    if not (total := sum(wanted)):
        return [0] * len(wanted)
    found = [int(rounded(n * s, total)) for s in wanted]
    while sum(found) < n:
        found[max(range(len(found)), key=lambda i: (wanted[i] / (found[i] + 1), -i))] += 1
    return found
