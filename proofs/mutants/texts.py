"""Plants faults for a composition's theorems: in its text, its exchanges and its local functions."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from types import ModuleType
from typing import Any, NamedTuple

from sparring.proofs.mutants.planting import built, planted
from sparring.proofs.mutants.sites import BOUND, Home, Operators, Planted, borrowed, taking
from sparring.proofs.mutants.syntax import mutants
from sparring.proofs.reading.annotations import Subject
from sparring.proofs.statements.compositions import serving
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page

ROOMS = tuple(f"sparring.spec.{room}." for room in ("core", "codecs", "library"))
"""Where modules lie that texts make use of."""
REMEMBERING = type(cache(lambda: None))
"""What ``cache`` and ``lru_cache`` make of a function."""
SHARED = {
    f"sparring.spec.{name}" for name in (
        "core.calling", "core.compositions", "core.exchanges", "core.loading", "core.model", "core.modules",
        "core.numbers", "core.rounds", "core.runs", "core.schedule", "core.selectors", "core.sparse", "core.vectors",
        "library.lossy_links",
    )
}
"""Those that say what a text is, and run it; what one does itself is in the others."""


def in_text(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in the page's own functions, those in the text first."""
    found = mutants(inspect.getsource(whole.page.module), operators)
    for mutant in sorted(found, key=lambda one: one.function != "program"):
        home = str(whole.page.module.__file__), mutant.function
        yield Planted(str(mutant), partial(with_text, whole, mutant.tree), home=home)


def with_text(whole: Subject, tree: ast.Module) -> Subject:
    """Return the composition with this source."""
    return replace(whole, page=load(built(whole.page.module, tree), **whole.page.params))


def in_exchanges(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in the pages that carry exchanges out, and in formulas that these take from others."""
    for page in serving(whole.paths, whole.served):
        for mutant in mutants(inspect.getsource(page.module), operators):
            plant = partial(served_by, whole, page.name, partial(built, page.module, mutant.tree))
            yield Planted(f"{page.name}, {mutant}", plant, part=page.name)
        for name, function in borrowed(page.module):
            for mutant in mutants(inspect.getsource(function), operators):
                plant = partial(served_by, whole, page.name, partial(taking, page.module, name, function, mutant))
                yield Planted(f"{page.name}, {mutant}", plant, part=page.name)


def served_by(whole: Subject, name: str, made: Any) -> Subject:
    """Return the same composition, one of whose exchanges is carried out by the page that ``made`` makes."""
    changed = load(made())
    return beside(whole, served=lambda other: changed if other == name else whole.served(other))


def beside(whole: Subject, **changed: Any) -> Subject:
    """Return the composition with another part beside its text, whose paths are read already."""
    found = replace(whole, **changed)
    vars(found)["paths"] = whole.paths
    return found


def in_local(whole: Subject, operators: Operators) -> Iterator[Planted]:
    """Yield faults in the modules that hold the text's codes and local functions, and in those on which these rest."""
    modules = resting_on(whole.page.module)
    for i, module in reversed([*enumerate(modules)]):
        above = [(one, source(one)) for one in modules[i + 1 :]]
        for mutant in mutants(inspect.getsource(module), operators):
            told = f"{module.__name__.removeprefix('sparring.')}, {mutant}"
            around = partial(rebuilt, [(module, mutant.tree), *above])
            home = str(module.__file__), mutant.function
            yield Planted(told, partial(with_text, whole, source(whole.page.module)), around, home=home)


@contextmanager
def rebuilt(changed: Sequence[tuple[ModuleType, ast.Module]]) -> Iterator[None]:
    """Give these modules this code for a while, one after the other."""
    with ExitStack() as stack:
        for module, tree in changed:
            stack.enter_context(planted(module, tree))
        yield


@cache
def source(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def resting_on(module: ModuleType) -> list[ModuleType]:
    """Return the modules of ``ROOMS`` of which a module makes use, each after those on which it rests."""
    parts = vars(module).values()
    names = {one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", "") for one in parts}
    there = sorted(name for name in names if name.startswith(ROOMS) and name not in SHARED)
    direct = [sys.modules[name] for name in there if name != module.__name__]
    return [*dict.fromkeys(x for one in direct for x in (*resting_on(one), one))]


class Spoken(NamedTuple):
    """The subjects of a theorem: exchanges, bounds, "" for all else; and functions that run when it is written down."""

    parts: frozenset[str]
    functions: frozenset[Home]


def spoken_of(whole: Subject, theorem: str) -> Spoken:
    """Return what the theorem of that name about a composition speaks of; that its text is read is left out."""
    asked = {""}

    def served(page: str) -> Page:
        asked.add(page)
        return whole.served(page)

    def bound(*args: Any) -> Any:
        asked.add(BOUND)
        return whole.bound(*args)

    said = beside(whole, served=served, bound=bound)
    ran = running(whole.page.module, lambda: next(conjectures(said, theorem)))
    return Spoken(frozenset(asked), ran)


def running(module: ModuleType, work: Callable[[], object]) -> frozenset[Home]:
    """Return the functions that run when this is done; first those on which ``module`` rests forget what they know."""
    for one in (one for x in (module, *resting_on(module)) for one in vars(x).values()):
        if isinstance(one, REMEMBERING):
            one.cache_clear()
    found, before = set[Home](), sys.getprofile()
    sys.setprofile(lambda frame, *_: found.add((frame.f_code.co_filename, frame.f_code.co_name)))
    try:
        work()
    finally:
        sys.setprofile(before if callable(before) else None)  # one that is not Python's own cannot be put back
    return frozenset(found)
