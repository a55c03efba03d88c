"""Plants faults for a page's theorems: in its formulas, in bounds of chunks, in what is compared with it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache, partial
from types import FunctionType, ModuleType
from typing import Any

from sparring.proofs.mutants.planting import Counter, built
from sparring.proofs.mutants.syntax import Fault, Mutant, mutants
from sparring.proofs.reading.annotations import Subject, companion, with_parameters
from sparring.proofs.reading.local_functions import LOCAL
from sparring.proofs.statements.conjectures import Conjecture, conjectures
from sparring.spec.core.loading import load, pairs
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both, either, where
from sparring.spec.core.vocabulary import LETTERS

STATED = ("peers", "sizes")
"""Theorems whose obligations a proof module writes down; those of all others the kernel generates."""
BOUND = "bound"
BESIDE = ("same", "spent", "lemmas")
"""What proof modules say of ranks and steps, as formulas do."""

Home = tuple[str, str]
"""A function, by its file and its name."""


class Planted:
    """A fault in words, the page that has it, and what must be around it meanwhile; planted when it is asked for.

    ``part``: of a composition, the exchange in whose page it is, or ``BOUND``; ``home``: in which file and function.
    """

    def __init__(
        self, told: str, plant: Callable[[], Subject], around: Callable[[], Any] = nullcontext, part: str = "",
        home: Home | None = None,
    ) -> None:
        self.told, self.plant, self.around, self.part, self.home = told, cache(plant), around, part, home
        self.known: dict[str, Conjecture | None] = {}

    @property
    def line(self) -> str:
        """Return in which function and line it is, in words."""
        return self.told.partition(": ")[0]

    @property
    def local(self) -> bool:
        """Return whether it is in a module beside the page, which is changed for a while."""
        return self.around is not nullcontext

    def conjecture(self, name: str) -> Conjecture | None:
        """Return what would have to be shown of the page; None where nothing is left that can be read on symbols."""
        if name not in self.known:
            self.known[name] = None
            Counter.restart()
            with suppress(Exception), self.around():
                self.known[name] = next(conjectures(self.plant(), name), None)
        return self.known[name]


Operators = Mapping[str, Fault]


def in_page(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in the page's own formulas, in those taken from another page, and in what is said beside it."""
    page = whole.page
    for mutant in mutants(inspect.getsource(page.module), operators):
        yield Planted(str(mutant), partial(changed, whole, mutant))
    for name, f in (*borrowed(page.module), *left_out(page)):
        for mutant in mutants(inspect.getsource(f), operators):
            yield Planted(f"{name}, {mutant}", partial(taken, whole, name, f, mutant))
    for name in BESIDE:
        f = getattr(getattr(whole, name), "func", getattr(whole, name))
        if isinstance(f, FunctionType) and f.__module__ in sys.modules and f.__module__ != page.module.__name__:
            for mutant in mutants(inspect.getsource(f), operators):
                yield Planted(f"{name}, {mutant}", partial(said, whole, name, f, mutant))


