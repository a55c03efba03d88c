"""Defines a selector: which entries of a vector are sent, and how many these are.

A selector decides only *how many* entries it takes: those are always the first in the one order of
:mod:`sparring.spec.core.top_k`.  Its page is a module of ``spec.selectors``: prose, parameters,
what it remembers from call to call (``State`` and ``state``, where it does), ``select``, and the
two formulas ``least`` and ``most``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import sparring.spec.selectors as room
from sparring.errors import InputError, UnknownPage, did_you_mean
from sparring.spec.core import purity
from sparring.spec.core.calling import parameters
from sparring.spec.core.modules import from_file, from_name
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.sparse import SparseVector, every
from sparring.spec.core.vectors import Vector, local

LETTERS: Mapping[str, tuple[str, ...]] = {
    "state": ("x", "before"),
    "select": ("x", "state"),
    "least": ("n",),
    "most": ("n",),
}
"""What each formula may ask for, besides the page's parameters."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A way to select: its prose and its formulas, parameters bound."""

    name: str
    doc: str
    module: ModuleType
    params: Mapping[str, Any]
    start: Any
    """What is remembered before the first call; None of a selector that remembers nothing."""
    state: Callable[[Sequence[Any], Any], Any]
    """``state(x, before)``: what is known when ``x`` is selected from, after what was ``before``."""
    select: Callable[[Sequence[Any], Any], list[int]]
    """``select(x, state)``: the indices of the entries that are taken, ascending."""
    least: Callable[[Int], Int]
    """``least(n)``: of a vector of ``n`` entries it takes at least so many, in every call."""
    most: Callable[[Int], Int]
    """``most(n)``: and at most so many."""
    ways: Sequence[Mapping[str, Any]]
    """Parameters with which it is judged, besides ``k``; by default its own."""

    @property
    def title(self) -> str:
        """The first line of the prose, without its citation."""
        return self.doc.strip().split("\n")[0].split(" [")[0].rstrip(".")


@local
def remembered(selector: Selector, x: Vector, before: Any) -> Any:
    """In a text: what a rank's selector knows when ``x`` is selected from, after what was ``before``, None at first."""
    return selector.state(x.entries, selector.start if before is None else before)


@local(most=lambda selector, n, seen: selector.params.get("k"))
def taken(selector: Selector, x: Vector, seen: Any) -> Vector:
    """In a text: where a rank's selector takes entries of ``x``, from what it knows.

    Costs are those of a selector that takes no more than it aims at.
    """
    kept = {*selector.select(x.entries, seen)}
    return Vector([i in kept for i in range(len(x))], False)


class Series:
    """One rank's calls of a selector, one after the other.

    >>> series = Series(find("topk", k=2))
    >>> series([1, -3, 2]), series([5, 0, 5])
    ([1:-3 2:2], [0:5 2:5])
    """

    def __init__(self, selector: Selector) -> None:
        self.selector, self.state = selector, selector.start

    def __call__(self, x: Sequence[Any]) -> SparseVector:
        self.state = self.selector.state(x, self.state)
        return every(x).at(self.selector.select(x, self.state))


def low(a: Int, b: Int) -> Int:
    """The lesser.

    >>> low(3, 5), low(5, 3)
    (3, 3)
    """
    return where(a <= b, a, b)


def high(a: Int, b: Int) -> Int:
    """The greater.

    >>> high(3, 5), high(5, 3)
    (5, 5)
    """
    return where(a <= b, b, a)


def names() -> list[str]:
    """The names of all selectors."""
    return sorted(m.name for m in pkgutil.iter_modules(room.__path__))


def find(name: str, **params: Any) -> Selector:
    """The selector called ``name``: a name, a module ``pkg.mod``, or a file ``./mine.py``.

    Raises UnknownPage when there is none, InputError when what is there is none, or is not pure.
    """
    return load(place(name), **params)


def place(name: str) -> ModuleType:
    """The module of the selector called so; raises as :func:`find` does."""
    if name in names():
        return importlib.import_module(f"{room.__name__}.{name}")
    if name.endswith(".py") or "/" in name:
        return pure(from_file(Path(name)))
    if "." in name:
        return pure(from_name(name))
    raise UnknownPage(f"no selector {name!r}; {did_you_mean(name, names())}'sparring list' shows all.")


def pure(module: ModuleType) -> ModuleType:
    """The module, whose functions are pure; raises InputError where one is not."""
    purity.check(module)
    return module


def load(module: ModuleType, **params: Any) -> Selector:
    """The selector that ``module`` is, with parameters ``params`` (defaults from its ``Params``).

    Raises InputError when a formula is missing, or one asks for a letter that it cannot have.
    """
    name = module.__name__.rpartition(".")[2]
    values = parameters(module, name, params)
    given = {formula: getattr(module, formula, None) for formula in LETTERS}
    if not hasattr(module, "State"):
        given["state"] = lambda x, before: None
    bound = {formula: bind(name, formula, function, values) for formula, function in given.items()}
    start = module.State() if hasattr(module, "State") else None
    doc = inspect.getdoc(module) or name
    ways: Sequence[Mapping[str, Any]] = getattr(module, "ways", ({},))
    return Selector(name, doc, module, values, start, **bound, ways=ways)


def bind(name: str, formula: str, function: Any, params: Mapping[str, Any]) -> Any:
    """``function``, to be called with all letters of ``formula`` in their order."""
    letters = LETTERS[formula]
    if not callable(function):
        raise InputError(f"selector {name} lacks the formula {formula}({', '.join(letters)})")
    wanted = tuple(inspect.signature(function).parameters)
    if strange := [w for w in wanted if w not in (*letters, *params)]:
        may = ", ".join((*letters, *params))
        raise InputError(f"selector {name}: {formula} asks for {strange[0]!r}; it may ask for {may}")
    return partial(called, function, wanted, letters, params)


def called(
    function: Callable[..., Any], wanted: Sequence[str], letters: Sequence[str], params: Mapping[str, Any], *given: Any
) -> Any:
    """What ``function`` says of what it wants of these."""
    known = {**params, **dict(zip(letters, given))}
    return function(**{w: known[w] for w in wanted})
