"""Does code that selects by value do what it should, for every input?

A stateful allreduce is run on forms, call after call, on simulated ranks, in every cell that it or
the page can tell.  In each of them every rank's results and residuals must be the page's, the same
on all ranks, and together all that was put in.  Where a cell has an input for which they are not,
that input is run again, on numbers, and only what these show is called refuted.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError, Undecided
from sparring.proofs.core import lists
from sparring.proofs.core.verdicts import REFUTED, UNDECIDED, Verdict
from sparring.proofs.selection.arrays import everywhere, made, read
from sparring.proofs.selection.cells import Cells, Unexhausted, active
from sparring.proofs.selection.conditions import FALSE, TRUE, Condition, equal, opposite
from sparring.proofs.selection.forms import ZERO, Form, NoForm, Table, constant, plus
from sparring.proofs.selection.summaries import Summary, Ways, implementation_summarised, page_summarised
from sparring.proofs.world import world
from sparring.sparse import Sparse
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import PieceRun

BUDGET = 20_000
"""Cells of one code."""


PRIME = "'"
"""Marks the inputs of the second call, twice those of the third."""


class Shape(NamedTuple):
    """So many ranks, entries, kept entries and calls; ``k`` is None where the target takes none."""

    p: int
    n: int
    k: int | None
    calls: int

    def __str__(self) -> str:
        return f"p={self.p} n={self.n}{'' if self.k is None else f' k={self.k}'}"


class Done(NamedTuple):
    """What a rank has after a call: its result in every position, where it has entries, and its residual."""

    result: list[Form]
    support: list[int] | None
    residual: list[Form] | None


class Wrong(NamedTuple):
    """What is wrong, and for which inputs of the cell."""

    what: str
    condition: Condition = TRUE


class Subject(NamedTuple):
    """What is judged: ``page`` None, by itself alone.  ``selectors``: by their names, the functions of its
    module that are summarised, and what is known of them.
    """

    target: str
    page: Page | None
    selectors: Mapping[str, dict[Hashable, Ways]] = {}
    params: tuple[tuple[str, Any], ...] = ()


class Judged(NamedTuple):
    """What came of one shape; ``verdict`` None where nothing stands against it. ``open``: what was left to a library."""

    cells: int
    verdict: Verdict | None = None
    detail: str = ""
    witness: dict[str, Any] = {}
    open: frozenset[str] = frozenset()


def judge(subject: Subject, shape: Shape, budget: int = BUDGET) -> Judged:
    """Run ``subject`` in all its cells of one shape, as far as nothing is wrong."""
    table = Table()
    cells = Cells(table, budget)
    xs = [symbols(table, r, shape) for r in range(shape.p)]
    free: set[str] = set()
    try:
        for wrong in cells.each(lambda: first(cells, flaws(subject, shape, xs, cells))):
            if cells.trouble:
                return Judged(cells.count, UNDECIDED, f"{shape}: {cells.trouble[0]}")
            free |= cells.free
            if wrong:
                return refuted(subject, shape, cells, wrong)
    except (Unexhausted, Undecided, NoForm) as trouble:
        return Judged(cells.count, UNDECIDED, f"{shape}: {trouble}")
    return Judged(cells.count, open=frozenset(free))


def symbols(table: Table, r: int, shape: Shape) -> list[list[Form]]:
    """Rank ``r``'s vectors, one a call."""
    return [[table.symbol(f"x{r}{PRIME * call}[{i}]") for i in range(shape.n)] for call in range(shape.calls)]


def first(cells: Cells, found: Iterator[Wrong]) -> Wrong | None:
    """The first flaw that some input of the cell has."""
    return next((wrong for wrong in found if not cells.trouble and cells.possible(wrong.condition)), None)


def flaws(subject: Subject, shape: Shape, xs: Sequence[Sequence[Sequence[Form]]], cells: Cells) -> Iterator[Wrong]:
    """What may be wrong in the running cell, if its condition is possible."""
    rows = [np.stack([made(list(x)) for x in calls]) for calls in xs]
    with everywhere():
        ran = on_ranks(subject, shape, rows, summarised=True)
        wanted = list(by_page(subject.page, shape, rows, summarised=True)) if subject.page and not cells.trouble else []
    yield from compared(ran, wanted, xs, cells.table)


def on_ranks(subject: Subject, shape: Shape, rows: Sequence[Any], summarised: bool) -> list[list[Done]] | str:
    """What each rank has after each call, or what the world found."""
    call = partial(iterate, shape=shape, subject=subject, summarised=summarised)
    outcome = world.run(subject.target, shape.p, rows, call=call)
    return outcome.findings[0].text if outcome.findings else outcome.results


def iterate(kind: Any, comm: Any, xs: Any, *, shape: Shape, subject: Subject, summarised: bool) -> list[Done]:
    """What each rank does: make the target, call it on each vector; a function is called."""
    if summarised:
        summarise(kind, subject)
    params = dict(subject.params) | ({} if shape.k is None else {"k": shape.k})
    if isinstance(kind, type):
        instance: Any = kind(comm, shape.n, **params)
        return [done(instance(x.copy()), getattr(instance, "residual", None), x) for x in xs]
    return [done(kind(comm, x.copy(), **params), None, x) for x in xs]


def summarise(kind: Any, subject: Subject) -> None:
    """Put summaries in the place of selectors, in the running rank's own modules."""
    own = sys.modules.get("sparring.impl.core.selection")
    if own:
        implementation_summarised(own)
    module = sys.modules[kind.__module__]
    for name, store in subject.selectors.items():
        if not callable(getattr(module, name, None)):
            raise InputError(f"{subject.target} has no function {name!r} in its module to be summarised")
        setattr(module, name, Summary(getattr(module, name), store))


