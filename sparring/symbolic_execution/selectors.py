"""Judges whether a selector takes what its page says, and whether the page keeps its own promises.

It runs both on exact linear forms, in every case that either can tell, call after call; and on numbers, since floats
have zeros of two signs, infinities and NaN.  Either way it checks three things: the page's entries come before all
others in its order, their number is within the page's bounds, and the code takes the same entries.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from sparring.errors import SparringError
from sparring.impl.core import selection
from sparring.sparse import Sparse
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import Selector, Series
from sparring.spec.core.top_k import top
from sparring.symbolic_execution.arrays import made, read
from sparring.symbolic_execution.cells import Cells
from sparring.symbolic_execution.conditions import TRUE, Condition, opposite
from sparring.symbolic_execution.forms import Table
from sparring.symbolic_execution.orders import contract

Kernel = Callable[[Any], Any]
"""A selector's code: called with one vector after the other, it returns some entries as a Sparse."""
Maker = Callable[..., Kernel]
"""Makes such code from parameters."""
Bound = Callable[..., Selector]
"""Makes the page's selector from parameters."""

BUDGET = 20_000
"""The most cells of one selector."""


class Flaw(NamedTuple):
    """A flaw; ``property`` is ``"order"``, ``"bounds"``, ``"selection"`` or ``"input untouched"``."""

    property: str
    detail: str


class Size(NamedTuple):
    """The numbers of entries, kept entries ``k`` and calls, and the other parameters."""

    n: int
    k: int
    calls: int
    way: Mapping[str, Any] = {}

    def __str__(self) -> str:
        told = "".join(f" {name}={value}" for name, value in self.way.items())
        return f"n={self.n} k={self.k}{told}, {self.calls} call{'s' if self.calls > 1 else ''}"


class Exhausted(NamedTuple):
    """The findings on all inputs: the cells, the flaws found, and what kept it from being judged."""

    cells: int
    flaws: Sequence[Flaw] = ()
    trouble: SparringError | None = None


def everywhere(page: Bound, maker: Maker, sizes: Sequence[Size], *, stop: bool = False) -> Exhausted:
    """Judge all real inputs of these sizes, and return the first flaw of each property; ``stop``: at the first flaw."""
    count, found = 0, dict[str, Flaw]()
    for size in sizes:
        cells = Cells(Table(), BUDGET - count)
        try:
            for some in cells.each(partial(in_cell, page, maker, size, cells)):
                if cells.trouble:
                    raise cells.trouble[0]
                found = {flaw.property: flaw for flaw in reversed(some)} | found
                if found and stop:
                    return Exhausted(count + cells.count + 1, [*found.values()])
        except SparringError as trouble:
            return Exhausted(count + cells.count, [*found.values()], trouble)
        count += cells.count
    return Exhausted(count, [*found.values()])


def in_cell(page: Bound, maker: Maker, size: Size, cells: Cells) -> list[Flaw]:
    """Return what is wrong for inputs of a cell.

    For floats, bits order as magnitudes do; the magnitudes of forms are forms.
    """
    table = cells.table
    xs = [made([table.symbol(f"x{c}[{i}]") for i in range(size.n)]) for c in range(size.calls)]

    def first(x: Any, at: Sequence[int]) -> bool:
        always: Condition = contract([table.magnitude(f) for f in read(x)], at) if at else TRUE
        return not cells.possible(opposite(always))

    with mock.patch.object(selection, "magnitudes", np.abs):
        return list(flaws(page, maker, size, xs, first))


def on_numbers(page: Bound, maker: Maker, xs: Sequence[Any], k: int, way: Any) -> list[Flaw]:
    """Return what is wrong on vectors of numbers, one after the other."""

    def first(x: Any, at: Sequence[int]) -> bool:
        return top(tuple(x), len(at)) == [*at]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # that numbers overflow is no surprise
        return list(flaws(page, maker, Size(xs[0].size, k, len(xs), way), xs, first))


def flaws(page: Bound, maker: Maker, size: Size, xs: Sequence[Any], first: Callable[..., bool]) -> Iterator[Flaw]:
    """Yield what is wrong, call after call; ``first(x, at)``: whether these entries come before all others."""
    bound, kernel = page(k=size.k, **size.way), maker(k=size.k, **size.way)
    series = Series(bound)
    least, most = number(bound.least(size.n)), number(bound.most(size.n))
    for i, x in enumerate(xs):
        given = x.copy()
        wanted, has = series(tuple(x)), answer(kernel, given)
        place = f"{size}: in call {i + 1}"
        if not first(x, wanted.indices):
            yield Flaw("order", f"{place} the page takes {[*wanted.indices]}, and what comes before is left out")
        if not least <= len(wanted.indices) <= most:
            yield Flaw("bounds", f"{place} the page takes {len(wanted.indices)} entries, not {least} to {most}")
        if (found := describe_selected(has, x)) != (right := f"takes {[*wanted.indices]}"):
            yield Flaw("selection", f"{place} the code {found}, the page {right}")
        if given.tobytes() != x.tobytes():
            yield Flaw("input untouched", f"{place} the vector was changed")


def answer(kernel: Kernel, x: Any) -> Any:
    """Return what the code returns, or what it raises."""
    try:
        return kernel(x)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told
        return error


def describe_selected(y: Any, x: Any) -> str:
    """Return as text the indices of a sparse vector of entries of ``x``, or what else it is."""
    if isinstance(y, Exception):
        return f"raises {type(y).__name__}: {y}"
    if not isinstance(y, Sparse):
        return f"gives {y!r:.60}, not a Sparse"
    if y.values.dtype != x.dtype or y.values.tobytes() != x[y.indices].tobytes():
        return f"gives {y!r}, which are not the vector's values"
    return f"takes {y.indices.tolist()}"
