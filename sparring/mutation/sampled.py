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
    """What was changed in which module, and its fate: ``by`` which algorithm or selector it was found, and ``why``.

    ``full``: of what lives, what ``--full`` finds in the algorithm that loads the fewest other modules; empty where
    that finds nothing, or a selector alone loads it, of which all runs are those of a first look.
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
    """So many faults, drawn at random, or those of one of several parts of them."""
    users = {module: names for module in SOURCES if (names := loading(module))}
    every = [(module, mutant) for module in users for mutant in mutants(SOURCES[module].read_text(encoding="utf-8"))]
    trials = Trials(Memory())
    for module, mutant in random.Random(seed).sample(every, count)[part::parts]:
        yield fate(module, mutant, users[module], trials)


def subjects() -> Mapping[str, str]:
    """Algorithms and selectors, each with the module of its implementation."""
    known = {name: f"{NAME}.{name}" for name in pages.names()}
    return known | {name: f"{NAME}.selectors.{name}" for name in selectors.names()}


def loading(module: str) -> list[str]:
    """The algorithms and selectors that load it: its own, then those that load the fewest others."""
    users = {name: loaded(own) for name, own in subjects().items() if own in SOURCES and module in loaded(own)}
    return sorted(users, key=lambda name: (subjects()[name] != module, len(users[name])))


def fate(module: str, mutant: Mutant, names: Sequence[str], trials: Trials) -> Fault:
    """What the first of these finds, or a certificate that there is nothing to find."""
    place = module.removeprefix(f"{NAME}."), mutant.function, mutant.text, mutant.told
    for name in names:
        one = judging.fate(mutant, judges(name, importlib.import_module(module), mutant, trials))
        if one.word != "survived":
            return Fault(*place, one.word, name, one.why)
    page = next((pages.find(name) for name in names if name in pages.names()), None)
    full = survey.by_all_runs(page, str(find_target(page)), mutant, importlib.import_module(module)) if page else ""
    return Fault(*place, "survived", "", "", full)


def judges(name: str, module: ModuleType, mutant: Mutant, trials: Trials) -> Judges:
    """Who looks at an algorithm or a selector that loads a module with this fault."""
    if name in pages.names():
        page = pages.find(name)
        return judging.of_code(page, str(find_target(page)), survey.wrong, mutant, trials, module)

    def runs() -> Faults:
        with planted(module, mutant.tree):
            found = [result for result in verify_selector(selectors.find(name)) if result.verdict == REFUTED]
        yield from (f"{result.property}: {result.detail}" for result in found)

    return Judges(runs, lambda: same_expression(mutant, module, "wrap", trials.memory), nothing)


def nothing() -> Faults:
    """No theorem is about code."""
    yield from ()
