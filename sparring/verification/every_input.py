"""``selection``: code that selects entries by value, judged for every input of a few small sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sparring.checks.examples.series import KEPT
from sparring.checks.ranks.target import absolute, importable_name
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import proved_up_to, tested
from sparring.ranges import spans
from sparring.report import Report, Result
from sparring.spec.core import pages
from sparring.spec.core.local_selection import concerning
from sparring.spec.core.model import Page
from sparring.symbolic_execution.judging import BUDGET, judge_all
from sparring.symbolic_execution.runs import Shape, Subject

RANKS, SIZE, KEEP, CALLS = (1, 2, 3), 4, 2, 2
"""What is exhausted unless something else is asked for."""
WHOLE = 2
"""The size where vectors stay whole: then each selection looks at all entries, and there are far more cells."""


def selection(
    target: Any,
    page: str | Page | None = None,
    *,
    ranks: Iterable[int] = RANKS,
    n: int = SIZE,
    k: int | None = KEEP,
    calls: int = CALLS,
    selectors: Sequence[str] = (),
    budget: int = BUDGET,
    **params: Any,
) -> Report:
    """Judge code that selects entries by value: for every real input of these sizes, equal magnitudes included.

    The code runs on exact linear forms of the inputs.  Where it compares or sorts, every outcome that
    some input has is tried; inputs with the same outcomes are a *cell*.  A refutation is an input, of
    small whole numbers where there are such, that shows it when run.

    Parameters
    ----------
    target : a class ``T(comm, n, k=..., **params)`` with ``t(x) -> y`` and, where what is not sent
        waits for the next call, an attribute ``residual``; or a function ``f(comm, x, k=..., **params)``.
        By name, ``"pkg.mod:name"`` or ``"file.py:name"``, or itself.
    page : the algorithm that it is said to be: results and residuals are compared with its own.
        Without one, all ranks must have one result, and it and the residuals all that was put in.
    ranks : the numbers of ranks.
    n, k, calls : the most entries and kept entries, all from 0 on, and the number of calls, one after
        the other; ``k=None`` where the target takes none.
    selectors : names of functions in the target's module whose answers depend on their arguments
        alone.  Each is explored by itself, once, and a run forks for each of its answers, and not
        for each comparison.
    budget : cells in all; where there are more the verdict is *undecided*.
    params : passed to the target; those that the page has, to it too.

    Raises
    ------
    InputError : an argument is not as above.  What the target does wrong is never raised.

    >>> report = selection("sparring.impl.ring_topk:Allreduce", "ring_topk", ranks=[1, 2], n=3, calls=1)
    >>> print(report.results[0].verdict, report.results[0].detail, sep=": ")
    proved for p <= 2: every real input, ties included: n <= 3, k <= 2, one call, 35 cells; floats not covered
    """
    start = time.perf_counter()
    asked = sorted({*ranks})
    least = {"ranks": (min(asked, default=0), 1), "n": (n, 0), "k": (k or 0, 0), "calls": (calls, 1)}
    for name, (number, right) in least.items():
        if number < right:
            raise InputError(f"{name}: {number}; right: at least {right}")
    place, found = placed(target, selectors), selecting(page, k, params)
    name = place if isinstance(place, str) else getattr(place, "__qualname__", repr(place))
    subject = Subject(place, found, {name: {} for name in selectors}, params)
    result = judge_selection(subject, name, asked, n, k, calls, budget)
    told = {"target": name, "page": found.name if found else None, "ranks": asked, "n": n, "k": k, "calls": calls}
    return Report("selection", [result], seconds=time.perf_counter() - start, extra={"selection": told})


def placed(target: Any, selectors: Sequence[str]) -> Any:
    """Return the name by which ranks import the target, or the target itself if it has none.

    Raises InputError if then ``target`` is a string, is not callable, or has selectors to be replaced in its module.
    """
    try:
        return absolute(importable_name(target))
    except InputError:
        if isinstance(target, str) or selectors or not callable(target):
            raise
        return target


def selecting(page: str | Page | None, k: int | None, params: dict[str, Any]) -> Page | None:
    """Return the page; raises InputError for one that selects nothing, or has no ``k`` where the target has."""
    if page is None:
        return None
    found = pages.find(page) if isinstance(page, str) else page
    if not found.selecting:
        raise InputError(f"page {found.name} selects nothing by value: right is one whose data is 'selected', or none")
    if (KEPT in found.params) != (k is not None):
        has, right = ("a", "k=2") if k is None else ("no", "k=None")
        raise InputError(f"page {found.name} has {has} parameter k: right is {right}")
    own = concerning(params, found.params, selects=True)
    return pages.find(page, **own) if isinstance(page, str) else found


def judge_selection(
    subject: Subject, name: str, ranks: Sequence[int], n: int = SIZE, k: int | None = KEEP, calls: int = CALLS,
    budget: int = BUDGET, track: Callable[..., Any] = iter,
) -> Result:  # fmt: skip
    """Return the result of judging all sizes up to these, the small ones first."""
    kept = range(k + 1) if k is not None else [None]
    shapes = [Shape(p, m, j, calls) for p in ranks for m in range(n + 1) for j in kept]
    whole = judge_all(subject, shapes, budget, track)
    if whole.verdict:
        return Result(name, "selection", whole.verdict, whole.detail, whole.witness)
    complete = [*ranks] == [*range(1, len(ranks) + 1)] and not whole.outside
    sizes = [f"n <= {n}", *([] if k is None else [f"k <= {k}"]), "one call" if calls == 1 else f"{calls} calls"]
    words = "every real input, ties included"
    detail = f"{words}: {', '.join(sizes)}, {whole.cells} cells; floats not covered"
    notes = [f"p = {spans(ranks)}"] if not complete else []
    notes += [f"one schedule only: {why}" for why in sorted(whole.outside)]
    notes += sorted(whole.free)
    verdict = proved_up_to(len(ranks)) if complete else tested(whole.cells)
    return Result(name, "selection", verdict, "; ".join([detail, *notes]))
