"""Test vectors of homomorphic compression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sparring.spec.codecs.packed_integers import most, wide
from sparring.vectors.dense.flags import PART_BYTE, overflows, parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe


def alike(at: Place) -> float:
    """Return the same number everywhere."""
    return 0.1 + 0 * at.i


def gridded(at: Place) -> float:
    """Return a whole number from 0 to 255, both ends among them."""
    return {0: 0.0, 1: 255.0}.get(at.i, float(int(at.draw() * 256)))


def widest(at: Place) -> float:
    """Return the largest number, of alternating sign from place to place and rank to rank."""
    return float(np.finfo(at.dtype).max) * (-1.0 if (at.q + at.i) % 2 else 1.0)


RECIPES = (
    Recipe("one number everywhere", alike, FLOATS),
    Recipe("whole numbers from 0 to 255", gridded, FLOATS),
    Recipe("the largest numbers of both signs", widest, FLOATS),
    Recipe("numbers between two codes", lambda at: at.draw() - 0.25, FLOATS),
)


def length(p: int) -> int:
    """Return a length for chunks of more than a byte of codes, or of less on more ranks."""
    return 9 * p + 2 if p < 3 else 3 * p + 1


def heights(case: Case) -> Iterator[tuple[Any, Any]]:
    """Yield for each call with a finite range how many steps each entry lies above the least, and the step."""
    for call in case.calls:
        x = np.concatenate(call.xs)
        if x.size and np.isfinite(x).all() and not overflows(x):
            step = (x.max() - x.min()) / x.dtype.type(most(case.page.params["bits"]))
            yield (x - x.min()) / step if step > 0 else 0 * x, step


FLAGS: Mapping[str, Flag] = {
    "ByChance": Flag(
        "chance",
        "Some entry lies between two codes.",
        "The chance of the upper one is a hash of the seed, the call, the rank and the index, to 53 bits.",
        lambda case: any(bool((t % 1 != 0).any()) for t, _ in heights(case)),
    ),
    "OnTheGrid": Flag(
        "chance",
        "There is a step, and each entry of some call lies on a code.",
        "No chance moves it.",
        lambda case: any(step > 0 and not (t % 1).any() for t, step in heights(case)),
    ),
    "NoStep": Flag(
        "coding",
        "All entries of all ranks are equal, or so close that the step is 0.",
        "All codes are 0, and nothing is divided.",
        lambda case: any(not step > 0 for _, step in heights(case)),
    ),
    "OtherSeed": Flag(
        "chance",
        "The seed is not 0.",
        "It is hashed before the call, the rank and the index.",
        parameter(lambda params: params["seed"] > 0),
    ),
    "WideSum": Flag(
        "coding",
        "A sum of codes has more than 8 bits.",
        "Its lowest 8 make a plane of bytes; the others follow in planes of their own.",
        lambda case: wide(case.page.params["bits"], case.p) > 8 and case.p > 1,
    ),
    "PartByte": PART_BYTE,
    "RangeOverflow": Flag(
        "coding",
        "Of finite numbers the greatest of all ranks less the least is infinite.",
        "There is no grid: all of the result is NaN, and all codes are 0.",
        lambda case: any(overflows(np.concatenate(call.xs)) for call in case.calls),
    ),
}
