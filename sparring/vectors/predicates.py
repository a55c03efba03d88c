"""Finds what is remarkable about a test in what it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from sparring.spec.core.model import bound
from sparring.spec.core.schedule import number, truth
from sparring.vectors.recording import Call, Case, Sent

Holds = Callable[[Case], bool]


class Entry(NamedTuple):
    """An entry of a result: the contributions of the ranks that have it, in their order, and the result."""

    xs: list[Any]
    y: Any
    dtype: np.dtype[Any]


LOST = Fraction(1, 2**20)
"""What is left of the largest contribution, at most, where they cancel."""


def floats(found: Callable[[Entry], bool]) -> Holds:
    """Return the predicate that a test has floats, and ``found`` holds for some entry of some result."""
    return lambda case: case.dtype.kind == "f" and some(found, case)


def integers(found: Callable[[Entry], bool]) -> Holds:
    """Return the predicate that a test has integers, and ``found`` holds for some entry of some result."""
    return lambda case: case.dtype.kind == "i" and some(found, case)


def some(found: Callable[[Entry], bool], case: Case) -> bool:
    return any(found(Entry(xs, y, case.dtype)) for call in case.calls for xs, y in call.sums)


def calls(found: Callable[[Call], bool]) -> Holds:
    """Return the predicate that ``found`` holds for some call of a test."""
    return lambda case: any(map(found, case.calls))


def uneven(case: Case) -> bool:
    return case.n % number(case.page.chunks(case.p)) > 0


def ordered(e: Entry) -> bool:
    """Return whether the sum of the contributions from first to last differs from that from last to first."""
    typed = [e.dtype.type(x) for x in e.xs]
    with np.errstate(all="ignore"):
        return bool(e.xs) and not math.isnan(e.y) and reduce(add, typed) != reduce(add, typed[::-1])


def cancels(e: Entry) -> bool:
    if not all(map(math.isfinite, e.xs)):
        return False
    exact = [Fraction(x) for x in e.xs]
    return abs(sum(exact, Fraction())) < LOST * max(map(abs, exact), default=Fraction())


def subnormal(e: Entry) -> bool:
    return bool(0 < abs(e.y) < np.finfo(e.dtype).tiny)


def negative_zeros(e: Entry) -> bool:
    return bool(e.xs) and all(x == 0 and math.copysign(1, x) < 0 for x in e.xs)


def infinite(e: Entry) -> bool:
    return any(map(math.isinf, e.xs))


def no_number(e: Entry) -> bool:
    return math.isnan(e.y)


def overflows(e: Entry) -> bool:
    return math.isinf(e.y) and all(map(math.isfinite, e.xs))


def wraps(e: Entry) -> bool:
    return not np.iinfo(e.dtype).min <= sum(e.xs) <= np.iinfo(e.dtype).max


def rank_without(call: Call) -> bool:
    return call.xs[0].n > 0 and not all(call.supports)


def fills_in(call: Call) -> bool:
    return len(call.result) > max(map(len, call.supports))


def same(call: Call) -> bool:
    return len(call.supports) > 1 and bool(call.supports[0]) and all(one == call.supports[0] for one in call.supports)


def stays_zero(call: Call) -> bool:
    """Return whether the sum is zero where some rank has an entry."""
    zeros = call.result.indices[call.result.values == 0]
    return not set().union(*call.supports).isdisjoint(zeros.tolist())


def full(call: Call) -> bool:
    """Return whether the sum has an entry where no rank has one."""
    return len(call.result) > len(set().union(*call.supports))


def ties(case: Case) -> bool:
    """Return whether, in a step that adds, a rank sends an entry of a chunk and leaves another of its magnitude."""
    return any(
        not magnitudes(m.content.values).isdisjoint(magnitudes(left(case, call, m)))
        for call in case.calls
        for t, wire in enumerate(call.wires)
        if truth(case.page.adds(t, case.p))
        for m in wire
    )


def left(case: Case, call: Call, message: Sent) -> Any:
    """Return what the sender of a message did not send of its chunks."""
    chunks = number(case.page.chunks(case.p))
    first = message.chunks.start
    start, end = (number(bound(c, case.n, chunks)) for c in (first, first + len(message.chunks)))
    return call.residuals[message.src][start:end]


def magnitudes(values: Iterable[Any]) -> set[float]:
    """Return the magnitudes of the values that are not zero."""
    return {abs(float(v)) for v in values if v != 0}


def nan_first(case: Case) -> bool:
    """Return whether in some call the result has a NaN, and a number that is not zero was left."""
    nan = [case.dtype.kind == "f" and np.isnan(call.result.values).any() for call in case.calls]
    return any(nan[i] and remains(call) for i, call in enumerate(case.calls))


def carries(case: Case) -> bool:
    """Return whether a call after the first begins with a residual that is not zero."""
    return any(map(remains, case.calls[:-1]))


def remains(call: Call) -> bool:
    return any((x != 0).any() for x in call.residuals)


def kept(case: Case) -> int:
    """Return the parameter ``k``."""
    return int(case.page.params["k"])


def rounds(p: int) -> int:
    """Return the number of rounds of an allgather."""
    return (p - 1).bit_length()


def anew(case: Case, i: int) -> bool:
    """Return whether Ok-Topk's call ``i``, from 0 on, finds thresholds anew."""
    return i % int(case.page.params["tau_prime"]) == 0


def dealt(case: Case) -> bool:
    """Return whether some call has a step beyond its turns and allgathers, with messages in it."""
    turns = -(-(case.p - 1) // int(case.page.params["bucket"]))
    for i, call in enumerate(case.calls):
        before = turns + anew(case, i) * rounds(case.p)
        if len(call.wires) > before + rounds(case.p) and call.wires[before]:
            return True
    return False


def older(case: Case) -> bool:
    """Return whether some later call keeps its thresholds, and sends something."""
    return any(
        not anew(case, i) and any(m.entries for wire in call.wires for m in wire) for i, call in enumerate(case.calls)
    )


def followed(case: Case) -> bool:
    """Return whether the result before some call that keeps its thresholds has far more or fewer than ``k`` entries."""
    k, found = kept(case), [len(call.result.indices) for call in case.calls]
    later = [m for i, m in enumerate(found[:-1], start=1) if not anew(case, i)]
    return case.page.params["gain"] > 0 and any(3 * m > 4 * k or 3 * m < 2 * k for m in later)


def more_than_k(case: Case) -> bool:
    """Return whether in the first call some rank's k-th largest magnitude is not 0, and the next one is the same."""
    k = kept(case)
    return any(
        0 < k < len(sizes) and sizes[k - 1] == sizes[k] > 0
        for sizes in (
            sorted((abs(v) for v in map(float, x) if not math.isnan(v)), reverse=True) for x in case.calls[0].xs
        )
    )
