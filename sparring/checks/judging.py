"""What is wrong with one observed run: property by property, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.checks.examined import NoArray
from sparring.checks.examples import Example
from sparring.checks.places import Observed
from sparring.checks.properties import MESSAGES
from sparring.checks.vectors import Vector, comparable, kind, shown, unequal
from sparring.errors import InputError
from sparring.proofs.core import lists
from sparring.proofs.trace.compare import compare, unknown
from sparring.proofs.trace.events import Trace
from sparring.proofs.trace.links import contended
from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run

Array: TypeAlias = NDArray[Any]
Reference: TypeAlias = tuple[Vector, Array]


def judged(example: Example, seen: Observed, page: Page | None, level: str) -> dict[str, str]:
    """Property -> what is wrong; a property that is not named holds on this example."""
    flaws = dict(seen.flaws)
    flaws |= values(example, seen, page) | disagreement(seen) | changed(example, seen)
    if page is not None and seen.trace is not None and not seen.flaws:
        flaws |= messages(example, seen.trace, page, level)
    return flaws


def values(example: Example, seen: Observed, page: Page | None) -> dict[str, str]:
    """The sum: exact for integers, within the error that any order of addition can make for floats."""
    wanted = references(example.xs, page)
    for call, ys in enumerate(seen.ys):
        for r, (y, reference) in enumerate(zip(ys, wanted)):
            if why := unlike(y, *reference):
                again = f" in call {call + 1} on the same communicator" if call else ""
                return {example.prop: f"rank {r} {why}{again}{located(example, seen, page)}"}
    return {}


def references(xs: Sequence[Any], page: Page | None) -> list[Reference]:
    """For each rank the right result, and how far its entries may lie from it.

    The support of sparse vectors is the page's, else the union of all.
    """
    if not isinstance(xs[0], Sparse):
        return [reference(xs)] * len(xs)
    union = np.unique(np.concatenate([x.indices for x in xs]))
    supports = [y.indices for y in run(page, xs).results] if page else [union] * len(xs)
    return [sparse_reference(xs, x, np.asarray(support)) for x, support in zip(xs, supports)]


def sparse_reference(xs: Sequence[Sparse], mine: Sparse, support: Array) -> Reference:
    """The right sum on that support, where an absent entry adds nothing; of the dtypes of a rank's own vector."""
    table = np.zeros((len(xs), support.size), mine.dtype)
    for row, x in zip(table, xs):
        row[np.searchsorted(support, x.indices)] = x.values
    sums, slack = reference(list(table))
    return mine.having(support.tolist(), sums), slack


def reference(xs: Sequence[Array]) -> tuple[Array, Array]:
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


def unlike(y: Any, wanted: Vector, slack: Array) -> str:
    """What is wrong with a result; empty where nothing is."""
    if isinstance(wanted, Sparse) and isinstance(y, Sparse):
        why = elsewhere(y, wanted)
    elif isinstance(wanted, np.ndarray) and isinstance(y, np.ndarray):
        why = misshapen(y, wanted)
    else:
        why = f"returned {y.what if isinstance(y, NoArray) else type(y).__name__}, not {kind(wanted)}"
    if why:
        return why
    has, right = lists.values(y).astype(np.float64), lists.values(wanted).astype(np.float64)
    with np.errstate(all="ignore"):
        far = ~(np.abs(has - right) <= slack)
    return f"has {shown(y)}, reference {shown(wanted)}" if far.any() else ""


def misshapen(y: Array, wanted: Array) -> str:
    """Whether an array has another shape or dtype."""
    if y.shape != wanted.shape or y.dtype != wanted.dtype:
        return f"returned {y.dtype} of shape {y.shape}, not {kind(wanted)}"
    return ""


def elsewhere(y: Sparse, wanted: Sparse) -> str:
    """Whether a sparse vector is none, or has other dtypes, another length or another support."""
    if kind(y) != kind(wanted):
        return f"returned {kind(y)}, not {kind(wanted)}"
    try:
        Sparse(y.indices, y.values, y.n)
    except InputError as error:
        return f"returned {shown(y)}: {str(error).rstrip('.')}"
    odd = np.setxor1d(y.indices, wanted.indices)
    if not odd.size:
        return ""
    i = int(odd[0])
    more, less = ("an entry", "nothing") if i in y.indices else ("nothing", "an entry")
    return f"has {more} at index {i}, the reference {less}: {shown(y)}, reference {shown(wanted)}"


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
            if comparable(y, ys[0]) and (odd := unequal(y, ys[0])):
                return {"agreement": f"{odd[0]} is {odd[1]} on rank {r} and {odd[2]} on rank 0"}
    return {}


def changed(example: Example, seen: Observed) -> dict[str, str]:
    """An input that is not as it was."""
    for r, (x, after) in enumerate(zip(example.xs, seen.inputs)):
        if not comparable(after, x) or unequal(after, x):
            return {"input untouched": f"rank {r}'s input was {shown(x)} and is {shown(after)} after the call"}
    return {}


def unstable(first: Observed, second: Observed) -> dict[str, str]:
    """Two runs on the same inputs that end with different bits."""
    for once in first.ys:
        for again in second.ys:
            for r, (a, b) in enumerate(zip(once, again)):
                if comparable(a, b) and (odd := unequal(a, b)):
                    return {"reproducibility": f"rank {r} {odd[0]} is {odd[1]}, called again {odd[2]}"}
    return {}


def messages(example: Example, trace: Trace, page: Page, level: str) -> Mapping[str, str]:
    """How what was sent differs from what the page sends."""
    flaws: dict[str, object] = {prop: compare(page, example.xs, trace, prop) for prop in ("steps", "volume")}
    flaws["contention"] = contended(page, trace)
    return {prop: str(wrong) for prop, wrong in flaws.items() if wrong and prop in MESSAGES[level]}


def unread(example: Example, seen: Observed, page: Page | None) -> bool:
    """Whether lists were sent in a form that is not known here."""
    return page is not None and page.sparse and seen.trace is not None and unknown(page, example.xs, seen.trace)
