"""Compares what a run ends with with the page's bits, call after call: results, what is selected and what is kept.

Which entries a stateful page sends depends on the last bits of what it kept, so no bit may be another.  Of what is
selected all results and residuals make up all that was put in, whatever the page says.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.page_runs import runs
from sparring.proofs.reading.annotations import companion
from sparring.refinement import vectors
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.refinement.playing import RESIDUAL
from sparring.refinement.rounding import gamma
from sparring.refinement.vectors import called, kind, misshapen, shown, unlike, unsound
from sparring.sparse import INDICES, Sparse
from sparring.sparse_lists import made
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run
from sparring.spec.core.sparse import SparseVector

HIDDEN = (
    "after a call rank {} shows no residual, an array as its attribute 'residual': "
    "what it keeps was judged by later results alone"
)
UNSET = np.zeros(0, np.bool_)
"""What a page shows where a target has None."""
FUNCTION = "a function keeps nothing from call to call: what it leaves out is lost"


class Done(NamedTuple):
    """What a rank has after a call by the page: its result, and by name what it shows of what it keeps."""

    result: Any
    kept: Mapping[str, Any]


def expected(page: Page, xs: Sequence[Any], calls: Iterable[Run] | None = None) -> Iterator[list[Done]]:
    """Yield what the page makes of each call, by rank; ``calls``: the page's runs, where they are known already."""
    dtype, names = xs[0].dtype, remembered(page).items() if page.stateful and page.dense else ()
    for ran in runs(page, xs) if calls is None else calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that infinities cancel to NaN is no surprise here
            ys = [made(y, dtype) if isinstance(y, SparseVector) else y for y in ran.results]
            kept = [{name: as_array(right(ran.state, r), dtype) for name, right in names} for r in range(len(xs))]
            if page.selecting:
                kept = [{"residual": made(left, dtype).dense()} for left in ran.residuals]
        yield [Done(*one) for one in zip(ys, kept)]


def remembered(page: Page) -> Mapping[str, Callable[[Any, int], Any]]:
    """Return what a class shows of what it remembers: attributes, and what rank ``r`` has there by the page's state."""
    found: Mapping[str, Callable[[Any, int], Any]] = getattr(companion(page), "shown", {})
    return found


def visible(page: Page) -> Sequence[str]:
    """Return the attributes in which a class shows what it keeps."""
    return (*remembered(page),) if page.dense else RESIDUAL


def as_array(kept: Any, dtype: np.dtype[Any]) -> Any:
    """Return what is kept, with the vectors' dtype where it is a list; None stays so."""
    return np.array(kept, dtype) if isinstance(kept, list) else kept


def judge_bits(
    page: Page, example: Example, seen: Observed, calls: Iterable[Run] | None = None, *, strict: bool = False
) -> dict[str, str]:
    """Return property -> what is wrong, for the first call with a flaw.

    With ``strict`` a class must show all that the page does, with the same bits; else residuals alone are compared, up
    to the sign of zeros, where they are shown, and indices may have either width.
    """
    wanted = list(expected(page, example.xs, calls)) if seen.ys else []
    if strict and len(seen.ys) != len(wanted):
        return {example.prop: f"there are results of {len(seen.ys)} calls, the page has {len(wanted)}"}
    for i in range(len(seen.ys)):
        if flaws := in_call(page, example, seen, i, wanted[i % len(wanted)], strict=strict):
            return {prop: f"{when(example, i)}{why}" for prop, why in flaws.items()}
    return {}


def in_call(
    page: Page, example: Example, seen: Observed, i: int, wanted: Sequence[Done], *, strict: bool
) -> dict[str, str]:
    """Return property -> what is wrong in call ``i``, if the calls before it are right."""
    flaws: dict[str, str] = {}
    kept, looked = seen.kept[i] if seen.kept else [{}] * example.p, seen.kept and (strict or page.selecting)
    for r, (y, has, right) in enumerate(zip(seen.ys[i] if strict else map(widened, seen.ys[i]), kept, wanted)):
        if why := unlike(y, right.result) or next(unkept(has, right.kept if looked else {}, strict=strict), ""):
            flaws.setdefault(example.prop, f"rank {r} {why}")
        if page.selecting and (why := otherwise(y, right.result)):
            flaws.setdefault("selection", f"rank {r} {why}")
    if page.selecting and not unshown(seen) and not unsound(widened(seen.ys[i][0]), wanted[0].result):
        lost = unbalanced(example, seen, i)
        flaws |= {"conservation": lost} if lost else {}
    return flaws


def unshown(seen: Observed) -> str:
    """Say why the residuals of ranks are not visible; "" if all ranks show them."""
    if seen.ys and not seen.kept:
        return FUNCTION
    hidden = [r for kept in seen.kept for r, one in enumerate(kept) if not isinstance(one["residual"], np.ndarray)]
    return HIDDEN.format(min(hidden)) if hidden else ""


def when(example: Example, i: int) -> str:
    """Say which call ``i`` is; "" if there is only one."""
    again, call = divmod(i, len(example.calls))
    if again:
        return f"in call {call + 1}, begun anew on the same communicator, "
    return f"in call {call + 1} " if len(example.calls) > 1 else ""


def widened(y: Any) -> Any:
    """Return a sparse vector with its indices as int64, since they may be of either width; anything else as it is."""
    fits = isinstance(y, Sparse) and y.indices.dtype in INDICES
    return Sparse.made(y.indices.astype(np.int64), y.values, y.n) if fits else y


def unkept(kept: Mapping[str, Any], wanted: Mapping[str, Any], *, strict: bool) -> Iterator[str]:
    """Yield what is wrong with what a rank shows of what it keeps, the reference's by name in ``wanted``."""
    for name, right in wanted.items():
        has = kept.get(name)
        if right is None or not (strict or isinstance(has, np.ndarray)):
            continue
        has = UNSET if has is None else has
        if not isinstance(has, np.ndarray):
            yield f"keeps {called(has)} as its {name}, not {kind(right)}"
        elif misshapen(has, right):
            yield f"keeps a {name} of {has.dtype} and shape {has.shape}, not {kind(right)}"
        else:
            zero = right.dtype.type(0)
            same = vectors.difference(*((has, right) if strict else (has + zero, right + zero)))
            if same is not None:
                yield f"keeps the {name} {shown(has)}, the reference {shown(right)}"


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
    left = [one["residual"] for one in seen.kept[i]]
    if any(misshapen(x, given[0]) for x in left):
        return ""
    results = np.stack([ys[0].dense() for ys in seen.ys[i - call : i + 1]])
    residuals = np.stack(left)
    off = missing(given, np.concatenate([results, residuals]))
    if off is None:
        return ""
    put, out, over = (part[:, off].sum() for part in (given, results, residuals))
    return f"at index {off}: {put} was put in, the results have {out}, the residuals {over}"


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