def in_bounds(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in where chunks begin."""
    for mutant in mutants(inspect.getsource(whole.bound), operators):
        yield Planted(f"{BOUND}, {mutant}", partial(bounded, whole, mutant), part=BOUND)


def in_compared(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in the functions with which proof modules compare the page."""
    for room, name, f in compared(whole):
        for mutant in mutants(inspect.getsource(f), operators):
            told = f"{f.__module__.removeprefix('sparring.')}, {mutant}"
            yield Planted(told, lambda: whole, partial(patched, room, name, f, mutant))


def borrowed(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the formulas that a page takes from another, and other functions that it takes from pages."""
    for name in sorted(vars(module), key=lambda name: (name not in FORMULAS, *FORMULAS.get(name, ()), name)):
        f = getattr(module, name)
        foreign = isinstance(f, FunctionType) and f.__module__ != module.__name__
        if foreign and (name in FORMULAS or f.__module__.rpartition(".")[0] == "sparring.spec"):
            yield name, f


def left_out(page: Page) -> Iterator[tuple[str, Any]]:
    """Yield what stands for a formula that the page leaves out, and of which something is shown: bytes of pieces."""
    if page.data in LOCAL and not hasattr(page.module, "octets"):
        yield "octets", pairs


FORMULAS = {name: (i,) for i, name in enumerate((*LETTERS, "block"))}
"""How formulas are called, each with its place."""


def changed(whole: Subject, mutant: Mutant) -> Subject:
    """Return the page with one of its functions changed: that formula alone, or all that may use the function."""
    return with_formulas(whole, built(whole.page.module, mutant.tree), mutant.function)


def taken(whole: Subject, name: str, function: FunctionType, mutant: Mutant) -> Subject:
    """Return the page with a formula changed that it takes from another module."""
    return with_formulas(whole, taking(whole.page.module, name, function, mutant), name)


def taking(module: ModuleType, name: str, function: FunctionType, mutant: Mutant) -> ModuleType:
    """Return the module with a fault in a formula that it takes from another."""
    new = ModuleType(module.__name__)
    vars(new).update({**vars(module), name: with_fault(function, mutant)})
    return new


def with_formulas(whole: Subject, module: ModuleType, function: str) -> Subject:
    """Return the page with what ``module`` has in the place of that function of its own.

    What the page states stays as it is: a statement that is false once it is changed need not say anything.
    """
    page, new = whole.page, load(module, **whole.page.params)
    names: tuple[str, ...] = (*LETTERS, "count", "own")
    if function in LETTERS or function == "block":
        several = {"block": ("chunk", "count"), "below": ("below", "count")}
        names = several.get(function, (function, "own") if page.own else (function,))
    fields = {name: getattr(new, name) for name in names if name in page.__slots__}
    other = replace(whole, page=replace(page, module=module, **fields))
    if companion(page) is not page.module or function in LETTERS:
        return other
    return replace(other, **{f: with_parameters(getattr(module, f, None), page) for f in BESIDE})


def said(whole: Subject, name: str, function: FunctionType, mutant: Mutant) -> Subject:
    """Return the page with something else said beside it."""
    return replace(whole, **{name: with_parameters(with_fault(function, mutant), whole.page)})


def bounded(whole: Subject, mutant: Mutant) -> Subject:
    """Return the page with other bounds of chunks."""
    function: Any = whole.bound
    return replace(whole, bound=with_fault(function, mutant))


def with_fault(function: FunctionType, mutant: Mutant) -> Any:
    """Return the changed function, with all else in its module as it is."""
    there = {"both": both, "either": either, "where": where, **function.__globals__}
    exec(compile(mutant.tree, function.__code__.co_filename, "exec", dont_inherit=True), there)  # noqa: S102 - our own
    return there[mutant.function]


def compared(whole: Subject) -> Iterator[tuple[ModuleType, str, FunctionType]]:
    """Yield the functions on numbers that proof modules compare with the page, each with its finder's module."""
    stated = [getattr(f, "func", f) for f in (getattr(whole, name) for name in STATED) if f]
    first = [sys.modules[f.__module__] for f in stated if f.__module__ in sys.modules]
    rooms = [*dict.fromkeys([*first, *(x for room in first for x in inside(room, "sparring.proofs."))])]
    places = [*dict.fromkeys([*rooms, *(x for room in rooms for x in inside(room, "sparring.impl."))])]
    for place in places:
        for name, f in sorted(vars(place).items()):
            theirs = place not in rooms and f not in rooms
            if isinstance(f, FunctionType) and numeric(f) and (theirs or f.__module__ != place.__name__):
                yield place, name, f


def inside(room: ModuleType, prefix: str) -> Iterable[ModuleType]:
    """Return the modules that a module names, of those with this prefix; not those that all proofs share."""
    found = (x for x in vars(room).values() if isinstance(x, ModuleType) and x.__name__.startswith(prefix))
    return [x for x in found if not x.__name__.startswith(SHARED)]


SHARED = tuple(f"sparring.proofs.{room}." for room in ("logic", "reading", "statements", "kernel"))
"""How modules are named that all proofs share."""


def numeric(function: FunctionType) -> bool:
    """Return whether it takes and gives numbers, as far as it says, and belongs to a page or an implementation."""
    said = {str(getattr(x, "__name__", x)) for x in function.__annotations__.values()}
    return bool(said) and said <= NUMERIC and function.__module__.startswith(("sparring.impl.", "sparring.spec."))


NUMERIC = frozenset({"int", "bool", "Int", "Bool", "Encoding", "tuple[int, int]", "tuple[Int, Int]"})
"""How the arguments and results of such functions are annotated."""


@contextmanager
def patched(room: ModuleType, name: str, function: FunctionType, mutant: Mutant) -> Iterator[None]:
    """Give ``room`` the changed function for a while."""
    setattr(room, name, with_fault(function, mutant))
    try:
        yield
    finally:
        setattr(room, name, function)


