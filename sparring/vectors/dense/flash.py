"""Test vectors of Flash Communication: widths of one plane and of several, groups that end with a chunk and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from sparring.spec.codecs.group_quantiser import levels
from sparring.vectors.dense.flags import OVERFLOW, PART_BYTE, chunks, given, lengths, overflows, parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag
from sparring.vectors.numbers import FLOATS, Place, Recipe

OTHERS = (
    {"b1": 6, "b2": 8, "g": 300, "spikes": 1},
    {"b1": 4, "b2": 2, "g": 4, "spikes": 1},
    {"b1": 4, "b2": 4, "g": 4},
    {"b1": 2, "b2": 6, "g": 5},
)


def halfway(at: Place) -> float:
    """Return an entry of a group from 0 to 15 or to 510, some of them halfway between two codes."""
    return (0.0, 15.0, 0.5, 1.5, 2.5, 14.5, 7.5)[at.i % 7] * (34.0 if at.q % 2 else 1.0)


def widest(at: Place) -> float:
    """Return on the first rank the largest numbers of both signs, among others; on other ranks small numbers."""
    most = float(np.finfo(at.dtype).max)
    return (most, 1.0, -most, 0.0, at.draw())[at.i % 5] if at.q == 0 else at.draw()


def level(at: Place) -> float:
    """Return one number a rank, but a far one at every sixth place."""
    return 1000.0 if at.i % 6 == 5 else 0.1 * (1 + at.q)


RECIPES = (
    Recipe("one number a rank, and a few far ones", level, FLOATS),
    Recipe("the largest numbers of both signs", widest, FLOATS),
    Recipe("numbers halfway between two codes", halfway, FLOATS),
)


def length(p: int) -> int:
    """Return a length for chunks of several groups, and of some bytes of codes."""
    return 9 * p + 2 if p < 4 else 3 * p + 1


MORE: tuple[tuple[str, int, int, dict[str, int]], ...] = (("groups of 128 entries, and one of fewer", 2, 270, {}),)


class Group(NamedTuple):
    """A group of a rank's input: all its entries, finite ones, and those that are told by codes, if there are any."""

    whole: Any
    coded: Any


def groups(case: Case) -> Iterator[Group]:
    """Yield all groups of the first step that are coded."""
    g, spikes = case.page.params["g"], case.page.params["spikes"]
    for x in given(case) if case.p > 1 else ():
        for chunk in chunks(case, x):
            for one in (chunk[i : i + g] for i in range(0, len(chunk), g)):
                if np.isfinite(one).all() and not overflows(one):
                    yield Group(one, np.delete(one, [one.argmin(), one.argmax()]) if spikes else one)


def some(holds: Callable[[Any, Any], bool]) -> Callable[[Case], bool]:
    """Return the predicate that ``holds`` is true of some group: of its coded entries and the step of its codes."""

    def found(case: Case) -> bool:
        most = levels(case.page.params["b1"])
        coded = [one.coded for one in groups(case) if one.coded.size]
        return any(holds(x, (x.max() - x.min()) / most) for x in coded)

    return found


def tied(x: Any, step: Any) -> bool:
    """Return whether some entry lies halfway between two codes."""
    with np.errstate(all="ignore"):
        return bool(step > 0 and ((x - x.min()) / step % 1 == 0.5).any())


def twice(case: Case) -> bool:
    """Return whether, with spikes, the least or the greatest entry of some group is there twice."""
    ends = [(one.whole, end) for one in groups(case) for end in (one.whole.min(), one.whole.max())]
    return bool(case.page.params["spikes"]) and any((x == end).sum() > 1 for x, end in ends if x.min() < x.max())


def narrowest(case: Case) -> bool:
    """Return whether, with spikes, some group has no entries but its spikes."""
    return bool(case.page.params["spikes"]) and any(not one.coded.size for one in groups(case))


FLAGS: Mapping[str, Flag] = {
    "HalfwayCode": Flag(
        "coding",
        "Some entry of the first step lies halfway between two codes.",
        "Of both the even one is right; rounding up, or away from zero, differs.",
        some(tied),
    ),
    "LevelGroup": Flag(
        "coding",
        "All entries of some group that are told by codes are equal.",
        "Their step is 0, by which nothing may be divided: all codes are 0.",
        some(lambda x, step: bool(step == 0)),
    ),
    "ShortGroup": Flag(
        "coding",
        "A chunk's last group has fewer entries than the others.",
        "It has a least entry and a step all the same, and its codes come right behind those before.",
        lambda case: any(length > case.page.params["g"] and length % case.page.params["g"] for length in lengths(case)),
    ),
    "PartByte": PART_BYTE,
    "SeveralPlanes": Flag(
        "coding",
        "The bits of a code, of either step, are neither 8, 4, 2 nor 1.",
        "Its lowest bits, of the widest plane, come first; each plane begins with a byte of its own.",
        parameter(lambda params: not {params["b1"], params["b2"]} <= {8, 4, 2, 1}),
    ),
    "TwoWidths": Flag(
        "coding",
        "Codes of the first and of the second step have different widths.",
        "Both steps' messages have other lengths, and other steps between codes.",
        parameter(lambda params: params["b1"] != params["b2"]),
    ),
    "Spikes": Flag(
        "coding",
        "The least and the greatest entry of each group are sent as they are.",
        "Their codes are 0, and their places are told; the others have a range of their own.",
        parameter(lambda params: bool(params["spikes"])),
    ),
    "WidePlaces": Flag(
        "coding",
        "Groups with spikes have more than 256 entries.",
        "The places of spikes take 2 bytes, the lower first.",
        parameter(lambda params: bool(params["spikes"]) and params["g"] > 1 << 8),
    ),
    "TiedSpikes": Flag(
        "coding",
        "With spikes, the least or the greatest entry of some group is there twice.",
        "The first of equal ones is the spike.",
        twice,
    ),
    "OnlySpikes": Flag(
        "coding",
        "With spikes, some group has no other entries.",
        "It has no range: its least entry is told as the least of the others, with a step of 0.",
        narrowest,
    ),
    "RangeOverflow": OVERFLOW,
}