def done(y: Any, residual: Any, x: Any) -> Done:
    """Result and residual, as they are now.  Raises InputError for what is no vector like ``x``."""
    for name, thing in (("result", y), ("residual", residual)):
        fits = isinstance(thing, (np.ndarray, Sparse)) and (thing.dtype, thing.size) == (x.dtype, x.size)
        if not fits and not (name == "residual" and thing is None):
            raise InputError(f"the {name} is {thing!r:.60}, not a vector of {x.size} entries of {x.dtype}")
    support = y.indices.tolist() if isinstance(y, Sparse) else None
    return Done(dense(y), support, None if residual is None else dense(residual))


def dense(y: Any) -> list[Form]:
    """Every entry; absent ones are zero."""
    if not isinstance(y, Sparse):
        return read(y)
    entries = dict(zip(y.indices.tolist(), read(y.values)))
    return [entries.get(i, ZERO) for i in range(y.n)]


def by_page(page: Page, shape: Shape, rows: Sequence[Any], summarised: bool) -> Iterator[list[Done]]:
    """What the page makes of each call, by rank."""
    params = {} if shape.k is None else {"k": shape.k}
    bound = load(page.module, **{**page.params, **params})
    left = [np.zeros_like(x[0]) for x in rows]
    for xs in zip(*rows):
        with page_summarised(page.module) if summarised else nullcontext():
            ran = PieceRun(bound, [x + y for x, y in zip(xs, left)])
            results, residuals = ran.results, ran.residuals
        left = [lists.made(y, xs[0].dtype).dense() for y in residuals]
        yield [done(lists.made(y, x.dtype), z, x) for y, z, x in zip(results, left, xs)]


def compared(
    ran: list[list[Done]] | str, wanted: Sequence[Sequence[Done]], xs: Sequence[Sequence[Sequence[Form]]], table: Table
) -> Iterator[Wrong]:
    """Where results or residuals are not the page's, the ranks' results not one, or something got lost."""
    if isinstance(ran, str):
        yield Wrong(ran)
        return
    for i, call in enumerate(zip(*ran)):
        when = f"after call {i + 1}, " if len(ran[0]) > 1 else ""
        for r, has in enumerate(call):
            if wanted:
                yield from unlike(f"{when}rank {r}'s", has, wanted[i][r], "the page's", table)
            yield from unlike(f"{when}rank {r}'s", has._replace(residual=None), call[0], "rank 0's", table)
    yield from unbalanced(ran, xs, table)


def unlike(whose: str, has: Done, right: Done, other: str, table: Table) -> Iterator[Wrong]:
    """Where one rank has something else."""
    if has.support is not None and right.support is not None and has.support != right.support:
        yield Wrong(f"{whose} result has entries at {has.support}, {other} at {right.support}")
    for name, mine, theirs in (("result", has.result, right.result), ("residual", has.residual, right.residual)):
        for i, (a, b) in enumerate(zip(mine or (), theirs or ())):
            if (odd := opposite(equal(a, b))) != FALSE:
                yield Wrong(f"{whose} {name} at index {i} is {table.show(a)}, {other} {table.show(b)}", odd)


def unbalanced(ran: Sequence[Sequence[Done]], xs: Sequence[Sequence[Sequence[Form]]], table: Table) -> Iterator[Wrong]:
    """Where rank 0's results and all residuals are not all that was put in, if residuals are to be seen."""
    left = [calls[-1].residual for calls in ran]
    for i in range(len(xs[0][0]) if None not in left else 0):
        put = total(x[i] for calls in xs for x in calls)
        out = total([*(call.result[i] for call in ran[0]), *(residual[i] for residual in left if residual)])
        if (odd := opposite(equal(put, out))) != FALSE:
            text = f"at index {i} {table.show(put)} was put in; the results and residuals have {table.show(out)}"
            yield Wrong(text, odd)


def total(forms: Any) -> Form:
    """The sum."""
    summed = ZERO
    for one in forms:
        summed = plus(summed, one)
    return summed


def refuted(subject: Subject, shape: Shape, cells: Cells, wrong: Wrong) -> Judged:
    """The verdict on what some inputs of a cell show, once it is seen on the numbers that these are."""
    point = cells.witness(wrong.condition)
    given = [[[float(cells.table.at(f, point)) for f in x] for x in symbols(cells.table, r, shape)] for r in range(shape.p)]
    found = seen(subject, shape, given)
    where = ", ".join(f"x{r} = {' then '.join(map(written, calls))}" for r, calls in enumerate(given))
    witness = {**shape._asdict(), "inputs": given}
    if found:
        return Judged(cells.count + 1, REFUTED, f"{shape}: {found.what}, for {where}", witness)
    rests = f"; what is wrong rests on {', '.join(sorted(cells.free))}" if cells.free else ""
    return Judged(cells.count + 1, UNDECIDED, f"{shape}: {wrong.what}; numbers do not show it, {where}{rests}", witness)


def seen(subject: Subject, shape: Shape, given: Sequence[Sequence[Sequence[float]]]) -> Wrong | None:
    """The first flaw of a run on numbers, with the target's and the page's own code."""
    cells = Cells(Table(), 1)
    rows = [np.array(calls).reshape(shape.calls, shape.n) for calls in given]
    xs = [[[constant(Fraction(v)) for v in x] for x in calls] for calls in given]
    with active(cells):
        ran = on_ranks(subject, shape, rows, summarised=False)
        wanted = list(by_page(subject.page, shape, rows, summarised=False)) if subject.page else []
        return next(compared(ran, wanted, xs, cells.table), None)


def written(x: Sequence[float]) -> str:
    """A vector, as arrays are printed."""
    return f"[{' '.join(f'{v:g}' for v in x)}]"
