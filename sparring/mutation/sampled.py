"""Faults drawn from all modules below ``impl``, and which of them a default ``verify`` finds."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import NamedTuple

from sparring.mutation import judging, survey
from sparring.mutation.equivalence import same_expression
from sparring.mutation.judging import Faults, Judges
from sparring.mutation.loading import NAME, SOURCES, loaded
from sparring.mutation.planting import planted
from sparring.mutation.small_models import Trials
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.mutants.syntax import Mutant, mutants
from sparring.spec.core import pages, selectors
from sparring.verification.algorithm import find_target
from sparring.verification.selector import verify_selector


class Fault(NamedTuple):
    """A fault in a module and its fate: ``by`` which algorithm or selector it was found, and ``why``.

    ``full``: for a survivor, what ``--full`` finds in the algorithm that loads the fewest other modules; empty where
    that finds nothing, or only selectors load the module: all runs of a selector are those of a first look.
    """

    module: str
    function: str
    line: str
    change: str
    word: str
    by: str
    why: str
    full: str | None = None


def fates(count: int, seed: int, part: int = 0, parts: int = 1) -> Iterator[Fault]:
    """Yield the fates of ``count`` faults, drawn at random; of ``parts`` shares of them only share ``part``."""
    users = {module: names for module in SOURCES if (names := loading(module))}
    every = [(module, mutant) for module in users for mutant in mutants(SOURCES[module].read_text(encoding="utf-8"))]
    trials = Trials(Memory())
    for module, mutant in random.Random(seed).sample(every, count)[part::parts]:
        yield fate(module, mutant, users[module], trials)


def subjects() -> Mapping[str, str]:
    """Return all algorithms and selectors, each with the module of its implementation."""
    known = {name: f"{NAME}.{name}" for name in pages.names()}
    return known | {name: f"{NAME}.selectors.{name}" for name in selectors.names()}


def loading(module: str) -> list[str]:
    """Return the algorithms and selectors that load a module: its own first, then by how few modules they load."""
    users = {name: loaded(own) for name, own in subjects().items() if own in SOURCES and module in loaded(own)}
    return sorted(users, key=lambda name: (subjects()[name] != module, len(users[name])))


def fate(module: str, mutant: Mutant, names: Sequence[str], trials: Trials) -> Fault:
    """Return the fate of a mutant, decided by the first of the algorithms and selectors that kills or clears it."""
    place = module.removeprefix(f"{NAME}."), mutant.function, mutant.text, mutant.told
    for name in names:
        one = judging.fate(mutant, judges(name, importlib.import_module(module), mutant, trials))
        if one.word != "survived":
            return Fault(*place, one.word, name, one.why)
    page = next((pages.find(name) for name in names if name in pages.names()), None)
    full = survey.by_all_runs(page, str(find_target(page)), mutant, importlib.import_module(module)) if page else ""
    return Fault(*place, "survived", "", "", full)


def judges(name: str, module: ModuleType, mutant: Mutant, trials: Trials) -> Judges:
    """Return the judges of an algorithm or a selector that loads a module with this fault."""
    if name in pages.names():
        page = pages.find(name)
        return judging.of_code(page, str(find_target(page)), survey.wrong, mutant, trials, module)

    def runs() -> Faults:
        with planted(module, mutant.tree):
            found = [result for result in verify_selector(selectors.find(name)) if result.verdict == REFUTED]
        yield from (f"{result.property}: {result.detail}" for result in found)

    return Judges(runs, lambda: same_expression(mutant, module, "wrap", trials.memory), nothing)


def nothing() -> Faults:
    """Yield no fault: no theorem is about the code of selectors."""
    yield from ()
