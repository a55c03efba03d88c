"""Test vectors of ARC-Top-K."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sparring.spec.library.matrices import below_root, rows
from sparring.vectors.dense.flags import parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe

OTHERS = (
    {"k": 2, "columns": 2, "sketch": 2, "seed": 3},
    {"k": 1, "columns": 3, "sketch": 2, "feedback": "ef21m", "through": "two_shot"},
    {"k": 2, "columns": 4, "sketch": 2, "feedback": "ef21"},
)


def broken(at: Place) -> float:
    """Return a small number, and at one place of the last rank a NaN."""
    return math.nan if at.q == at.p - 1 and at.i == 6 else at.draw() - 0.5


RECIPES = (
    Recipe("small numbers and one NaN", broken, FLOATS),
    Recipe("one vector of ones on every rank", lambda at: 1.0 + 0 * at.i, FLOATS),
)
MORE = (("a length that is a power of four, rows by the rule", 2, 16, {"k": 1}),)


def length(p: int) -> int:
    """Return a length whose last row is not full."""
    return p + 8 + p % 2


def columns(case: Case) -> int:
    return case.page.params["columns"] or below_root(case.n)


def many(case: Case) -> int:
    """Return the number of rows."""
    return int(rows(case.n, columns(case)))


def tied(case: Case) -> bool:
    """Return whether a first call that selects keeps just one of two full rows alike on all ranks, and not zero."""
    if case.page.params["feedback"].startswith("ef21") or case.n < columns(case):
        return False
    full, call = case.n // columns(case), case.calls[0]
    cut = [np.asarray(x[: full * columns(case)]).reshape(full, -1) for x in (*call.xs, call.results[0])]
    *xs, y = [np.nan_to_num(x) for x in cut]
    whole = [tuple(tuple(x[i].tolist()) for x in xs) for i in range(full)]
    sums = [any(x[i].any() for x in xs) for i in range(full)]
    kept = {one for i, one in enumerate(whole) if sums[i] and y[i].any()}
    return any(one in kept for i, one in enumerate(whole) if sums[i] and not y[i].any())


def nan_first(case: Case) -> bool:
    """Return whether the first result has a NaN, and zeros in places whose sum is a finite number other than 0."""
    y, xs = case.calls[0].results[0], case.calls[0].xs
    with np.errstate(all="ignore"):
        return bool(np.isnan(y).any() and ((y == 0) & (sum(xs) != 0) & np.isfinite(sum(xs))).any())


FLAGS: Mapping[str, Flag] = {
    "TiedRows": Flag(
        "selection",
        "Of rows that are alike some are kept and some are not.",
        "Their sketches are equal: those of lower index are kept.",
        tied,
    ),
    "NaNFirst": Flag(
        "selection",
        "In a first call that selects some sum is NaN and another one is left.",
        "The row's score is NaN, which comes before all numbers; sorting may go wrong with it.",
        nan_first,
    ),
    "FilledRow": Flag(
        "edge",
        "The last row is not full.",
        "It is filled up with zeros, which are sent with it.",
        lambda case: case.n % columns(case) > 0,
    ),
    "RuleForColumns": Flag(
        "edge",
        "How long a row is follows from the length of the vector.",
        "It is the largest power of two that divides the length and is less than its root, or 1.",
        parameter(lambda params: params["columns"] == 0),
    ),
    "KeepNone": Flag(
        "selection",
        "k is 0.",
        "Sketches are sent all the same; the messages of rows are empty.",
        parameter(lambda params: params["k"] == 0),
    ),
    "KeepAll": Flag(
        "selection",
        "There are no more than k rows, and there is one.",
        "All are kept, the last with what it is filled up with.",
        lambda case: 0 < many(case) <= case.page.params["k"],
    ),
    "LeftForLater": Flag(
        "memory",
        "What is not sent is added to the rank's next vector: feedback is ef14.",
        "Rows that were sent leave zeros.",
        parameter(lambda params: params["feedback"] == "ef14"),
    ),
    "Estimates": Flag(
        "memory",
        "Ranks send of what their vectors differ from an estimate: feedback is ef21 or ef21m.",
        "The first call has no estimates, and sends whole vectors and no sketch.",
        parameter(lambda params: params["feedback"].startswith("ef21")),
    ),
    "RunningMean": Flag(
        "memory",
        "Estimates are of a running mean: feedback is ef21m.",
        "It is (mean (1000 - momentum) + x momentum) / 1000, rounded in this order; at first the first vector.",
        parameter(lambda params: params["feedback"] == "ef21m"),
    ),
    "TwoShotInside": Flag(
        "arithmetic",
        "Sums are made by two_shot, and not by ring.",
        "They are added in another order.",
        parameter(lambda params: params["through"] == "two_shot"),
    ),
}
