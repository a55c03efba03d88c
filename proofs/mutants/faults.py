"""Faults in what a page's theorems are about, generated from the source of its formulas and refuted one by one.

A theorem is trusted only where each of its obligations is refuted for some fault: one that no fault can
upset says nothing.  Faults are planted in the page's formulas, in what its proof module says beside
them, in the bounds of chunks, and in the functions with which a proof module compares the page.

Two sorts of obligations hold for every page by construction and need none: those that the kernel generates
without a formula of the page (a rank's own port, what a standard kind wants), and those that a formula
which the page leaves out makes true of all numbers (``live``).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache, cached_property, partial
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import z3

from sparring.proofs.core import samples
from sparring.proofs.core.conjectures import Conjecture, conjectures
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.questions import Answer, Memory
from sparring.proofs.core.supplement import Subject, companion, with_parameters
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import FURTHER, OPERATORS, Fault, Mutant, mutants
from sparring.spec.core.letters import LETTERS
from sparring.spec.core.model import load
from sparring.spec.core.numbers import Node, Reader, both, either, where

PEER = " dst: "
"""In words, that a fault is in the formula that says to whom ranks send."""
POINTS = 1000
"""At so many a claim is evaluated; where that finds nothing, faults are put to the solver all the same."""
STATED = ("peers", "sizes")
"""Theorems whose obligations a proof module writes down; those of all others the kernel generates."""
BESIDE = ("same", "spent", "lemmas")
"""What proof modules say of ranks and steps, as formulas do."""


class Found(NamedTuple):
    """A fault that refutes an obligation: what is changed, the page with it, and the solver's counterexample."""

    told: str
    subject: Subject
    conjecture: Conjecture
    answer: Answer


class Planted:
    """A fault in words, the page that has it, and what must be around it meanwhile; planted when it is asked for."""

    def __init__(self, told: str, plant: Callable[[], Subject], around: Callable[[], Any] = nullcontext) -> None:
        self.told, self.plant, self.around = told, cache(plant), around
        self.known: dict[str, Conjecture | None] = {}

    def conjecture(self, name: str) -> Conjecture | None:
        """What would have to be shown of the page; None where the fault leaves nothing that can be read on symbols."""
        if name not in self.known:
            self.known[name] = None
            with self.around(), suppress(Exception):
                self.known[name] = next(conjectures(self.plant(), name), None)
        return self.known[name]


