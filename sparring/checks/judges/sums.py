"""Judges the sum that a target returns: exact for integers, within an error's bound for floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring import sparse_lists
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.refinement.rounding import Array, reference
from sparring.refinement.vectors import SHOWN, Vector, elsewhere, misshapen, shown
from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run

Reference: TypeAlias = tuple[Vector, Array]


LAST: list[Any] = []
"""The last arguments of :func:`references`, and what it returned: the second run of an example asks for the same."""


def judge_sums(example: Example, seen: Observed, page: Page | None, *, mean: bool = False) -> dict[str, str]:
    """Return the property that a wrong sum falsifies -> the first wrong sum."""
    wanted = references(example.xs, page, seen.roundings, mean=mean)
    for call, ys in enumerate(seen.ys):
        for r, (y, right) in enumerate(zip(ys, wanted)):
            if why := unlike(y, *right):
                again = f" in call {call + 1} on the same communicator" if call else ""
                return {example.prop: f"rank {r} {why}{again}"}
    return {}


def references(xs: Sequence[Any], page: Page | None, roundings: int = 0, *, mean: bool = False) -> list[Reference]:
    """Return the right result of each rank, and how far a result's entries may be from it.

    The support of sparse vectors is the union of all, and what the page has besides: one that loses entries is wrong.
    """
    asked = xs, page, roundings, mean
    if not LAST or not all(a is b for a, b in zip(LAST[0], asked)):
        LAST[:] = asked, summed(*asked)
    found: list[Reference] = LAST[1]
    return found


def summed(xs: Sequence[Any], page: Page | None, roundings: int, mean: bool) -> list[Reference]:
    """Compute what :func:`references` returns."""
    if not isinstance(xs[0], Sparse):
        return [reference(xs, roundings, mean=mean)] * len(xs)
    union = np.unique(np.concatenate([x.indices for x in xs]))
    own = [np.asarray(y.indices, union.dtype) for y in run(page, xs).results] if page else [union] * len(xs)
    return [sparse_reference(xs, x, np.union1d(union, support)) for x, support in zip(xs, own)]


def sparse_reference(xs: Sequence[Sparse], mine: Sparse, support: Array) -> Reference:
    """Return the right sum on ``support``, where an absent entry adds nothing, in the dtypes of ``mine``."""
    table = np.zeros((len(xs), support.size), mine.dtype)
    for row, x in zip(table, xs):
        row[np.searchsorted(support, x.indices)] = x.values
    sums, slack = reference(list(table))
    return mine.having(support.tolist(), sums), slack


def unlike(y: Any, wanted: Vector, slack: Array) -> str:
    """Say what is wrong with a result; "" if nothing is."""
    if why := elsewhere(y, wanted) if isinstance(wanted, Sparse) else misshapen(y, wanted):
        return why
    far = distant(sparse_lists.values(y), sparse_lists.values(wanted), slack)
    if not isinstance(wanted, Sparse):  # only negative zeros add up to -0.0; a sum that begins with 0.0 never is
        far |= (slack == 0) & (wanted == 0) & (np.signbit(y) > np.signbit(wanted))
    return different(y, wanted, int(np.argmax(far))) if far.any() else ""


def distant(has: Array, right: Array, slack: Array) -> NDArray[np.bool_]:
    """Return where a sum is further from the right one than its slack; integers and non-finite values have none."""
    same = (has == right) | ((has != has) & (right != right))  # noqa: PLR0124  # NaN alone is not equal to itself
    with np.errstate(all="ignore"):
        near = np.abs(has.astype(np.float64) - right.astype(np.float64)) <= slack
    far: NDArray[np.bool_] = ~(same if has.dtype.kind == "i" else same | near)
    return far


def different(y: Any, wanted: Vector, i: int) -> str:
    """Say what a result has and what it should have; of long vectors only entry ``i``."""
    if len(sparse_lists.values(wanted)) <= SHOWN:
        return f"has {shown(y)}, reference {shown(wanted)}"
    return f"has {sparse_lists.values(y)[i]} at entry {i}, reference {sparse_lists.values(wanted)[i]}"
