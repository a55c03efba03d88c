"""Cells: the cases that running code can tell, one after the other, until they cover all inputs.

Code runs on forms.  Where it asks a question whose answer depends on the inputs, the run goes one way, and the others
are remembered.  The answers of one complete run describe its *cell*: the inputs that go this way; it is not empty.  At
every fork two solvers agree that the ways taken leave out no input of the cell.  So the cells of all runs together
cover every real input, those with equal values included.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import lcm
from typing import Any, TypeVar

import z3

from sparring.errors import SparringError, Undecided
from sparring.proofs.logic.symbolic import EFFORT
from sparring.symbolic_execution.conditions import (
    FALSE,
    SIGNS,
    TRUE,
    All,
    Condition,
    Reader,
    Sign,
    both,
    opposite,
    sign,
)
from sparring.symbolic_execution.forms import Form, Table

T = TypeVar("T")
CVC5: Any = import_module("cvc5.pythonic")  # z3's interface to the second solver


class Unexhausted(SparringError):
    """An error: there are more cells than the budget."""


class Solver:
    """A solver that is told what holds on the way, and asked what is possible there."""

    def __init__(self, api: Any, table: Table) -> None:
        self.api, self.read = api, Reader(api, table)
        self.solver = api.Solver()
        if api is z3:
            self.solver.set("rlimit", EFFORT)
        self.held: list[Condition] = []

    def possible(self, held: Sequence[Condition], condition: Condition) -> bool:
        """Tell whether some input satisfies all of ``held`` and ``condition``.  Raise Undecided."""
        self.hold(held)
        self.solver.push()
        self.solver.add(self.read(condition))
        answer = str(self.solver.check())
        self.solver.pop()
        if answer not in ("sat", "unsat"):
            raise Undecided(f"{self.api.__name__} answers {answer}")
        return answer == "sat"

    def hold(self, held: Sequence[Condition]) -> None:
        """Assert these conditions, in place of those that were asserted before."""
        same = next((i for i, (a, b) in enumerate(zip(self.held, held)) if a != b), min(len(self.held), len(held)))
        for _ in self.held[same:]:
            self.solver.pop()
        for condition in held[same:]:
            self.solver.push()
            self.solver.add(self.read(condition))
        self.held = list(held)


class Cells:
    """The cells of one code, as far as they are known.

    ``held``: the conditions of the current cell; ``count``: how many cells are done.
    """

    def __init__(self, table: Table, budget: int) -> None:
        self.table, self.budget, self.count = table, budget, 0
        self.held: list[Condition] = []
        self.free: set[str] = set()
        """Choices that a library leaves open, and that this run has made."""
        self.outside: set[str] = set()
        """Why one schedule does not decide for all, in any run."""
        self.trouble: list[Exception] = []
        """The errors that keep this run from being judged, whether or not the code has caught them."""
        self.kept: dict[Hashable, Any] = {}
        """Other answers in this cell: equal questions get the same answer."""
        self._pending: list[tuple[int, ...]] = [()]
        self._ahead: tuple[int, ...] = ()
        self._trail: list[int] = []
        self._signs: dict[Form, frozenset[int]] = {}

    @cached_property
    def first(self) -> Solver:
        """The solver that is asked."""
        return Solver(z3, self.table)

    @cached_property
    def second(self) -> Solver:
        """The solver that must agree."""
        return Solver(CVC5, self.table)

    def each(self, run: Callable[[], T]) -> Iterator[T]:
        """Yield the result of ``run`` in each cell, while it is the current one.  Raise Unexhausted, Undecided."""
        with active(self):
            while self._pending:
                if self.count == self.budget:
                    raise Unexhausted(f"{self.count} cells explored, not exhausted")
                self._ahead = self._pending.pop()
                self._trail, self.held, self.free, self.trouble, self.kept, self._signs = [], [], set(), [], {}, {}
                yield run()
                self.count += 1

    def choose(self, ways: Sequence[Condition], open_to: str = "") -> int:
        """Return which of ``ways`` this run takes: one that the cell allows; each other one gets a run of its own.

        ``open_to``: who may choose where several ways are possible for one input; otherwise each input has exactly one.
        """
        at = len(self._trail)
        if at == len(self._ahead):
            try:
                allowed = self._allowed(ways, bool(open_to))
            except Undecided as trouble:
                self.trouble.append(trouble)
                raise
            self._pending += [(*self._trail, i) for i in reversed(allowed[1:])]
            self._ahead = (*self._trail, allowed[0])
        chosen = self._ahead[at]
        self._trail.append(chosen)
        self.hold(ways[chosen])
        if open_to and any(self.first.possible(self.held, way) for i, way in enumerate(ways) if i != chosen):
            self.free.add(open_to)
        return chosen

    def hold(self, condition: Condition) -> None:
        """Assume ``condition`` from now on in this run."""
        if condition == TRUE:
            return
        self.held.append(condition)
        for part in condition.parts if isinstance(condition, All) else (condition,):
            if isinstance(part, Sign):
                self._signs[part.form] = self._signs.get(part.form, SIGNS) & part.signs

    def holds(self, condition: Condition) -> bool:
        """Tell whether ``condition`` holds in this cell; fork where it holds in a part of it."""
        if condition in (TRUE, FALSE):
            return condition == TRUE
        if isinstance(condition, Sign):
            known = self._signs.get(condition.form, SIGNS)
            if known <= condition.signs or not known & condition.signs:
                return known <= condition.signs
        return self.choose([condition, opposite(condition)]) == 0

    def sign(self, form: Form) -> int:
        """Return the sign of ``form`` in this cell."""
        return next(s for s in (0, 1, -1) if self.holds(sign(form, (s,))))

    def possible(self, condition: Condition) -> bool:
        """Tell whether some input of this cell satisfies it; where none does, both solvers must say so."""
        if self.first.possible(self.held, condition):
            return True
        if self.second.possible(self.held, condition):
            raise Undecided("z3 says that there is no such input, cvc5 says that there is one")
        return False

    def point(self, condition: Condition = TRUE, small: bool = False) -> dict[str, Fraction]:
        """Return inputs of this cell that satisfy it; ``small``: whole numbers, where there are some.

        Inputs that do not matter are left out.
        """
        self.first.hold(self.held)
        solver = self.first.solver
        solver.push()
        solver.add(self.first.read(condition))
        names = sorted({name for one in (*self.held, condition) for name in self._names(one)})
        try:
            return (self._small(solver, names) if small else {}) or self._any(solver, names)
        finally:
            solver.pop()

    def _allowed(self, ways: Sequence[Condition], overlapping: bool) -> list[int]:
        asked = self.possible if overlapping else lambda way: self.first.possible(self.held, way)
        allowed = [i for i, way in enumerate(ways) if asked(way)]
        left_out = both(*(opposite(ways[i]) for i in allowed))
        complement = len(ways) == len(allowed) == 2 and ways[1] == opposite(ways[0])
        if not complement and self.possible(left_out):
            raise SparringError("the ways of a fork leave an input out")
        return allowed

    def _names(self, condition: Condition) -> Iterator[str]:
        if not isinstance(condition, Sign):
            for part in condition.parts:
                yield from self._names(part)
            return
        todo = [condition.form]
        while todo:
            for atom, _ in todo.pop().parts:
                meant = self.table.atoms[atom]
                if isinstance(meant, Form):
                    todo.append(meant)
                else:
                    yield meant

    def _small(self, solver: Any, names: Sequence[str]) -> dict[str, Fraction]:
        for most in (1, 2, 3, 5, 9, 99):
            solver.push()
            for name in set(names) - {"1"}:
                whole = z3.Int(f"whole {name}")
                solver.add(z3.Real(name) == z3.ToReal(whole), whole >= -most, whole <= most)
            answer = self._any(solver, names)
            solver.pop()
            if answer:
                return answer
        return {}

    def _any(self, solver: Any, names: Sequence[str]) -> dict[str, Fraction]:
        if str(solver.check()) != "sat":
            return {}
        model = solver.model()
        point = {name: model.eval(z3.Real(name), model_completion=True).as_fraction() for name in names}
        common = 1 if "1" in names else lcm(*(x.denominator for x in point.values()))  # no constant: a cone
        return {name: x * common for name, x in point.items() if name != "1"}


_ACTIVE: list[Cells] = []


@contextmanager
def active(cells: Cells) -> Iterator[None]:
    """Let forms ask ``cells`` for what depends on inputs."""
    _ACTIVE.append(cells)
    try:
        yield
    finally:
        _ACTIVE.remove(cells)


def running() -> Cells:
    """Return the cells of the code that is running."""
    if not _ACTIVE:
        raise SparringError("forms can be compared only while their cells are explored")
    return _ACTIVE[-1]
