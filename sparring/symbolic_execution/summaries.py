"""Summaries of selectors: what a function of values answers, and for which values.

A selector's code is run once on symbols, through all of its cells.  Its answers, and the cells of each, are its
summary, which replaces it from then on: a run forks once for each answer, not for each comparison.  The selector must
be a function of its arguments alone.

The summary of most selectors is short: if in every cell the answer is the set of the ``k`` largest magnitudes, of equal
ones the lower index, that order is the condition of the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import FunctionType, ModuleType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from sparring.impl.core import selection
from sparring.spec.core import sparse, top_k
from sparring.symbolic_execution.arrays import Forms, as_plain_array, made, read, refuse, settled
from sparring.symbolic_execution.cells import Cells, running
from sparring.symbolic_execution.conditions import Condition, both, either, opposite, replaced
from sparring.symbolic_execution.forms import Form, Table
from sparring.symbolic_execution.orders import contract, largest

BUDGET = 20_000
"""The most cells of one selector."""


class Left(NamedTuple):
    """The forms in an answer, and its shape."""

    forms: tuple[Form, ...]
    shape: tuple[int, ...]


class Ways(NamedTuple):
    """All answers to symbols, each with its condition.

    ``sets``: the answers by their entries, where these are the largest; ``free``: what a library was free to choose.
    """

    table: Table
    answers: list[Any]
    conditions: list[Condition]
    sets: dict[tuple[int, ...], int] | None
    free: frozenset[str]

    def chosen(self, values: Sequence[Sequence[Form]]) -> int:
        """Return which answer is given to these values."""
        table = running().table
        running().free |= self.free
        if self.sets is not None:
            count = len(next(iter(self.sets)))
            return self.sets[tuple(largest([table.magnitude(f) for f in values[0]], count))]
        by = by_symbol(values)
        return running().choose([replaced(one, self.table, by, table) for one in self.conditions])


class Summary:
    """A selector that answers from what is known of its code; ``store`` keeps that from run to run."""

    def __init__(self, selector: Callable[..., Any], store: dict[Hashable, Ways]) -> None:
        self.selector, self.store = selector, store

    def __call__(self, *args: Any) -> Any:
        values = [read(x) for x in args if isinstance(x, Forms)]
        shapes = tuple(x.shape if isinstance(x, Forms) else x for x in args)
        name = getattr(self.selector, "__name__", "?")
        if not all(isinstance(x, Hashable) for x in shapes):
            refuse(f"a selector {name} that is given something else than vectors and numbers")
        if (name, shapes) not in self.store:
            self.store[name, shapes] = explored(self.selector, shapes)
        ways = self.store[name, shapes]
        return put_in(ways.answers[ways.chosen(values)], ways.table, by_symbol(values))


def by_symbol(values: Sequence[Sequence[Form]]) -> dict[str, Form]:
    """Return each value by the symbol that stands for it in a summary."""
    return {f"v{a}[{i}]": f for a, forms in enumerate(values) for i, f in enumerate(forms)}


def explored(selector: Callable[..., Any], shapes: Sequence[Any]) -> Ways:
    """Return all answers to symbols of these shapes and to these other arguments; a shape is a tuple."""
    table = Table()
    cells = Cells(table, BUDGET)
    names = iter(f"v{a}" for a in range(len(shapes)))
    args = [(next(names), x) if isinstance(x, tuple) else (None, x) for x in shapes]
    found: dict[Hashable, tuple[Any, list[Condition]]] = {}
    sets: dict[Hashable, tuple[int, ...] | None] = {}
    free: frozenset[str] = frozenset()

    def run() -> Any:
        return settled(selector(*(x if name is None else symbols(table, name, x) for name, x in args)))

    for answer in cells.each(run):
        free |= cells.free
        found.setdefault(key := identity(answer), (frozen(answer), []))[1].append(both(*cells.held))
        if sets.setdefault(key, entries(answer)) is not None and not the_largest(cells, args, sets[key]):
            sets[key] = None
    answers, conditions = [a for a, _ in found.values()], [either(*where) for _, where in found.values()]
    known = {s: i for i, s in enumerate(sets.values()) if s is not None}
    alike = len(known) == len(answers) and len({*map(len, known)}) == 1
    return Ways(table, answers, conditions, known if alike else None, free)


def symbols(table: Table, name: str, shape: tuple[int, ...]) -> Any:
    """Return an array of symbols."""
    return made([table.symbol(f"{name}[{i}]") for i in range(int(np.prod(shape)))]).reshape(shape)


def entries(answer: Any) -> tuple[int, ...] | None:
    """Return the entries that an answer names, as indices or by a mask; None for other answers."""
    if type(answer) is np.ndarray and answer.ndim == 1 and answer.dtype.kind in "ib":
        found = np.flatnonzero(answer).tolist() if answer.dtype.kind == "b" else answer.tolist()
    elif isinstance(answer, list) and all(isinstance(i, (int, np.integer)) for i in answer):
        found = [int(i) for i in answer]
    else:
        return None
    return tuple(sorted(found)) if len({*found}) == len(found) else None


def the_largest(cells: Cells, args: Sequence[tuple[str | None, Any]], chosen: tuple[int, ...] | None) -> bool:
    """Tell whether these are, throughout the cell, the largest magnitudes of the first vector."""
    shape = next((x for name, x in args if name), (0, 0))
    if chosen is None or len(shape) != 1 or not {*chosen} <= {*range(shape[0])}:
        return False
    sizes = [cells.table.magnitude(cells.table.symbol(f"v0[{i}]")) for i in range(shape[0])]
    return not cells.possible(opposite(contract(sizes, chosen)))


def identity(answer: Any) -> Hashable:
    """Return a key that is the same for equal answers only."""
    if isinstance(answer, (list, tuple)):
        return type(answer), tuple(map(identity, answer))
    array = as_plain_array(answer)
    return isinstance(answer, Forms), str(array.dtype), array.shape, array.tobytes()


def frozen(answer: Any) -> Any:
    """Return the answer, with forms in the place of their ids."""
    if isinstance(answer, (list, tuple)):
        return type(answer)(map(frozen, answer))
    return Left(tuple(read(answer)), answer.shape) if isinstance(answer, Forms) else answer


def put_in(answer: Any, source: Table, by: Mapping[str, Form]) -> Any:
    """Return the answer for these forms in the place of the symbols."""
    if isinstance(answer, Left):
        table = running().table
        return made([source.replaced(f, by, table) for f in answer.forms]).reshape(answer.shape)
    if isinstance(answer, (list, tuple)):
        return type(answer)(put_in(part, source, by) for part in answer)
    return answer.copy() if isinstance(answer, np.ndarray) else answer


OWN: dict[Hashable, Ways] = {}
"""The summaries of sparring's own selectors."""


