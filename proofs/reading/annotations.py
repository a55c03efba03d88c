"""Finds what a page's proof needs beyond its formulas: the module of the same name in ``proofs``.

A page in a file of its own, or of another package, may hold these names itself:

``same(r, s, c, t, p)``   after ``t`` steps ranks r and s hold the identical term in chunk c
``contention``            a mapping topology -> one of ``LEVELS``, what the page claims for every p; or a
                          function of the page's parameters that gives it
``lemmas(r, t, p)``       truths about every rank in every step that make the obligations easier for the solvers
``peers(page)``           obligations that the implementation's arithmetic is the page's; of a composition ``peers(page,
                          served)``, where ``served(name)`` is the page of an exchange
``spent(r, c, t, p)``     after ``t`` steps rank r has given its copy of chunk c away to be added, and has no other
``contributor(r, c, t, p)``  a rank whose contribution chunk c brings that rank r sends in step t
``sizes(page)``           that no message is longer than the dense one and its header, whatever its entries
``theorems(page)``        of a composition, claims on functions that its text calls, each a :class:`Stated`
``others``                parameters with which mutants are run besides its own
``refused``               of a composition, parameters that it does not take
``asked``                 of a composition, by name of its functions, for which arguments they may be asked
``kept(state, xs, i)``    of a composition, in words, what is wrong with its state after call ``i`` on vectors ``xs``
``owed(p)``               parameters with which all ranks are owed the sum or mean, by default the page's own
``off(xs, params)``       how far all results may be from it, beyond rounding; ``xs``: each rank's vectors, a row a call
``long``                  of one on whole vectors, parameters with which it runs on ones of 70,000 entries
``shown``                 of one on whole vectors, attributes of its class, each with ``f(state, r)``: its value
``certificates(page)``    a mapping (line, change) -> why such a fault is none, and obligations on which that rests
``least``                 a mapping parameter -> its least value: the theorems hold for every value from there on
``survivors``             a mapping from lines of the implementation to why mutants of them may live
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import ModuleType
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.proofs.contention import networks
from sparring.proofs.contention.levels import LEVELS
from sparring.proofs.logic.obligations import Bound, Contributor, Lemmas, Obligation, Same, Spent
from sparring.proofs.reading import paths
from sparring.proofs.reading.paths import Path
from sparring.spec.core.exchanges import served
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Sym

ROOMS = {"sparring.spec": "sparring.proofs", "sparring.spec.collectives": "sparring.proofs.collectives"}
"""By room of pages, the room of what their proofs need."""

Served = Callable[[str], Page]
"""Gives the page that carries an exchange out, by name."""


class Stated(NamedTuple):
    """A further claim about a composition: its name, its sentence, and the obligations that it follows from.

    The obligations are built of functions of ``page.module``, so that a fault in one of these makes some of them false.
    """

    name: str
    statement: str
    obligations: Iterable[Obligation]
    encoding: str = "wrap"
    """The encoding in which the obligations are read: one of the page's ``ENCODINGS``."""
    all_there_are: str = ""
    """Why values that the obligations go through one by one are all that there are; "": they are chosen."""
    examples: bool = False
    """Whether it has chosen values that its obligations' names do not tell."""


@dataclass(frozen=True)
class Subject:
    """The page and everything else that its theorems are about; a mutant is a Subject with one part replaced."""

    page: Page
    same: Same | None
    contention: Mapping[str, str]
    peers: Callable[[Page], Iterable[Obligation]] | None
    spent: Spent | None = None
    sizes: Callable[[Page], Iterable[Obligation]] | None = None
    lemmas: Lemmas | None = None
    contributor: Contributor | None = None
    bound: Bound = bound
    least: Mapping[str, int] = field(default_factory=dict)
    theorems: Callable[[Page], Iterable[Stated]] | None = None
    """The further claims about a composition."""
    values: Mapping[str, int] = field(default_factory=dict)
    """The requested values of the parameters that are symbols: contention is claimed for these values."""

    served: Served = served
    """Gives the pages of a composition's exchanges."""

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """All paths of a composition's text."""
        return tuple(paths.paths(self.page))

    @property
    def general(self) -> Subject:
        """The subject with a symbol in place of each parameter for every value of which the theorems hold.

        Raises InputError where the page's own value is not one of these.
        """
        if not self.least:
            return self
        symbols = {name: Sym.var(name) for name in self.least}
        values = {name: self.page.params[name] for name in self.least}
        for name, least in self.least.items():
            if values[name] < least:
                raise InputError(f"{name} = {values[name]}: theorems of {self.page.name} hold for {name} >= {least}")
        general = supplemented(load(self.page.module, **{**self.page.params, **symbols}), self.contention)
        return replace(general, values=values)

    @property
    def runnable(self) -> Page:
        """The page with the requested values in place of symbols."""
        return load(self.page.module, **{**self.page.params, **self.values}) if self.values else self.page

    @property
    def given(self) -> tuple[Bool, ...]:
        """The hypotheses that each symbol is at least its least value."""
        return tuple(Sym.var(name) >= least for name, least in self.least.items())

    @property
    def chosen(self) -> tuple[Bool, ...]:
        """The hypotheses that the symbols have the requested values."""
        return tuple(Sym.var(name) == value for name, value in self.values.items())

    @property
    def choice(self) -> str:
        """The requested values in words; empty where there are none."""
        return "".join(f", for {name} = {value}" for name, value in self.values.items())

    @property
    def scope(self) -> str:
        """The range of the symbols' values in words; empty where there are no symbols."""
        return "".join(f", for every {name} >= {least}" for name, least in self.least.items())


def subject(page: Page) -> Subject:
    """Return the page with its supplement; parts that are nowhere given are None or empty."""
    said = getattr(companion(page), "contention", {})
    return supplemented(page, with_parameters(said, page)() if callable(said) else said)


def supplemented(page: Page, contention: Mapping[str, str]) -> Subject:
    """Return the page with its supplement, but with the given ``contention`` as its claims of contention."""
    module = companion(page)
    for topology, level in contention.items():
        networks.find(topology)
        if level not in LEVELS:
            raise InputError(f"page {page.name}: contention {topology!r}: {level!r}; levels are {', '.join(LEVELS)}")
    names = ("same", "peers", "spent", "sizes", "lemmas", "contributor", "theorems")
    given: dict[str, Any] = {name: with_parameters(getattr(module, name, None), page) for name in names}
    if page.several and given["spent"]:
        raise InputError(f"page {page.name}: spent is not covered where a rank sends several messages in a step")
    said = getattr(module, "least", {})
    least = said if isinstance(said, Mapping) else {}  # a page may have a function of that name
    return Subject(page, contention=contention, least=least, **given)


def with_parameters(function: Any, page: Page) -> Any:
    """Return ``function`` with those of the page's parameters that it asks for."""
    asked = inspect.signature(function).parameters if function and page.params else ()
    wanted = {name: value for name, value in page.params.items() if name in asked}
    return partial(function, **wanted) if wanted else function


def companion(page: Page) -> ModuleType:
    """Return the module that holds the supplement."""
    room, _, name = page.module.__name__.rpartition(".")
    beside = ROOMS.get(room)
    if beside and importlib.util.find_spec(f"{beside}.{name}"):
        return importlib.import_module(f"{beside}.{name}")
    return page.module
