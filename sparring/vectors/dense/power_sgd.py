"""Test vectors of PowerSGD."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sparring.spec.core.schedule import truth
from sparring.spec.core.vectors import Vector
from sparring.spec.library.matrices import PIECE, square
from sparring.spec.power_sgd import worth
from sparring.vectors.dense.flags import parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe

OTHERS = ({"columns": 4, "rank": 2, "rate": 0}, {"columns": 2, "rank": 2, "rate": 0, "seed": 9})


def length(p: int) -> int:
    """Return a length at which two factors are shorter than their matrix."""
    return 21 + p % 2


def outer(at: Place) -> float:
    """Return an entry of a matrix of rank 1, if it has three or six columns; rank ``q`` has 2^q times the first's."""
    return (1.0 + at.i // 3) * (1.0 + at.i % 3) * 2.0**at.q


RECIPES = (Recipe("a matrix of rank 1", outer, FLOATS),)

MORE = (
    ("more than 64 rows", 2, 2 * PIECE + 7, {"columns": 2, "rate": 0}),
    ("factors that are as long as their matrix", 2, 16, {"columns": 4, "rank": 2, "rate": 1}),
)


def shape(case: Case) -> tuple[int, int]:
    """Return the numbers of rows and columns."""
    found = square(Vector([0] * case.n), case.page.params["columns"], 0)
    return found.rows, found.columns


def factored(case: Case) -> bool:
    """Return whether two factors are sent."""
    (m, columns), params = shape(case), case.page.params
    return truth(worth(m, columns, min(params["rank"], m, columns), params["rate"]))


def drawn(case: Case) -> bool:
    """Return whether some later call begins with a column of zeros."""
    return any(
        any(not np.any(column) for q in call.before.q for column in np.reshape([*q], (-1, shape(case)[1])))
        for call in case.calls[1:]
    )


FLAGS: Mapping[str, Flag] = {
    "SentWhole": Flag(
        "edge",
        "There are entries, and their matrix is sent as it is.",
        "Two factors would not be shorter, times rate; nothing is kept.",
        lambda case: case.n > 0 and not factored(case),
    ),
    "Factored": Flag(
        "arithmetic",
        "Two factors are sent.",
        "All sums are made in halves, and down columns in pieces of 64 rows.",
        factored,
    ),
    "SeveralPieces": Flag(
        "arithmetic",
        "Two factors are sent of a matrix with more than 64 rows.",
        "Of the sums down a column, every 64 rows are added in halves, and then their sums.",
        lambda case: factored(case) and shape(case)[0] > PIECE,
    ),
    "FilledRow": Flag(
        "edge",
        "Two factors are sent of a matrix whose last row is not full.",
        "It is filled up with zeros in every call: nothing of it is kept.",
        lambda case: factored(case) and case.n % shape(case)[1] > 0,
    ),
    "RankIsLess": Flag(
        "edge",
        "Two factors are sent, of fewer columns than rank asks for.",
        "There are no more than rows, and no more than columns.",
        lambda case: factored(case) and min(shape(case)) < case.page.params["rank"],
    ),
    "SeveralColumns": Flag(
        "arithmetic",
        "Factors have more than one column.",
        "Each is made a unit one before its part is taken from those after it.",
        lambda case: factored(case) and min(*shape(case), case.page.params["rank"]) > 1,
    ),
    "ErrorCarried": Flag(
        "memory",
        "A call begins with something that an earlier one left.",
        "It is added to the new vector before factors are made.",
        lambda case: any(any(any(one) for one in call.before.kept) for call in case.calls[1:]),
    ),
    "DrawnAnew": Flag(
        "memory",
        "A later call begins with a column of zeros.",
        "It is drawn anew, by the number of this call; else nothing would be sent for ever.",
        drawn,
    ),
    "NoEpsilon": Flag(
        "arithmetic",
        "Two factors are sent, and nothing is added to lengths.",
        "A column of length 0 is not divided.",
        lambda case: factored(case) and case.page.params["epsilon"] == 0,
    ),
    "TwoShotInside": Flag(
        "arithmetic",
        "Sums are made by two_shot, and not by ring.",
        "They are added in another order.",
        parameter(lambda params: params["through"] == "two_shot"),
    ),
}
