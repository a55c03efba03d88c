"""Fits what a message, a byte and an addition take to the times of algorithms whose pages are known.

As in :mod:`sparring.calibration.fitting`, errors are factors, and they are added and not squared.  Of the letters none
is below zero: each subset is fitted with the others zero, and the best is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from sparring.calibration.fitting import Floats
from sparring.calibration.profile import short
from sparring.costs.links.machines import Machine
from sparring.errors import InputError
from sparring.libraries.choices import Match, pricing
from sparring.libraries.counting import Key
from sparring.libraries.timing import Timings

TURNS = 50
"""How often points are weighted anew."""
UNITS = (Machine(1, 0, 0), Machine(0, 1, 0), Machine(0, 0, 1))
"""Machines on which a cost is its messages, its bytes, and its additions."""


class Points(NamedTuple):
    """Messages, bytes and additions in lock step, a row a point, and seconds."""

    amounts: Floats
    seconds: Floats


def fitted(matches: Mapping[Key, Match], taken: Sequence[Timings]) -> Machine:
    """Return the machine that explains best the least times of all algorithms whose pages are known, at all lengths.

    Raises InputError where there are no times.
    """
    found = points(matches, taken)
    if not found.seconds.size:
        raise InputError("no times were taken to which a machine could be fitted; right: --machine ./file.json")
    alpha, beta, gamma = (short(x) for x in best(found).tolist())
    where = " and ".join(str(one.ranks) for one in taken)
    return Machine(alpha, beta, gamma, source=f"fitted to {found.seconds.size} times of algorithms on {where} ranks")


def points(matches: Mapping[Key, Match], taken: Sequence[Timings]) -> Points:
    """Return the points: of each algorithm and length the least time, for what disturbs makes slower alone."""
    amounts, seconds = [], []
    for timings in taken:
        least = {
            (name, n): time
            for name in timings.seconds
            for n, time in zip(timings.sizes, timings.of(name).min(axis=0).tolist())
        }
        for (collective, name, p, n), match in matches.items():
            time = least.get((name, n), np.nan)
            costs = [pricing(collective, unit)(match.played, p, n) for unit in UNITS]
            if p == timings.ranks and match.segments == 1 and time > 0 and None not in costs:
                amounts.append([float(cost or 0) for cost in costs])
                seconds.append(time)
    return Points(np.array(amounts).reshape(-1, len(UNITS)), np.array(seconds))


def best(found: Points) -> Floats:
    """Return the letters of the least sum of errors."""
    letters = range(len(UNITS))
    some = [solved(found, list(one)) for many in letters for one in combinations(letters, many + 1)]
    return min((x for x in some if (x >= 0).all()), key=lambda x: error(found, x))


def solved(found: Points, columns: Sequence[int]) -> Floats:
    """Return the best letters with all but these zero.

    Squares of relative errors are made least, in turns: with less weight for points that are far off, until what is
    least is the sum of the errors themselves.
    """
    x = np.zeros(len(UNITS))
    scaled = found.amounts[:, columns] / found.seconds[:, None]
    weights = np.ones(len(scaled))
    for _ in range(TURNS):
        x[list(columns)] = np.linalg.lstsq(scaled * weights[:, None], weights, rcond=None)[0]
        weights = 1 / np.sqrt(np.maximum(np.abs(scaled @ x[list(columns)] - 1), 1e-6))
    return x


def error(found: Points, x: Floats) -> float:
    """Return the sum of errors: logarithms of the factors by which times are off."""
    told = found.amounts @ x
    return float(np.abs(np.log(told / found.seconds)).sum()) if (told > 0).all() else np.inf
