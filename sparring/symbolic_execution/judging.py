"""Judges code that selects by value, for every input.

A stateful allreduce is run on forms, call after call, on simulated ranks, in every cell that it or the page can tell.
In each cell every rank's results and residuals must be the page's, the results the same on all ranks, and both together
all that was put in.  If a cell has an input for which they are not, the code runs again on that input as numbers, and
only what these show is called refuted.

To check the forms themselves, the code also runs on one input of every cell as numbers, and the results must be what
the forms say.  This is left out where a library may choose, since it need not choose the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError, SparringError
from sparring.proofs.logic.verdicts import REFUTED, UNDECIDED, Verdict
from sparring.symbolic_execution.arrays import made
from sparring.symbolic_execution.cells import Cells, active
from sparring.symbolic_execution.conditions import FALSE, TRUE, Condition, equal, opposite
from sparring.symbolic_execution.forms import ZERO, Form, Rational, Table, constant, plus
from sparring.symbolic_execution.runs import Done, Ran, Shape, Subject, on_forms, on_numbers

BUDGET = 20_000
"""The most cells of all shapes together."""

PRIME = "'"
"""Marks the inputs of the second call, twice those of the third."""

Inputs = Sequence[Sequence[Sequence[Form]]]
"""The inputs by rank, call and entry."""


class Wrong(NamedTuple):
    """A flaw, and the inputs of the cell that show it."""

    what: str
    condition: Condition = TRUE


class Judged(NamedTuple):
    """The outcome of a judgement.

    ``cells``: how many are done; ``verdict``: the verdict if something stands against the code, else None; ``free``:
    what a library was free to choose; ``outside``: why one schedule does not decide for all.
    """

    cells: int
    verdict: Verdict | None = None
    detail: str = ""
    witness: Mapping[str, Any] = {}
    free: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()


def judge_all(
    subject: Subject, shapes: Iterable[Shape], budget: int = BUDGET, track: Callable[..., Any] = iter
) -> Judged:
    """Judge the shapes one by one, until something stands against one."""
    whole = Judged(0)
    for shape in track(shapes):
        one = judge(subject, shape, budget - whole.cells)
        whole = one._replace(
            cells=whole.cells + one.cells, free=whole.free | one.free, outside=whole.outside | one.outside
        )
        if one.verdict:
            break
    return whole


def judge(subject: Subject, shape: Shape, budget: int = BUDGET) -> Judged:
    """Run ``subject`` in all its cells of one shape, until something is wrong."""
    cells = Cells(Table(), budget)
    inputs = symbols(cells.table, shape)
    free: set[str] = set()
    try:
        for wrong in cells.each(lambda: in_cell(subject, shape, inputs, cells)):
            free |= cells.free
            if wrong:
                verdict, detail, witness = shown(subject, shape, inputs, cells, wrong)
                return Judged(cells.count + 1, verdict, f"{shape}: {detail}", witness)
    except InputError:
        raise
    except SparringError as trouble:
        return Judged(cells.count, UNDECIDED, f"{shape}: {trouble}")
    return Judged(cells.count, free=frozenset(free), outside=frozenset(cells.outside))


def symbols(table: Table, shape: Shape) -> Inputs:
    """Return a symbol for each input."""
    p, n, calls = shape.p, shape.n, shape.calls
    return [[[table.symbol(f"x{r}{PRIME * c}[{i}]") for i in range(n)] for c in range(calls)] for r in range(p)]


def in_cell(subject: Subject, shape: Shape, inputs: Inputs, cells: Cells) -> Wrong | None:
    """Return what is wrong for some input of a cell, or None.  Raise whatever keeps the run from being judged."""
    rows = [np.stack([made(list(x)) for x in calls]) for calls in inputs]
    ran, wanted = on_forms(subject, shape, rows)
    if cells.trouble:
        raise cells.trouble[0]
    for wrong in compared(ran, wanted, inputs, cells.table):
        if cells.possible(wrong.condition):
            return wrong
    if not cells.free:
        paired(subject, shape, inputs, cells, ran)
    return None


def compared(ran: Ran, wanted: Sequence[Sequence[Done]], inputs: Inputs, table: Table) -> Iterator[Wrong]:
    """Yield where results or residuals are not the page's, where ranks differ, and where something got lost."""
    if isinstance(ran, str):
        yield Wrong(ran)
        return
    for i, call in enumerate(zip(*ran)):
        when = f"after call {i + 1}, " if len(ran[0]) > 1 else ""
        for r, has in enumerate(call):
            if wanted:
                yield from unlike(f"{when}rank {r}'s", has, wanted[i][r], "the page's", table)
            yield from unlike(f"{when}rank {r}'s", has._replace(residual=None), call[0], "rank 0's", table)
    yield from unbalanced(ran, inputs, table)


