"""Running an implementation beside its page: results and messages, with good arguments and in place."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import numpy as np

from sparring import sparse_lists
from sparring.refinement import comparison, running, stateful
from sparring.spec.core.model import Page
from sparring.world.targets import module_of

FEW = 3  # ranks, up to which all dtypes are run


def options(page: Page, target: str) -> dict[str, Any]:
    """Return the page's parameters that the target has too; where a text asks for a selector, that one's as well."""
    known = page.params if page.composed and page.selector else accepted(target)
    return {name: value for name, value in page.params.items() if name in known}


def accepted(target: str) -> Collection[str]:
    """Return the names of the target's arguments."""
    return inspect.signature(getattr(module_of(target), target.rpartition(":")[2])).parameters.keys()


def called(function: Any, comm: Any, x: Any, **given: Any) -> Any:
    """Call the function once with these options."""
    return function(comm, x, **given)


def in_place(function: Any, comm: Any, x: Any, **given: Any) -> Any:
    """Call the function with its result in the memory of its input: a copy, so that the input stays as it was."""
    y = x.copy()
    return function(comm, y, out=y, **given)


def beside(page: Page, target: str, ranks: int) -> Iterator[str]:
    """Yield where ``target`` has another result than the page, or sends other messages, on a few vectors."""
    if page.stateful:  # one call of the function beside the class sends what a call of the class does
        dtypes = page.dtypes[::2] if page.composed else page.dtypes[:1]  # a program's rules may know whole numbers
        for example in stateful.edges([ranks], dtypes):
            yield from (flaw.detail for flaw in running.on_calls(page, target, example))
        target = f"{target.partition(':')[0]}:{page.collective}"
    for xs in examples(page, ranks):
        flaws = running.on_numbers(page, target, xs, "dtypes", partial(called, **options(page, target)))
        yield from (flaw.detail for flaw in flaws)


def examples(page: Page, ranks: int) -> Iterator[list[Any]]:
    """Yield vectors for so many ranks; for pages on whole ones also signed zeros, and numbers that round to these."""
    for n in comparison.sizes(ranks, page.sparse):
        yield sparse_lists.page_inputs(page, comparison.vectors("float32", ranks, n))
    if page.dense and ranks <= FEW:
        yield [np.full(ranks + 1, -0.0, np.float32) for _ in range(ranks)]
        yield [np.full(ranks + 1, -1e-45, np.float32) for _ in range(ranks)]  # of which a part is -0.0
        least = np.full(10 * ranks, 1e-45, np.float32)  # of which a mean is 0, but where all are below 0
        yield [np.where((np.arange(least.size) == 0) | (r % 2 == 1), -least, least) for r in range(ranks)]
