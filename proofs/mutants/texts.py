"""Faults planted in a composition: in its text, from the syntax tree of the page; and in the pages of its exchanges."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from types import FunctionType, ModuleType
from typing import Any

from sparring.proofs.core.compositions import reached, serving
from sparring.proofs.core.conjectures import CLAIM, Conjecture, named, spoken_of
from sparring.proofs.core.supplement import Subject
from sparring.proofs.mutants.faults import bounded, with_fault
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import IN_PAGES, Mutant, mutants
from sparring.spec.core.letters import LETTERS
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Node, Truth

Fault = Callable[[Subject], Subject]


def mutations(whole: Subject) -> Mapping[str, Fault]:
    """By name: faults of the text, each as the line says that is changed; then of its exchanges, and of chunks."""
    source = inspect.getsource(whole.page.module)
    planted: dict[str, Fault] = {f"{one}": partial(in_text, mutant=one) for one in mutants(source, IN_PAGES)}
    planted = dict(sorted(planted.items(), key=lambda one: ", program:" not in one[0]))
    for page in serving(whole.paths, whole.served):
        source = inspect.getsource(page.module)
        planted |= {f"{page.name}, {one}": partial(in_exchange, name=page.name, mutant=one) for one in mutants(source)}
        for formula, function in taken(page):
            for one in mutants(inspect.getsource(function)):
                changed = partial(in_taken, name=page.name, formula=formula, function=function, mutant=one)
                planted[f"{page.name}, {one}"] = changed
    source = inspect.getsource(whole.bound)
    return planted | {f"bound, {one}": partial(with_bound, mutant=one) for one in mutants(source)}


class Mutants:
    """The faults of one composition, each planted once for all theorems; what they change of it is read once, too."""

    def __init__(self, whole: Subject) -> None:
        self.whole = whole
        self.planted: dict[str, Subject] = {}

    @cached_property
    def faults(self) -> Mapping[str, Fault]:
        return mutations(self.whole)

    def of(self, fault: str) -> Subject:
        """The composition with the fault of that name."""
        if fault not in self.planted:
            self.planted[fault] = self.faults[fault](self.whole)
        return self.planted[fault]

    def that_may_upset(self, name: str) -> list[str]:
        """Faults but for those in what the theorem of that name never asks for: exchanges, bounds, functions."""
        asked = set[str]()

        def served(page: str) -> Page:
            asked.add(page)
            return self.whole.served(page)

        def bound(*args: Any) -> Any:
            asked.add("bound")
            return self.whole.bound(*args)

        named(beside(self.whole, served=served, bound=bound), name)
        found = [fault for fault in self.faults if fault.startswith("line ") or fault.partition(", ")[0] in asked]
        return [*self.heard(found, spoken_of(self.whole, name))] if name.startswith(CLAIM) else found

    def heard(self, faults: Iterable[str], spoken: set[str]) -> Iterator[str]:
        """Those in functions that a claim speaks of, or that these call; or with which the text calls them no more."""
        within, text = reached(self.whole.page, *spoken), reached(self.whole.page)
        for fault in faults:
            function = fault.partition(", ")[2].partition(":")[0]
            if function in within:
                yield fault
            elif function in text:
                with suppress(Exception):  # a page that cannot be loaded upsets nothing
                    if not spoken <= reached(self.of(fault).page):
                        yield fault


def beside(whole: Subject, **changed: Any) -> Subject:
    """The composition with another part beside its text, whose paths are read already."""
    found = replace(whole, **changed)
    vars(found)["paths"] = whole.paths
    return found


def in_exchange(whole: Subject, name: str, mutant: Mutant) -> Subject:
    """The same composition, one of whose exchanges is carried out by a page with a fault."""
    changed = load(built(whole.served(name).module, mutant.tree))
    return beside(whole, served=lambda other: changed if other == name else whole.served(other))


def taken(page: Page) -> Iterator[tuple[str, FunctionType]]:
    """The formulas that a page takes from another."""
    for name in LETTERS:
        function = getattr(page.module, name, None)
        if isinstance(function, FunctionType) and function.__module__ != page.module.__name__:
            yield name, function


def in_taken(whole: Subject, name: str, formula: str, function: FunctionType, mutant: Mutant) -> Subject:
    """The same composition, where the page of an exchange takes a formula with a fault from another page."""
    module = ModuleType(whole.served(name).module.__name__)
    vars(module).update({**vars(whole.served(name).module), formula: with_fault(function, mutant)})
    changed = load(module)
    return beside(whole, served=lambda other: changed if other == name else whole.served(other))


def in_text(whole: Subject, mutant: Mutant) -> Subject:
    """The composition with a fault in its text."""
    changed = load(built(whole.page.module, mutant.tree), **whole.page.params)
    return replace(whole, page=changed)


def with_bound(whole: Subject, mutant: Mutant) -> Subject:
    """The composition with other bounds of chunks."""
    return beside(whole, bound=bounded(whole, mutant).bound)


def tighter(conjecture: Conjecture) -> Iterator[tuple[str, Conjecture]]:
    """The conjecture with one of its claims made sharper: one that stays true says less than it could."""
    for one in conjecture.obligations:
        if (sharp := sharper(one.claim)) is not None:
            yield f"sharper: {one.name}", conjecture._replace(obligations=(one._replace(claim=sharp),))


def sharper(claim: Any) -> Any:
    """The claim with ``<`` for a ``<=`` that is not negated, or with one more on a side of ``==``; else None."""
    if not isinstance(claim, Node):
        return None
    if claim.op == "<=":
        return Truth("<", *claim.args)
    if claim.op == "==":
        return Truth("==", claim.args[0] + 1, claim.args[1])
    if claim.op in ("and", "or"):
        first = sharper(claim.args[-1])
        return None if first is None else Truth(claim.op, *claim.args[:-1], first)
    return None