def page_top(x: Any, k: int) -> list[int]:
    """Apply the pages' selector to a vector."""
    return top_k.top(tuple(x), k)


def impl_top(x: Any, k: int) -> Any:
    """Apply the implementations' selector to numbers instead of their magnitudes."""
    return selection.largest(np.abs(x), k)


@contextmanager
def page_summarised(module: ModuleType) -> Iterator[None]:
    """Let the page ask the summary where it selects, by formulas of its own or of another page."""
    summary = Summary(page_top, OWN)

    def top(values: Sequence[Any], k: int) -> Any:
        return summary(made([f for v in values for f in read(v)]), min(k, len(values)))

    with ExitStack() as patched:
        for own in homes(module):
            for name in [name for name, thing in vars(own).items() if thing is top_k.top]:
                patched.enter_context(mock.patch.object(own, name, top))
        yield


def homes(module: ModuleType) -> list[ModuleType]:
    """Return the modules in which a page's functions look up the selector.

    They are the page's, that of sparse vectors, and those that its functions are from; not the selector's own.
    """
    names = {thing.__module__ for thing in vars(module).values() if isinstance(thing, FunctionType)}
    others = (sys.modules[name] for name in sorted(names | {sparse.__name__}) if name in sys.modules)
    return [module, *(one for one in others if one not in (module, top_k))]


def implementation_summarised(module: Any) -> None:
    """Let a rank's own copy of sparring's selector ask the summary where it selects, for good.

    It compares floats by their bits, which order as magnitudes do; the magnitudes of forms are forms.
    """
    module.magnitudes, module.largest = np.abs, Summary(impl_top, OWN)
