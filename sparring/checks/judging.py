"""What is wrong with one observed run: property by property, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sparring.checks.examined import NoArray
from sparring.checks.examples import Example, Vector
from sparring.checks.places import Observed
from sparring.checks.properties import MESSAGES
from sparring.proofs.core.refinement import difference
from sparring.proofs.trace.compare import compare
from sparring.proofs.trace.events import Trace
from sparring.proofs.trace.links import contended
from sparring.spec.core.model import Page


def judged(example: Example, seen: Observed, page: Page | None, level: str) -> dict[str, str]:
    """Property -> what is wrong; a property that is not named holds on this example."""
    flaws = dict(seen.flaws)
    flaws |= values(example, seen, page) | disagreement(seen) | changed(example, seen)
    if page is not None and seen.trace is not None and not seen.flaws:
        flaws |= messages(example, seen.trace, page, level)
    return flaws


def values(example: Example, seen: Observed, page: Page | None) -> dict[str, str]:
    """The sum: exact for integers, within the error that any order of addition can make for floats."""
    wanted, slack = reference(example.xs)
    for call, ys in enumerate(seen.ys):
        for r, y in enumerate(ys):
            if why := unlike(y, wanted, slack):
                again = f" in call {call + 1} on the same communicator" if call else ""
                return {example.prop: f"rank {r} {why}{again}{located(example, seen, page)}"}
    return {}


def reference(xs: Sequence[Vector]) -> tuple[Vector, Vector]:
    """The exact sum, rounded once, and how far a sum in any order may lie from it.

    The bound is Higham's gamma_{p-1} sum |x| (Accuracy and Stability of Numerical Algorithms, 2nd
    ed., eq. 4.4), plus half a unit for the rounding of the reference; 0 for integers, which wrap.
    """
    table = np.stack(xs)
    if table.dtype.kind == "i":
        return table.sum(axis=0, dtype=table.dtype), np.zeros(table.shape[1])
    columns = table.astype(np.float64).T.tolist()
    exact = np.array([math.fsum(column) for column in columns], np.float64)
    unit = float(np.finfo(str(table.dtype)).eps) / 2
    terms = len(xs) - 1
    gamma = terms * unit / (1 - terms * unit)
    return exact.astype(table.dtype), gamma * np.abs(table.astype(np.float64)).sum(axis=0) + unit * np.abs(exact)


def unlike(y: Any, wanted: Vector, slack: Vector) -> str:
    """What is wrong with a result; empty where nothing is."""
    if not isinstance(y, np.ndarray):
        what = y.what if isinstance(y, NoArray) else type(y).__name__
        return f"returned {what}, not {wanted.size} entries of {wanted.dtype}"
    if y.shape != wanted.shape or y.dtype != wanted.dtype:
        return f"returned {y.dtype} of shape {y.shape}, not {wanted.size} entries of {wanted.dtype}"
    with np.errstate(all="ignore"):
        far = ~(np.abs(y.astype(np.float64) - wanted.astype(np.float64)) <= slack)
    return f"has {shown(y)}, reference {shown(wanted)}" if far.any() else ""


def shown(x: Vector) -> str:
    """A vector in few characters."""
    return np.array2string(x, threshold=12, edgeitems=4, max_line_width=10_000, precision=17, floatmode="unique")


def located(example: Example, seen: Observed, page: Page | None) -> str:
    """Where the run first left the page, if it is known."""
    if page is None or seen.trace is None:
        return ""
    first = compare(page, example.xs, seen.trace, "steps")
    if first is None:
        return ""
    place = f"step {first.step}" + ("" if first.chunk is None else f", chunk {first.chunk}")
    at = f" at {first.where}" if first.where else ""
    return f"; first difference {place}, sent by rank {first.src}{at}"


def disagreement(seen: Observed) -> dict[str, str]:
    """Two ranks with different bits."""
    for ys in seen.ys:
        for r, y in enumerate(ys[1:], start=1):
            if both_vectors(y, ys[0]) and (i := difference(y, ys[0])) is not None:
                return {"agreement": f"entry {i} is {bits(y, i)} on rank {r} and {bits(ys[0], i)} on rank 0"}
    return {}


def both_vectors(a: Any, b: Any) -> bool:
    """Whether two results can be compared entry by entry; where not, another property says so."""
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and (a.shape, a.dtype) == (b.shape, b.dtype)


def bits(y: Vector, i: int) -> str:
    """An entry so that two that differ in the last bit read differently."""
    value = y[i].item()
    return value.hex() if isinstance(value, float) else str(value)


def changed(example: Example, seen: Observed) -> dict[str, str]:
    """An input that is not as it was."""
    for r, (x, after) in enumerate(zip(example.xs, seen.inputs)):
        if difference(after, x) is not None:
            return {"input untouched": f"rank {r}'s input was {shown(x)} and is {shown(after)} after the call"}
    return {}


def unstable(first: Observed, second: Observed) -> dict[str, str]:
    """Two runs on the same inputs that end with different bits."""
    for once in first.ys:
        for again in second.ys:
            for r, (a, b) in enumerate(zip(once, again)):
                if both_vectors(a, b) and (i := difference(a, b)) is not None:
                    return {"reproducibility": f"rank {r} entry {i} is {bits(a, i)}, called again {bits(b, i)}"}
    return {}


def messages(example: Example, trace: Trace, page: Page, level: str) -> Mapping[str, str]:
    """How what was sent differs from what the page sends."""
    flaws: dict[str, object] = {prop: compare(page, example.xs, trace, prop) for prop in ("steps", "volume")}
    flaws["contention"] = contended(page, trace)
    return {prop: str(wrong) for prop, wrong in flaws.items() if wrong and prop in MESSAGES[level]}