def unlike(whose: str, has: Done, right: Done, other: str, table: Table) -> Iterator[Wrong]:
    """Yield where one rank has something else."""
    if has.support is not None and right.support is not None and has.support != right.support:
        yield Wrong(f"{whose} result has entries at {[*has.support]}, {other} at {[*right.support]}")
    for name, mine, theirs in (("result", has.result, right.result), ("residual", has.residual, right.residual)):
        for i, (a, b) in enumerate(zip(mine or (), theirs or ())):
            if (odd := opposite(equal(a, b))) != FALSE:
                yield Wrong(f"{whose} {name} at index {i} is {table.show(a)}, {other} {table.show(b)}", odd)


def unbalanced(ran: Sequence[Sequence[Done]], inputs: Inputs, table: Table) -> Iterator[Wrong]:
    """Yield where rank 0's results and all residuals do not add up to all that was put in, if residuals can be seen."""
    left = [calls[-1].residual for calls in ran]
    for i in range(len(inputs[0][0]) if None not in left else 0):
        put = total(x[i] for calls in inputs for x in calls)
        out = total([*(call.result[i] for call in ran[0]), *(residual[i] for residual in left if residual)])
        if (odd := opposite(equal(put, out))) != FALSE:
            text = f"at index {i} {table.show(put)} was put in; the results and residuals have {table.show(out)}"
            yield Wrong(text, odd)


def total(forms: Iterable[Form]) -> Form:
    """Return the sum."""
    summed = ZERO
    for one in forms:
        summed = plus(summed, one)
    return summed


def paired(subject: Subject, shape: Shape, inputs: Inputs, cells: Cells, ran: Ran) -> None:
    """Raise SparringError if the target, run on numbers of this cell, does not return what its forms say."""
    names = [cells.table.show(f) for calls in inputs for x in calls for f in x]
    point: dict[str, Rational] = {**{name: 2 + i for i, name in enumerate(names)}, **cells.point()}
    numbers, _, _ = seen(subject._replace(page=None), shape, at(inputs, point, cells.table))
    for mine, theirs in zip(flat(ran), flat(numbers)):
        if cells.table.at(mine, point) != cells.table.at(theirs, {}):
            raise SparringError(f"numbers are not what forms say: {cells.table.show(mine)} at {format_point(point)}")


def flat(ran: Ran) -> Iterator[Form]:
    """Yield all results and residuals."""
    for calls in ran if not isinstance(ran, str) else ():
        for one in calls:
            yield from (*one.result, *(one.residual or ()))


Numbers = list[list[list[float]]]


def at(inputs: Inputs, point: Mapping[str, Rational], table: Table) -> Numbers:
    """Return the inputs as numbers."""
    return [[[float(table.at(f, point)) for f in x] for x in calls] for calls in inputs]


def seen(subject: Subject, shape: Shape, given: Numbers) -> tuple[Ran, list[list[Done]], Wrong | None]:
    """Run the target's and the page's own code on numbers; return both results, and the first flaw."""
    cells = Cells(Table(), 1)
    inputs = [[[constant(Fraction(v)) for v in x] for x in calls] for calls in given]
    rows = [np.array(calls).reshape(shape.calls, shape.n) for calls in given]
    with active(cells):
        ran, wanted = on_numbers(subject, shape, rows)
        return ran, wanted, next(compared(ran, wanted, inputs, cells.table), None)


def shown(
    subject: Subject, shape: Shape, inputs: Inputs, cells: Cells, wrong: Wrong
) -> tuple[Verdict, str, dict[str, Any]]:
    """Return the verdict on what some inputs of a cell show, once it is seen on numbers."""
    given = at(inputs, cells.point(wrong.condition, small=True), cells.table)
    _, _, found = seen(subject, shape, given)
    where = ", ".join(f"x{r} = {' then '.join(f'[{listed(x)}]' for x in calls)}" for r, calls in enumerate(given))
    witness = {**shape._asdict(), "inputs": given}
    if found:
        return REFUTED, f"{found.what}, for {where}", witness
    rests = f"; {' and '.join(sorted(cells.free))}" if cells.free else ""
    return UNDECIDED, f"{wrong.what}; numbers do not show it, {where}{rests}", witness


def listed(x: Sequence[float]) -> str:
    """Return numbers as text, as in a printed vector."""
    return " ".join(f"{v:g}" for v in x)


def format_point(point: Mapping[str, Rational]) -> str:
    """Return a point as text."""
    return ", ".join(f"{name} = {v}" for name, v in point.items())