class Faults:
    """The faults of one page, each planted once for all theorems."""

    def __init__(self, whole: Subject, memory: Memory) -> None:
        self.whole, self.memory = whole.general, memory

    @cached_property
    def sorts(self) -> Mapping[tuple[str, int], Sequence[Planted]]:
        """The faults of each sort, the usual ones and further ones."""
        return {
            (sort, further): [*generate(self.whole, operators)]
            for sort, generate in SORTS.items()
            for further, operators in enumerate((OPERATORS, FURTHER))
        }

    @property
    def ours(self) -> bool:
        """Whether what is stated is stated by proof modules of sparring's own."""
        said = (getattr(self.whole, name) for name in STATED)
        return all(getattr(f, "func", f).__module__.startswith("sparring.proofs.") for f in said if f)

    def of(self, theorem: str, further: bool) -> Iterator[Planted]:
        """The faults that may upset the theorem; one that was planted for an earlier theorem is there already."""
        sorts = {"partition": ("bounds",), **dict.fromkeys(STATED, ("page", "compared"))}.get(theorem, ("page",))
        found = [one for sort in sorts for one in self.sorts[sort, further]]
        first = PEER if " on " in theorem else ""  # what is said of links is false where peers are wrong
        yield from sorted(found, key=lambda one: first not in one.told)

    def refuting(self, conjecture: Conjecture) -> tuple[dict[str, Found], list[str]]:
        """By obligation, a fault that refutes it; and the names of those that none refutes, though one should."""
        found: dict[str, Found] = {}
        left = {one.name: one for one in conjecture.obligations}
        for name, one in self.upsetting(conjecture, left):
            found[name] = one
            del left[name]
        return found, [*left]

    def upsetting(self, conjecture: Conjecture, left: dict[str, Obligation]) -> Iterator[tuple[str, Found]]:
        """Which of the obligations ``left`` a fault refutes, and the fault; the caller takes away what is enough.

        What evaluation at small numbers shows false is put to the solver first: only its answer counts.  What
        speaks of no formula of the page, and is the kernel's, or what is true of all numbers, is taken away
        once the usual faults do not refute it.
        """
        touched = {*left} if conjecture.name in STATED else set[str]()
        links = " on " in conjecture.name  # ranks that all send to one, say, are no usual fault
        for suspected, further in ((True, links), (True, not links), (False, False), (False, True)):
            for fault in self.of(conjecture.name, further) if left else ():
                changed = fault.conjecture(conjecture.name)
                for other in changed.obligations if changed else ():
                    if other.name not in left or self.same(left[other.name], other):
                        continue
                    if self.memory.identity(left[other.name].claim) != self.memory.identity(other.claim):
                        touched.add(other.name)
                    if changed and self.upset(other, conjecture.encoding, suspected):
                        answer = self.memory.answer(other, False, conjecture.encoding)
                        yield other.name, Found(fault.told, fault.plant(), changed, answer)
                if not left:
                    return
            for name in [n for n, one in left.items() if n not in touched or made_true(conjecture, one)]:
                del left[name]

    def upset(self, claim: Obligation, encoding: str, suspected: bool) -> bool:
        """Whether a solver refutes the claim, asked only if small numbers do, or only if they do not."""
        with suppress(z3.Z3Exception, TypeError):  # a fault may give a truth for a number
            if bool(samples.false_at(claim, POINTS)) == suspected:
                answer = self.memory.answer(claim, False, encoding)
                return bool(answer.witness) and not answer.problem
        return False

    def same(self, one: Obligation, other: Obligation) -> bool:
        """Whether the fault leaves the obligation as it is."""
        ours, theirs = ((x.claim, *x.hypotheses) for x in (one, other))
        return len(ours) == len(theirs) and all(
            self.memory.identity(a) == self.memory.identity(b) for a, b in zip(ours, theirs)
        )


class Folded(Reader[Any]):
    """What a claim is whatever its numbers are: True, False, or the term itself where that depends on them."""

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return name

    def operator(self, x: Node, args: list[Any]) -> Any:
        known = {"or": any(a is True for a in args), "and": all(a is True for a in args)}
        if x.op == "where":
            return True if args[1] is True and args[2] is True else x
        return True if known.get(x.op) else x


def made_true(conjecture: Conjecture, claim: Obligation) -> bool:
    """Whether the kernel generated a claim that is true of all numbers, from formulas that the page leaves out."""
    return conjecture.name not in STATED and Folded()(claim.claim) is True


Operators = Mapping[str, Fault]


