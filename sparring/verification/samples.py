"""Makes the inputs of ``verify``: edge sizes of all dtypes, and the shipped gradients.

A sample is run on the simulated world or on real ranks, against its page; either gives flaws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any, NamedTuple, Protocol

import numpy as np

from sparring import sparse_lists
from sparring.checks.ranks import iterated
from sparring.checks.ranks.group import Group
from sparring.impl.core.selection import top
from sparring.inputs import digits
from sparring.refinement import comparison, running, stateful
from sparring.refinement.comparison import Flaw, sizes
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.spec.core.model import Page
from sparring.world import simulation

KEPT = 100  # of so many entries of a gradient one is kept, where vectors are sparse or entries are selected
SOME = 4  # ranks, up to which a stateful target gets all of its vectors in a first look
WORKERS = 8  # the shipped gradients are of so many
TRAINED = ("step0", "step30", "step300")
"""The shipped gradients, in the order in which a stateful target gets them."""


Given = Callable[[Sequence[Any]], Sequence[Any]]
"""Makes what ranks are given of their vectors."""


MISLED = "another input for the last rank"


def misled(xs: Sequence[Any]) -> Sequence[Any]:
    """Give the last rank twice its vector: a planted fault for real ranks, whose code is their own."""
    return [*xs[:-1], sparse_lists.having(xs[-1], sparse_lists.values(xs[-1]) + sparse_lists.values(xs[-1]))]


class Sample(Protocol):
    """Inputs for all ranks."""

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        ...

    def simulated(self, page: Page, target: str, prop: str, fault: Fault = unharmed) -> list[Flaw]:
        """Return the flaws found on the simulated world; a result that is not the page's falsifies ``prop``."""
        ...

    def real(self, page: Page, target: str, group: Group, given: Given = list) -> list[Flaw]:
        """Return the flaws found on real ranks, which get ``given`` of the inputs, and falsify ``mpi``."""
        ...


class Vectors(NamedTuple):
    """One vector a rank."""

    xs: Sequence[Any]

    @property
    def ranks(self) -> int:
        return len(self.xs)

    def simulated(self, page: Page, target: str, prop: str, fault: Fault = unharmed) -> list[Flaw]:
        return running.on_numbers(page, target, self.xs, prop, fault(simulation.plainly))

    def real(self, page: Page, target: str, group: Group, given: Given = list) -> list[Flaw]:
        return comparison.compared(page, self.xs, group.run(target, given(self.xs)), "mpi")


class Calls(NamedTuple):
    """Several vectors a rank, for a target that keeps residuals."""

    case: stateful.Case

    @property
    def ranks(self) -> int:
        return len(self.case.xs)

    def simulated(self, page: Page, target: str, prop: str, fault: Fault = unharmed) -> list[Flaw]:
        return running.on_calls(page, target, self.case, prop, fault)

    def real(self, page: Page, target: str, group: Group, given: Given = list) -> list[Flaw]:
        ran = iterated.run(group, page, target, self.case._replace(xs=given(self.case.xs)))
        return [flaw._replace(property="mpi") for flaw in stateful.compared(page, self.case, ran, "mpi")]


def edges(page: Page, ranks: Sequence[int], *, every: bool = True) -> Sequence[Sample]:
    """Return edge sizes of all dtypes for each number of ranks; unless ``every``, each of one dtype in turn.

    In turn, a length still meets all dtypes, each with another number of ranks, and so does a number of ranks, and
    stateful targets beyond a few ranks are called twice.
    """
    kinds, sparse = page.dtypes, page.sparse and not page.stateful
    asked = [
        (p, n, dtype) for p in ranks for i, n in enumerate(sizes(p, sparse)) for j, dtype in enumerate(kinds)
        if every or (p + i + j) % len(kinds) == 0
    ]  # fmt: skip
    if page.stateful:
        cases = starmap(stateful.edge, asked)
        return [Calls(case if every or len(case.xs) <= SOME else twice(case)) for case in cases]
    return [Vectors(sparse_lists.page_inputs(page, comparison.vectors(dtype, p, n))) for p, n, dtype in asked]


def twice(case: stateful.Case) -> stateful.Case:
    """Return the case with two of its calls: one with small integers, one with numbers that often go wrong."""
    return case._replace(xs=[x[1:3] for x in case.xs])


def gradients(page: Page, ranks: Sequence[int]) -> Sequence[Sample]:
    """Return the shipped gradients for each number of ranks that has workers; for sparse pages the largest entries."""
    few = [p for p in ranks if p <= WORKERS]
    if page.stateful:
        trained = [[np.stack(steps) for steps in zip(*(digits(p, key) for key in TRAINED))] for p in few]
        return [Calls(stateful.Case(xs[0].shape[1] // KEPT, xs)) for xs in trained]
    dense = [digits(p) for p in few]
    return [Vectors(xs if not page.sparse else [top(x, x.size // KEPT) for x in xs]) for xs in dense]


def describe_part(page: Page) -> str:
    """Return which part of the gradients is used, in words."""
    calls = f", {len(TRAINED)} calls" if page.stateful else ""
    return f", the largest {100 // KEPT} %{calls}" if page.sparse or page.selecting else calls
