"""Compares a stateful implementation with the page, call after call.

What a rank does not send is added to its next vector.  So a target is a class, made an instance of
once and called on several vectors; after each call its result and its residual must be the page's,
bit for bit.  Of integers, which add exactly, all results and the last residuals must in the end
make up all that was put in, whatever the page says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError
from sparring.page_runs import runs
from sparring.proofs.reading.annotations import companion
from sparring.refinement import comparison
from sparring.refinement.comparison import DTYPES, Flaw, describe_difference, difference, sizes
from sparring.sparse import Sparse
from sparring.sparse_lists import made
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import Run

NOTHING = np.zeros(0, np.bool_)
"""What is there where a target shows None of what it remembers."""


class Case(NamedTuple):
    """``xs``: for each rank an array whose rows are its vectors, one a call; ``k``: how many entries are kept."""

    k: int
    xs: Sequence[Any]

    @property
    def place(self) -> str:
        """Which example it is."""
        calls, n = self.xs[0].shape
        return f"p={len(self.xs)} n={n} k={self.k} {self.xs[0].dtype}, {calls} calls"

    def params(self, page: Page) -> dict[str, Any]:
        """The page's parameters, with so many entries kept where it has that one."""
        return {**page.params, **({"k": self.k} if "k" in page.params else {})}


class Done(NamedTuple):
    """What a rank has after a call; ``residual`` with all its entries.

    Where nothing is selected it is what the target shows of what it remembers, by name; None where nobody looks.
    """

    result: Any
    residual: Any

    @property
    def each(self) -> dict[str, Any]:
        """By name the result, and the residual or all that is shown, where somebody looks."""
        kept = self.residual if isinstance(self.residual, dict) else {"residual": self.residual}
        return {"result": self.result, **(kept if self.residual is not None else {})}


def edges(ranks: Sequence[int], dtypes: Sequence[str] = DTYPES) -> list[Case]:
    """These dtypes at edge sizes."""
    return [edge(p, n, dtype) for p in ranks for n in sizes(p) for dtype in DTYPES if dtype in dtypes]


def edge(p: int, n: int, dtype: str) -> Case:
    """Vectors of ``n`` entries, of which few, many, all or none are kept."""
    return Case((0, 1, p - 1, n // 2, n, 2 * n + 3)[(p + n + DTYPES.index(dtype)) % 6], vectors(dtype, p, n))


def vectors(dtype: str, p: int, n: int) -> list[Any]:
    """For each rank four vectors: two of small integers, full of ties, then two of what goes wrong."""
    rng = np.random.default_rng([p, n, DTYPES.index(dtype)])
    small = [rng.integers(-2, 3, (2, n)).astype(dtype) for _ in range(p)]
    return [np.stack([*ties, odd, odd[::-1]]) for ties, odd in zip(small, comparison.vectors(dtype, p, n))]


def iterate(kind: Any, comm: Any, xs: Any, **params: Any) -> list[Done]:
    """What each rank does: make the target, with these parameters, call it on each vector.

    Raises InputError where the target returns no Sparse like the vector, or has no such residual.
    """
    instance = kind(comm, xs.shape[1], **params)
    return [copy_done(instance(x), instance.residual, x) for x in xs]


def answer(kind: Any, comm: Any, xs: Any, /, shown: Sequence[str] = (), **params: Any) -> list[Done]:
    """The same where nothing is selected: whatever it returns, and has in the attributes ``shown``, as they are now."""
    instance = kind(comm, xs.shape[1], **params)
    return [Done(copy_array(instance(x)), {name: remembered(instance, name) for name in shown}) for x in xs]


def remembered(instance: Any, shown: str) -> Any:
    """A copy of this attribute."""
    kept = getattr(instance, shown)
    return NOTHING if kept is None else copy_array(kept)


def copy_array(y: Any) -> Any:
    """A copy of an array, since the next call may write over it."""
    return y.copy() if isinstance(y, np.ndarray) else y


def copy_done(y: Any, residual: Any, x: Any) -> Done:
    """Result and residual, as they are now."""
    if not isinstance(y, Sparse) or (y.n, y.dtype) != (x.size, x.dtype):
        raise InputError(f"returned {y!r:.60}, not a Sparse of n={x.size} and {x.dtype}")
    if not isinstance(residual, np.ndarray) or (residual.shape, residual.dtype) != (x.shape, x.dtype):
        raise InputError(f"residual is {residual!r:.60}, not {x.size} entries of {x.dtype}")
    return Done(y, residual.copy())


def compared(
    page: Page, case: Case, ran: Sequence[Sequence[Done]], prop: str, calls: Iterable[Run] | None = None
) -> list[Flaw]:
    """The first place in which ``ran``, by rank and call, is not the page's; and whether something got lost.

    ``calls``: the page's runs, where they are known already.
    """
    calls = calls or runs(load(page.module, **case.params(page)), case.xs)
    unlike = next(deviations(calls, case, ran), None) if ran else None
    lost = unbalanced(case, ran) if ran and page.selecting and case.xs[0].dtype.kind == "i" else None
    flaws = {prop: unlike, "conservation": lost}
    return [Flaw(name, f"{case.place}: {detail}") for name, detail in flaws.items() if detail]


def deviations(calls: Iterable[Run], case: Case, ran: Sequence[Sequence[Done]]) -> Iterator[str]:
    """Where results or residuals are not the page's, in the order of calls."""
    for i, wanted in enumerate(done(calls, case.xs)):
        for r, right in enumerate(wanted):
            for name, has in ran[r][i].each.items():
                want = right.each[name]
                if has is not None and want is not None and (at := difference(has, want)) is not None:
                    yield f"after call {i + 1}, rank {r}'s {name} {describe_difference(has, want, at)}"


def expected(page: Page, xs: Sequence[Any]) -> Iterator[list[Done]]:
    """What the page makes of each call, by rank."""
    return done(runs(page, xs), xs)


def done(calls: Iterable[Run], xs: Sequence[Any]) -> Iterator[list[Done]]:
    """The same of its runs."""
    dtype = xs[0].dtype
    for ran in calls:
        if ran.page.dense:
            names = shown(ran.page).items()
            kept = ({name: as_array(right(ran.state, r), dtype) for name, right in names} for r in range(len(xs)))
            yield [Done(y, left) for y, left in zip(ran.results, kept)]
        else:
            yield [Done(made(y, dtype), made(left, dtype).dense()) for y, left in zip(ran.results, ran.residuals)]


def as_array(kept: Any, dtype: np.dtype[Any]) -> Any:
    """What is kept, with the vectors' dtype where it is a list; None stays so."""
    return np.array(kept, dtype) if isinstance(kept, list) else kept


def shown(page: Page) -> Mapping[str, Callable[[Any, int], Any]]:
    """What a target shows of what it remembers: attributes, and what rank ``r`` has there by the page's state."""
    found: Mapping[str, Callable[[Any, int], Any]] = getattr(companion(page), "shown", {})
    return found


def unbalanced(case: Case, ran: Sequence[Sequence[Done]]) -> str | None:
    """The first entry whose results and last residuals do not add up to what was put in, in words."""
    dtype = case.xs[0].dtype
    given, results, residuals = (
        np.add.reduce(np.stack(parts), axis=0, dtype=dtype)
        for parts in (
            [x for xs in case.xs for x in xs], [y.result.dense() for y in ran[0]], [done[-1].residual for done in ran]
        )
    )  # fmt: skip
    if not (odd := np.flatnonzero(given != results + residuals)).size:
        return None
    i = int(odd[0])
    return f"at index {i} {given[i]} was put in; the results have {results[i]}, the residuals {residuals[i]}"
