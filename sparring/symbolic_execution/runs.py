"""Runs a stateful allreduce, and its page, on forms or on numbers; returns what every rank has after each call."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sparring import sparse_lists
from sparring.errors import InputError
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.sparse import Sparse
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run
from sparring.symbolic_execution.arrays import read, settled
from sparring.symbolic_execution.cells import running
from sparring.symbolic_execution.forms import ZERO, Form
from sparring.symbolic_execution.makers import everywhere
from sparring.symbolic_execution.summaries import Summary, Ways, implementation_summarised, page_summarised
from sparring.world import simulation
from sparring.world.targets import Target


class Shape(NamedTuple):
    """The numbers of ranks, entries, kept entries and calls; ``k`` is None where the target takes none."""

    p: int
    n: int
    k: int | None
    calls: int

    @property
    def params(self) -> dict[str, int]:
        """The parameters of the target, and of the page."""
        return {} if self.k is None else {"k": self.k}

    def __str__(self) -> str:
        return f"p={self.p} n={self.n}{'' if self.k is None else f' k={self.k}'}"


class Subject(NamedTuple):
    """The code that is judged.

    ``target``: a class or a function, by its name or, without selectors, itself.  ``page``: the page that it
    implements; None where that is left open.  ``selectors``: the functions of its module that are summarised, by name,
    and what is known of them.  ``fault``: a fault planted in what ranks do.
    """

    target: Target
    page: Page | None
    selectors: Mapping[str, dict[Hashable, Ways]] = {}
    params: Mapping[str, Any] = {}
    fault: Fault = unharmed


class Done(NamedTuple):
    """What a rank has after a call: its result in every position, where it has entries, and its residual.

    ``support`` is None where the result is an array, ``residual`` where none can be seen.
    """

    result: tuple[Form, ...]
    support: tuple[int, ...] | None
    residual: tuple[Form, ...] | None


Ran = list[list[Done]] | str
"""The outcome by rank and call, or the text of what the simulated world found."""


def on_forms(subject: Subject, shape: Shape, rows: Sequence[Any]) -> tuple[Ran, list[list[Done]]]:
    """Run the target and the page on forms in the running cell; return what each has by call and rank.

    Selectors are summarised.
    """
    with everywhere():
        ran = on_ranks(subject, shape, rows, summarised=True)
        if isinstance(ran, str) or subject.page is None:
            return ran, []
        return ran, list(by_page(subject.page, shape, rows, summarised=True))


def on_numbers(subject: Subject, shape: Shape, rows: Sequence[Any]) -> tuple[Ran, list[list[Done]]]:
    """Run the same on numbers, with all code as it is."""
    ran = on_ranks(subject, shape, rows, summarised=False)
    return ran, list(by_page(subject.page, shape, rows, summarised=False)) if subject.page else []


def on_ranks(subject: Subject, shape: Shape, rows: Sequence[Any], summarised: bool) -> Ran:
    """Return what each rank has after each call; a row is a vector."""
    call = subject.fault(partial(iterate, shape=shape, subject=subject, summarised=summarised))
    outcome = simulation.run(subject.target, shape.p, rows, call=call)
    running().outside.update(outcome.why_not)
    return outcome.findings[0].text if outcome.findings else outcome.results


def iterate(kind: Any, comm: Any, xs: Any, *, shape: Shape, subject: Subject, summarised: bool) -> list[Done]:
    """Do what one rank does: make the target, and call it on each vector; a function is called as it is."""
    if summarised:
        summarise(kind, subject)
    params = {**shape.params, **subject.params}
    if isinstance(kind, type):
        instance: Any = kind(comm, shape.n, **params)
        return [done(instance(x.copy()), getattr(instance, "residual", None), x) for x in xs]
    return [done(kind(comm, x.copy(), **params), None, x) for x in xs]


def summarise(kind: Any, subject: Subject) -> None:
    """Put summaries in the place of selectors, in the running rank's own modules."""
    own = sys.modules.get("sparring.impl.core.selection")
    if own:
        implementation_summarised(own)
    for name, store in subject.selectors.items():
        module = sys.modules[kind.__module__]
        if not callable(getattr(module, name, None)):
            missing = InputError(f"selectors: {subject.target} has no function {name!r} in its module")
            running().trouble.append(missing)
            raise missing
        setattr(module, name, Summary(getattr(module, name), store))


def by_page(page: Page, shape: Shape, rows: Sequence[Any], summarised: bool) -> Iterator[list[Done]]:
    """Yield the page's results of each call, by rank."""
    bound = load(page.module, **{**page.params, **shape.params})
    left, state = [np.zeros_like(x[0]) for x in rows], None
    for xs in zip(*rows):
        with page_summarised(page.module) if summarised else nullcontext():
            ran = run(bound, [x + y for x, y in zip(xs, left)], state)
            results, residuals, state = ran.results, ran.residuals, ran.state
        left = [sparse_lists.made(y, x.dtype).dense() for y, x in zip(residuals, xs)]
        yield [done(sparse_lists.made(y, x.dtype), z, x) for y, z, x in zip(results, left, xs)]


def done(y: Any, residual: Any, x: Any) -> Done:
    """Return result and residual as they are now.  Raise InputError for what is no vector like ``x``."""
    y, residual = settled(y), settled(residual)
    for name, thing in (("result", y), ("residual", residual)):
        fits = isinstance(thing, (np.ndarray, Sparse)) and (thing.dtype, thing.size) == (x.dtype, x.size)
        if not fits and not (name == "residual" and thing is None):
            raise InputError(f"the {name} is {thing!r:.60}, not a vector of {x.size} entries of {x.dtype}")
    support = tuple(y.indices.tolist()) if isinstance(y, Sparse) else None
    return Done(dense(y), support, None if residual is None else dense(residual))


def dense(y: Any) -> tuple[Form, ...]:
    """Return every entry; absent ones are zero."""
    if not isinstance(y, Sparse):
        return tuple(read(y))
    entries = dict(zip(y.indices.tolist(), read(y.values)))
    return tuple(entries.get(i, ZERO) for i in range(y.n))
