"""Selectors, summarised once: what a function of values answers, and for which values.

A *contract* says what a selector should answer: the indices of the ``k`` largest by magnitude,
ascending, of equal ones the lower index.  sparring's own selectors are replaced by it, once their
code, run on symbols through all of its cells, has been seen to keep it.

Any other selector is replaced by what its code does: the answers of all its cells, each with the
cells in which it is given.  It must be a function of its arguments alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from sparring.errors import Refuted
from sparring.impl.core import selection
from sparring.proofs.selection.arrays import Forms, made, plain, read, refuse
from sparring.proofs.selection.cells import Cells, running
from sparring.proofs.selection.conditions import Condition, both, either, opposite, replaced
from sparring.proofs.selection.forms import Form, Table
from sparring.proofs.selection.orders import contract, largest
from sparring.spec.core import select

BUDGET = 20_000
"""Cells of one selector."""


@functools.cache
def kept(selector: Callable[..., Any], n: int, k: int) -> int:
    """In how many cells ``selector`` keeps the contract for any ``n`` numbers.  Raises Refuted where it does not."""
    table = Table()
    cells, symbols = Cells(table, BUDGET), [table.symbol(f"v[{i}]") for i in range(n)]
    for answer in cells.each(lambda: [int(i) for i in selector(made(symbols), k)]):
        sizes = [table.magnitude(f) for f in symbols]
        if sorted({*answer}) != answer or len(answer) != min(k, n):
            raise Refuted(f"the selector's answer is {answer}, which are not {min(k, n)} indices, ascending")
        if cells.possible(wrong := opposite(contract(sizes, answer))):
            raise Refuted(f"the selector's answer is {answer} for {dict(cells.witness(wrong))}")
    return cells.count


def of_page(values: Sequence[Any], k: int) -> list[int]:
    """What ``sparring.spec.core.select.top`` answers."""
    forms = [f for v in values for f in read(v)]
    kept(select.top, len(forms), min(k, len(forms)))
    return largest([running().table.magnitude(f) for f in forms], k)


def of_implementation(size: Any, k: int) -> Any:
    """What ``sparring.impl.core.selection.largest`` answers; ``size`` are magnitudes."""
    kept(magnified, len(size), k)
    return np.array(largest(read(size), k), np.int64)


def magnified(x: Any, k: int) -> Any:
    """The implementation's selector, of numbers instead of their magnitudes."""
    return selection.largest(np.abs(x), k)


@contextmanager
def page_summarised(module: ModuleType) -> Iterator[None]:
    """Where the page selects, it asks the summary."""
    names = [name for name, thing in vars(module).items() if thing is select.top]
    with mock.patch.multiple(module, **dict.fromkeys(names, of_page)) if names else mock.patch.multiple(module):
        yield


def implementation_summarised(module: Any) -> None:
    """Where a rank's own copy of sparring's selector selects, it asks the summary, for good."""
    module.magnitudes, module.largest = np.abs, of_implementation


class Way(NamedTuple):
    """An answer and where it is given."""

    answer: Any
    condition: Condition


class Summary:
    """A selector that answers from what is known of its code."""

    def __init__(self, selector: Callable[..., Any]) -> None:
        self.selector = selector
        functools.update_wrapper(self, selector)

    def __call__(self, *args: Any) -> Any:
        values = [read(x) for x in args if isinstance(x, Forms)]
        shapes = [x.shape if isinstance(x, Forms) else x for x in args]
        if not all(isinstance(x, Hashable) for x in shapes):
            refuse(f"a call of the selector {self.selector.__name__} with an array of something else")
        table = running().table
        ways, by = ways_of(self.selector, table, tuple(shapes)), named(values)
        chosen = running().choose([replaced(way.condition, table, by) for way in ways])
        return put_in(ways[chosen].answer, by)


def named(values: Sequence[Sequence[Form]]) -> dict[str, Form]:
    """Each value by the name that stands for it in a summary."""
    return {f"v{a}[{i}]": f for a, forms in enumerate(values) for i, f in enumerate(forms)}


@functools.lru_cache(maxsize=1000)
def ways_of(selector: Callable[..., Any], table: Table, shapes: tuple[Any, ...]) -> list[Way]:
    """All answers for symbols of these shapes, where a tuple is one, and these other arguments."""
    cells, count = Cells(table, BUDGET), iter(range(len(shapes)))
    places = [next(count) if isinstance(shape, tuple) else None for shape in shapes]

    def run() -> Any:
        return selector(*(shape if a is None else symbols(table, a, shape) for a, shape in zip(places, shapes)))

    found: dict[Hashable, tuple[Any, list[Condition]]] = {}
    for answer in cells.each(run):
        known = found.setdefault(told(answer), (frozen(answer), []))
        known[1].append(both(*cells.held))
    return [Way(answer, either(*where)) for answer, where in found.values()]


def symbols(table: Table, a: int, shape: tuple[int, ...]) -> Any:
    """An array of symbols."""
    return made([table.symbol(f"v{a}[{i}]") for i in range(int(np.prod(shape)))]).reshape(shape)


def told(answer: Any) -> Hashable:
    """The same for equal answers alone."""
    if isinstance(answer, (list, tuple)):
        return type(answer), tuple(map(told, answer))
    array = np.asarray(answer)
    return str(array.dtype), array.shape, array.tobytes()


def frozen(answer: Any) -> Any:
    """The answer, apart from any table's ids."""
    if isinstance(answer, (list, tuple)):
        return type(answer)(map(frozen, answer))
    return Left(read(answer), answer.shape) if isinstance(answer, Forms) else np.asarray(answer)


class Left(NamedTuple):
    """Forms that an answer has."""

    forms: list[Form]
    shape: tuple[int, ...]


def put_in(answer: Any, by: Mapping[str, Form]) -> Any:
    """The answer for other forms than the symbols."""
    if isinstance(answer, Left):
        return made([running().table.replaced(f, by) for f in answer.forms]).reshape(answer.shape)
    if isinstance(answer, (list, tuple)):
        return type(answer)(put_in(part, by) for part in answer)
    return plain(answer).copy()[()]