def in_page(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Faults in the page's own formulas, in those that it takes from another page, and in what is said beside it."""
    page = whole.page
    for mutant in mutants(inspect.getsource(page.module), operators):
        yield Planted(str(mutant), partial(changed, whole, mutant))
    for name in (*LETTERS, "block"):  # formulas that a page takes from another
        f = getattr(page.module, name, None)
        if isinstance(f, FunctionType) and f.__module__ != page.module.__name__:
            for mutant in mutants(inspect.getsource(f), operators):
                yield Planted(f"{name}, {mutant}", partial(taken, whole, name, f, mutant))
    for name in BESIDE:
        f = getattr(getattr(whole, name), "func", getattr(whole, name))
        if isinstance(f, FunctionType) and f.__module__ in sys.modules and f.__module__ != page.module.__name__:
            for mutant in mutants(inspect.getsource(f), operators):
                yield Planted(f"{name}, {mutant}", partial(said, whole, name, f, mutant))


def in_bounds(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Faults in where chunks begin."""
    for mutant in mutants(inspect.getsource(whole.bound), operators):
        yield Planted(f"bound, {mutant}", partial(bounded, whole, mutant))


def in_compared(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Faults in the functions with which proof modules compare the page."""
    for room, name, f in compared(whole):
        for mutant in mutants(inspect.getsource(f), operators):
            told = f"{f.__module__.removeprefix('sparring.')}, {mutant}"
            yield Planted(told, lambda: whole, partial(patched, room, name, f, mutant))


SORTS: Mapping[str, Callable[[Subject, Operators], Iterator[Planted]]] = {
    "page": in_page, "bounds": in_bounds, "compared": in_compared,
}  # fmt: skip


def changed(whole: Subject, mutant: Mutant) -> Subject:
    """The page with one of its functions changed: that formula alone, or all that may make use of the function."""
    return with_formulas(whole, built(whole.page.module, mutant.tree), mutant.function)


def taken(whole: Subject, name: str, function: FunctionType, mutant: Mutant) -> Subject:
    """The page with a formula changed that it takes from another module."""
    new = ModuleType(whole.page.module.__name__)
    vars(new).update({**vars(whole.page.module), name: with_fault(function, mutant)})
    return with_formulas(whole, new, name)


def with_formulas(whole: Subject, module: ModuleType, function: str) -> Subject:
    """The page with what ``module`` has in the place of that function of its own.

    What the page states stays as it is: a statement that is false once it is changed need not say anything.
    """
    page, new = whole.page, load(module, **whole.page.params)
    names: tuple[str, ...] = (*LETTERS, "count", "own")
    if function in LETTERS or function == "block":
        names = ("chunk", "count") if function == "block" else (function, "own") if page.own else (function,)
    fields = {name: getattr(new, name) for name in names if name in page.__slots__}
    other = replace(whole, page=replace(page, module=module, **fields))
    if companion(page) is not page.module or function in LETTERS:
        return other
    return replace(other, **{f: with_parameters(getattr(module, f, None), page) for f in BESIDE})


def said(whole: Subject, name: str, function: FunctionType, mutant: Mutant) -> Subject:
    """The page with something else said beside it."""
    return replace(whole, **{name: with_parameters(with_fault(function, mutant), whole.page)})


def bounded(whole: Subject, mutant: Mutant) -> Subject:
    """The page with other bounds of chunks."""
    function: Any = whole.bound
    return replace(whole, bound=with_fault(function, mutant))


def with_fault(function: FunctionType, mutant: Mutant) -> Any:
    """The changed function, with all else in its module as it is."""
    there = {"both": both, "either": either, "where": where, **function.__globals__}
    exec(compile(mutant.tree, function.__code__.co_filename, "exec", dont_inherit=True), there)  # noqa: S102 - our own
    return there[mutant.function]


def compared(whole: Subject) -> Iterator[tuple[ModuleType, str, FunctionType]]:
    """The functions on numbers that proof modules compare with the page, each with the module that finds it there."""
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
    """The modules that a module names, of those with this prefix; not those that all proofs share."""
    found = (x for x in vars(room).values() if isinstance(x, ModuleType) and x.__name__.startswith(prefix))
    return [x for x in found if not x.__name__.startswith("sparring.proofs.core")]


def numeric(function: FunctionType) -> bool:
    """Whether it takes numbers and gives numbers, as far as it says, and belongs to a page or an implementation."""
    said = {str(getattr(x, "__name__", x)) for x in function.__annotations__.values()}
    return bool(said) and said <= NUMERIC and function.__module__.startswith(("sparring.impl.", "sparring.spec."))


NUMERIC = frozenset({"int", "bool", "Int", "Bool", "Encoding", "tuple[int, int]", "tuple[Int, Int]"})
"""How the arguments and results of such functions are annotated."""


@contextmanager
def patched(room: ModuleType, name: str, function: FunctionType, mutant: Mutant) -> Iterator[None]:
    """``room`` has the changed function for a while."""
    setattr(room, name, with_fault(function, mutant))
    try:
        yield
    finally:
        setattr(room, name, function)


