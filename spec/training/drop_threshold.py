"""Chooses the ``tau`` that pays most for DropCompute, for each rank by itself and for all alike [GG23]_.

For some iterations nothing is dropped, and each rank notes when its micro-batches end.  One
allreduce of all ranks' times, each in a place of its own and 0 elsewhere, makes them known to all;
then each rank makes the same choice from the same numbers, and nobody has to tell it.  Of 200
values of ``tau`` the best is taken by what it would have saved, and lost, in these iterations.

Requires: more than 5 micro-batches, since the first ``tau`` is where the quickest sixth one ends;
times above 0; iterations that take no less than their computing.
Ensures:  the same ``tau`` wherever the numbers are the same; of equal ones the least.

>>> quick, slow = [1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 12]
>>> round(float(best([[quick], [quick], [slow]], 13)), 2)
6.03

As the authors' program has it, with two differences.  There each rank has its own mean time of an
iteration, so that ranks may choose differently; here the largest of them is every rank's, which is
never below the mean of the slowest rank's computing, as an allreduce waits for all.  And a program
that knows the time of an allreduce is not asked for.

.. [GG23] N. Giladi, S. Gottlieb, M. Shkolnik, A. Karnieli, R. Banner, E. Hoffer, K. Y. Levy and
   D. Soudry, "DropCompute: simple and more robust distributed synchronous training via compute
   variance reduction", NeurIPS 2023, arXiv:2306.10598.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

FIRST = 5
"""The first micro-batch, counted from 0, after which ``tau`` may lie."""
PLACES = 200
"""Values of ``tau`` that are tried."""

Ends = Sequence[Sequence[Sequence[Any]]]
"""By rank, iteration and micro-batch, the time from the begin of computing to its end."""


def best(ends: Ends, seconds: Any, places: int = PLACES) -> Fraction:
    """The ``tau`` of ``places`` that would have paid most.

    ``seconds``: the mean time of an iteration, of the rank where it is largest.
    """
    taus = grid(ends, places)
    return max(taus, key=lambda tau: (effective(ends, seconds, tau), -tau))


def grid(ends: Ends, places: int) -> list[Fraction]:
    """From the first end of a sixth micro-batch to the last of all, evenly."""
    times = [Fraction(end) for rank in ends for iteration in rank for end in iteration[FIRST:]]
    low, high = min(times), max(times)
    return [low + (high - low) * j / (places - 1) for j in range(places)]


def effective(ends: Ends, seconds: Any, tau: Any) -> Fraction:
    """By how much more is done in the time, mean over the iterations: 0 where nothing changes."""
    iterations = [[[Fraction(end) for end in times] for times in now] for now in zip(*ends)]
    spare = Fraction(seconds) - mean([*map(slowest, iterations)])
    return mean([gained(now, slowest(now) + spare, tau) for now in iterations])


def gained(now: Sequence[Sequence[Fraction]], whole: Fraction, tau: Any) -> Fraction:
    """The same of one iteration, which takes ``whole``: what ends at ``tau`` or later is dropped."""
    times = [end for rank in now for end in rank]
    kept = [end for end in times if end < tau]
    if not kept:
        return Fraction(-1)
    return Fraction(len(kept), len(times)) * whole / (whole - slowest(now) + max(kept)) - 1


def slowest(now: Sequence[Sequence[Fraction]]) -> Fraction:
    """When the last rank has computed all."""
    return max(end for rank in now for end in rank)


def mean(xs: Sequence[Fraction]) -> Fraction:
    return sum(xs, Fraction(0)) / len(xs)
