"""Flags for tests of compositions on whole vectors, whichever it is, and parts of such flags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.refinement.vectors import difference
from sparring.spec.core.model import Page, bound
from sparring.spec.core.schedule import number
from sparring.vectors.dense.recording import Call, Case
from sparring.vectors.flag import Flag


def given(case: Case) -> Iterator[NDArray[Any]]:
    """Yield all vectors of all calls."""
    return (x for call in case.calls for x in call.xs)


def entry(holds: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> Callable[[Case], bool]:
    """Return the predicate that ``holds`` is true of some entry of an input."""
    return lambda case: any(bool(holds(x).any()) for x in given(case))


def parameter(holds: Callable[[Mapping[str, Any]], bool]) -> Callable[[Case], bool]:
    """Return the predicate that ``holds`` is true of the parameters."""
    return lambda case: holds(case.page.params)


def chunks(case: Case, x: Any) -> list[Any]:
    """Return a vector's chunks."""
    return [x[a:b] for a, b in pairwise(number(bound(c, case.n, case.p)) for c in range(case.p + 1))]


def lengths(case: Case) -> list[int]:
    """Return the lengths of a vector's chunks that have entries."""
    return [len(one) for one in chunks(case, range(case.n)) if len(one)]


def poisoned(call: Call) -> bool:
    """Return whether some result has a NaN."""
    return any(bool(np.isnan(y).any()) for y in call.results)


def overflows(x: NDArray[Any]) -> bool:
    """Return whether all entries are finite, and the greatest less the least is infinite."""
    with np.errstate(over="ignore"):
        return bool(x.size) and bool(np.isfinite(x).all() and np.isinf(x.max() - x.min()))


def differ(call: Call) -> bool:
    """Return whether some rank ends with other bits than the first."""
    return any(difference(y, call.results[0]) is not None for y in call.results)


def ragged(case: Case) -> bool:
    """Return whether the length of some chunk is no multiple of eight."""
    return any(length % 8 for length in lengths(case))


def stateful(page: Page) -> bool:
    """Return whether the page is a program that keeps state."""
    return page.dense and page.stateful


def disagreeing(page: Page) -> bool:
    """Return whether the page is a program after which ranks may have different results."""
    return page.dense and not page.agrees


COMMON: Mapping[str, Flag] = {
    "OneRank": Flag(
        "edge",
        "There is one rank.",
        "It sends nothing; whether its result is made of codes all the same is for each algorithm to say.",
        lambda case: case.p == 1,
    ),
    "SubnormalInput": Flag(
        "arithmetic",
        "Some entry of an input is not zero, and smaller than the smallest normal number.",
        "Arithmetic that flushes subnormal numbers to zero makes other codes and other sums of it.",
        entry(lambda x: (x != 0) & (abs(x) < np.finfo(x.dtype).tiny)),
    ),
    "NegativeZero": Flag(
        "arithmetic",
        "Some entry of an input is -0.0.",
        "It is equal to +0.0, but has another sign bit: what asks for that bit codes it otherwise.",
        entry(lambda x: (x == 0) & np.signbit(x)),
    ),
    "NotFinite": Flag(
        "arithmetic",
        "Some entry of an input is NaN or infinite.",
        "What becomes of it, and of what shares a group, a scale or a grid with it, is defined; sorting, rounding and "
        "comparing are not safe with it.",
        entry(lambda x: ~np.isfinite(x)),
    ),
    "AfterNaN": Flag(
        "memory",
        "A call comes after one whose result has a NaN.",
        "What is kept may be NaN from then on, or begin anew; which of both is defined.",
        lambda case: any(map(poisoned, case.calls[:-1])),
        stateful,
    ),
    "RanksDiffer": Flag(
        "faults",
        "Some rank ends with other bits than the first.",
        "Each rank's result is its own; to hand out one rank's is wrong.",
        lambda case: any(map(differ, case.calls)),
        disagreeing,
    ),
}


PART_BYTE = Flag(
    "coding",
    "Of some chunk codes of one bit do not fill their last byte.",
    "In a byte the first code has the lowest bits; what is left of the last byte is zero.",
    ragged,
)
OVERFLOW = Flag(
    "coding",
    "Of finite numbers that share a range the greatest less the least is infinite.",
    "There are no steps in such a range: all that shares it is read as NaN.",
    lambda case: any(map(overflows, given(case))),
)
