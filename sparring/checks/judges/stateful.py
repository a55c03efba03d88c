"""Judges a run of a stateful target, call after call: results, what was selected, residuals.

Its results have the page's bits, since which entries are sent depends on the last of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.checks.examples.drawn import Example
from sparring.checks.judges.sums import elsewhere, misshapen, unsound
from sparring.checks.places import Observed
from sparring.checks.ranks.vectors import kind, shown, unequal
from sparring.refinement import stateful
from sparring.refinement.comparison import difference
from sparring.refinement.rounding import gamma
from sparring.sparse import INDICES, Sparse
from sparring.spec.core.model import Page

HIDDEN = (
    "after a call rank {} shows no residual, an array as its attribute 'residual': "
    "what it keeps was judged by later results alone"
)
FUNCTION = "a function keeps nothing from call to call: what it leaves out is lost"


def judge_calls(example: Example, seen: Observed, page: Page) -> dict[str, str]:
    """Return property -> what is wrong, for the first call with a flaw."""
    wanted = list(stateful.expected(page, example.xs))
    for i in range(len(seen.ys)):
        if flaws := in_call(example, seen, i, wanted[i % len(wanted)]):
            return {prop: f"{when(example, i)}{why}" for prop, why in flaws.items()}
    return {}


def in_call(example: Example, seen: Observed, i: int, wanted: Sequence[stateful.Done]) -> dict[str, str]:
    """Return property -> what is wrong in call ``i``, if the calls before it are right."""
    flaws: dict[str, str] = {}
    residuals = seen.residuals[i] if seen.residuals else [None] * example.p
    for r, (y, residual, right) in enumerate(zip(seen.ys[i], residuals, wanted)):
        result = unlike(y, right.result) or unkept(residual, right.residual)
        for prop, why in ((example.prop, result), ("selection", otherwise(y, right.result))):
            if why:
                flaws.setdefault(prop, f"rank {r} {why}")
    if not unseen(seen) and not unsound(widened(seen.ys[i][0]), wanted[0].result):
        lost = unbalanced(example, seen, i)
        flaws |= {"conservation": lost} if lost else {}
    return flaws


def unseen(seen: Observed) -> dict[str, str]:
    """Return property -> why a run that came to its end tells nothing about it."""
    if seen.ys and not seen.residuals:
        return {"conservation": FUNCTION}
    hidden = [r for left in seen.residuals for r, x in enumerate(left) if not isinstance(x, np.ndarray)]
    return {"conservation": HIDDEN.format(min(hidden))} if hidden else {}


def when(example: Example, i: int) -> str:
    """Say which call ``i`` is; "" if there is only one."""
    again, call = divmod(i, len(example.calls))
    if again:
        return f"in call {call + 1}, begun anew on the same communicator, "
    return f"in call {call + 1} " if len(example.calls) > 1 else ""


def unlike(y: Any, wanted: Sparse) -> str:
    """Say what is wrong with a result; "" if nothing is."""
    y = widened(y)
    if why := elsewhere(y, wanted):
        return why
    return f"has {shown(y)}, reference {shown(wanted)}" if unequal(y, wanted) else ""


def widened(y: Any) -> Any:
    """Return a sparse vector with its indices as int64, since they may be of either width; anything else as it is."""
    fits = isinstance(y, Sparse) and y.indices.dtype in INDICES
    return Sparse.made(y.indices.astype(np.int64), y.values, y.n) if fits else y


def unkept(residual: Any, wanted: NDArray[Any]) -> str:
    """Say what is wrong with a residual, if one is shown; a zero may have either sign, which no result shows."""
    if not isinstance(residual, np.ndarray):
        return ""
    if misshapen(residual, wanted):
        return f"keeps a residual of {residual.dtype} and shape {residual.shape}, not {kind(wanted)}"
    zero = wanted.dtype.type(0)
    same = difference(residual + zero, wanted + zero) is None
    return "" if same else f"keeps the residual {shown(residual)}, the reference {shown(wanted)}"


def otherwise(y: Any, wanted: Sparse) -> str:
    """Name an entry that the target selected and the page does not, or the other way round; "" if none."""
    if not isinstance(y, Sparse):
        return ""
    more, less = besides(y, wanted), besides(wanted, y)
    if more and less:
        return f"keeps {more}, the page {less}"
    if more:
        return f"keeps {more}, the page nothing there"
    return f"does not keep {less}, the page does" if less else ""


def besides(x: Sparse, other: Sparse) -> str:
    """Name the first entry of ``x`` that ``other`` does not have; "" if there is none."""
    odd = np.flatnonzero(~np.isin(x.indices, other.indices))[:1]
    return "".join(f"index {x.indices[i]} with {x.values[i]}" for i in odd)


def unbalanced(example: Example, seen: Observed, i: int) -> str:
    """Name the first index at which results so far and residuals do not add up to the inputs; "" if there is none."""
    call = i % len(example.calls)
    given = np.concatenate(list(example.rows[:, : call + 1]))
    if any(misshapen(x, given[0]) for x in seen.residuals[i]):
        return ""
    results = np.stack([ys[0].dense() for ys in seen.ys[i - call : i + 1]])
    residuals = np.stack(seen.residuals[i])
    off = missing(given, np.concatenate([results, residuals]))
    if off is None:
        return ""
    put, out, left = (part[:, off].sum() for part in (given, results, residuals))
    return f"at index {off}: {put} was put in, the results have {out}, the residuals {left}"


def missing(given: NDArray[Any], found: NDArray[Any]) -> int | None:
    """Return the first index at which the rows of ``found`` do not add up to those of ``given``; None if all do.

    Integers add up exactly, and wrap; floats up to what any order of addition can lose.  Entries that
    may overflow, or were no finite numbers from the beginning, are not compared.
    """
    if given.dtype.kind == "i":
        wrong = given.sum(axis=0, dtype=given.dtype) != found.sum(axis=0, dtype=given.dtype)
        return first(wrong)
    weight = np.abs(given.astype(np.float64)).sum(axis=0)
    weighed = weight < np.finfo(given.dtype).max
    sound = weighed & np.isfinite(found).all(axis=0)
    both = np.where(sound, np.concatenate([given, -found]).astype(np.float64), 0)
    off = np.array([abs(math.fsum(column)) for column in both.T.tolist()])
    far = off > gamma(len(given) - 1, given.dtype) * np.where(weighed, weight, 0)
    return first((weighed & ~sound) | (sound & far))


def first(wrong: NDArray[np.bool_]) -> int | None:
    """Return the first index at which something is wrong; None if nothing is."""
    return int(np.argmax(wrong)) if wrong.any() else None
