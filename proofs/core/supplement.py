"""What a page's proof needs beyond its formulas: the module of the same name in ``proofs``.

A page in a file of its own, or of another package, may hold these names itself:

``same(r, s, c, t, p)``   after ``t`` steps ranks r and s hold the identical term in chunk c
``contention``            a mapping topology -> one of ``LEVELS``, what the page claims for every p
``lemmas(r, t, p)``       truths about every rank in every step that make the obligations easier for the solvers
``peers(page)``           obligations that the implementation's arithmetic is the page's
``spent(r, c, t, p)``     after ``t`` steps rank r has given its copy of chunk c away to be added, and has no other
``sizes(page)``           obligations on how long messages are, whatever their entries
``survivors``             a mapping from lines of the implementation to why mutants of them may live
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

from sparring.errors import InputError
from sparring.proofs.contention import networks
from sparring.proofs.contention.levels import LEVELS
from sparring.proofs.core.obligations import Bound, Lemmas, Obligation, Same, Spent
from sparring.spec.core.model import Page, bound


@dataclass(frozen=True, slots=True)
class Subject:
    """All that the theorems of one page speak of; a mutant is a Subject with one part replaced."""

    page: Page
    same: Same | None
    contention: Mapping[str, str]
    peers: Callable[[Page], Iterable[Obligation]] | None
    spent: Spent | None = None
    sizes: Callable[[Page], Iterable[Obligation]] | None = None
    lemmas: Lemmas | None = None
    bound: Bound = bound


def subject(page: Page) -> Subject:
    """The page with its supplement; parts that are nowhere given are None or empty."""
    module = companion(page)
    contention = getattr(module, "contention", {})
    for topology, level in contention.items():
        networks.find(topology)
        if level not in LEVELS:
            raise InputError(f"page {page.name}: contention {topology!r}: {level!r}; levels are {', '.join(LEVELS)}")
    names = ("same", "peers", "spent", "sizes", "lemmas")
    same, peers, spent, sizes, lemmas = (getattr(module, name, None) for name in names)
    return Subject(page, same, contention, peers, spent, sizes, lemmas)


def companion(page: Page) -> ModuleType:
    """The module that holds the supplement."""
    room, _, name = page.module.__name__.rpartition(".")
    if room == "sparring.spec" and importlib.util.find_spec(f"sparring.proofs.{name}"):
        return importlib.import_module(f"sparring.proofs.{name}")
    return page.module
