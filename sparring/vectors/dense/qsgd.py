"""Test vectors of QSGD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sparring.spec.codecs.level_codec import unit, width
from sparring.spec.core.vectors import Vector
from sparring.vectors.dense.flags import given, parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe


def single(at: Place) -> float:
    """Return one number a rank that is not 0, negative on every other rank; and zeros."""
    return (-1.0) ** at.q * (3.0 + at.q) if at.i == at.q % 3 else 0.0


def largest(at: Place) -> float:
    """Return the largest number, of either sign: squares sum up beyond 64 bits, of float32 the unit is no float32."""
    return float(np.finfo(at.dtype).max) * (-1.0 if at.i % 3 == 1 else 1.0)


RECIPES = (
    Recipe("one number a rank", single, FLOATS),
    Recipe("the largest numbers", largest, FLOATS),
    Recipe("numbers between two levels", lambda at: at.draw() - 0.5, FLOATS),
)

MORE = (("many levels, whose sums are rounded", 5, 24, {"levels": 300}),)


def units(case: Case) -> Iterator[tuple[Any, Any]]:
    """Yield each vector that has entries, all finite, and its unit."""
    levels, by_max = (case.page.params[name] for name in ("levels", "by_max"))
    for x in given(case):
        if x.size and np.isfinite(x).all():
            yield x, unit(Vector.of(x), levels, by_max)


def between(x: Any, one: Any) -> bool:
    """Return whether some entry lies between two levels."""
    return bool(np.isfinite(one) and one > 0 and (abs(x) / one % 1 != 0).any())


FLAGS: Mapping[str, Flag] = {
    "ByChance": Flag(
        "chance",
        "Some entry lies between two levels.",
        "The chance of the upper one is a hash of the seed, the call, the rank and the index, to 53 bits.",
        lambda case: any(between(*one) for one in units(case)),
    ),
    "OtherSeed": Flag(
        "chance",
        "The seed is not 0.",
        "It is hashed before the call, the rank and the index.",
        parameter(lambda params: params["seed"] > 0),
    ),
    "ByMax": Flag(
        "coding",
        "Levels are parts of the greatest magnitude, and not of the norm.",
        "The parameter by_max is 1.",
        parameter(lambda params: bool(params["by_max"])),
    ),
    "WideLevels": Flag(
        "coding",
        "A level and its sign have more than 8 bits.",
        "The lowest 8 make a plane of bytes; the others, the sign on top, follow in planes of their own.",
        parameter(lambda params: width(params["levels"]) > 8),
    ),
    "PartByte": Flag(
        "coding",
        "Levels of one bit would not fill their last byte.",
        "In a byte the first level has the lowest bits; what is left of the last byte is zero.",
        lambda case: case.n % 8 > 0,
    ),
    "NoUnit": Flag(
        "coding",
        "A vector has entries, and all of them are 0, or so small that the unit is.",
        "All levels are 0, and nothing is divided.",
        lambda case: any(one == 0 for _, one in units(case)),
    ),
    "UnitOverflow": Flag(
        "coding",
        "Of finite entries the squares add up to no finite number, or the unit is none.",
        "The unit is NaN, all levels are 0, and all of the result is NaN.",
        lambda case: any(not np.isfinite(one) for _, one in units(case)),
    ),
}
