"""What becomes of a mutant: *killed* by what, *equivalent* by which certificate, or *survived*.

A mutant of a page is tried by running its schedule, alone and beside the implementation, and by
small numbers in its theorems; one of an implementation by running it beside the page, with good
arguments and with bad ones.  What no run upsets is equivalent if two solvers prove that what is
changed gives what it gave; else they may have a counterexample to a theorem.  Any fault found kills
it; else it has survived, whatever the reason.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from types import ModuleType
from typing import Any, NamedTuple

from sparring.errors import InputError, SparringError, Undecided
from sparring.proofs.core import execution, iterations
from sparring.proofs.core.questions import Memory
from sparring.proofs.core.supplement import companion, subject
from sparring.proofs.cost.counted import count, unlike_a_run
from sparring.proofs.mutants.arrays import held, wasted
from sparring.proofs.mutants.beside import FEW, RANKS, beside, long, runs
from sparring.proofs.mutants.equivalence import proved, same_expression, same_function, same_page
from sparring.proofs.mutants.planting import Counter, built, guarded, planted
from sparring.proofs.mutants.refusals import refusals
from sparring.proofs.mutants.syntax import Mutant, mutants
from sparring.proofs.mutants.trying import Trials
from sparring.spec.core.model import Page, load
from sparring.spec.core.runner import run
from sparring.spec.core.schedule import number

FEWEST = 2  # entries that are selected
STEPS = 20  # for each rank: a schedule with more is not run, but counts as wrong


class Fate(NamedTuple):
    """``word``: "killed", "equivalent" or "survived"; ``why``: what found the fault, or proves that there is none."""

    mutant: Mutant
    word: str
    why: str


Faults = Generator[str, None, None]
"""What is wrong, in words, one after the other."""


class Judges(NamedTuple):
    """Who looks at a mutant, in this order, the cheapest first; ``certificate`` says why there is no fault, if so."""

    runs: Callable[[], Faults]
    certificate: Callable[[], str]
    theorems: Callable[[], Faults]


def of_page(page: Page, target: str | None) -> Iterator[Fate]:
    """The fate of every mutant of the page's own formulas; ``target`` implements it."""
    trials = Trials(Memory())
    for mutant in mutants(inspect.getsource(page.module)):
        yield fate(mutant, of_formulas(page, target, mutant, trials))


def of_implementation(page: Page, target: str) -> Iterator[Fate]:
    """The fate of every mutant of the module in which ``target`` lies."""
    trials, usual = Trials(Memory()), memory_of(page, target)
    for mutant in mutants(inspect.getsource(module_of(target))):
        yield fate(mutant, of_code(page, target, mutant, trials, usual))


def module_of(target: str) -> ModuleType:
    """The module in which it lies."""
    return importlib.import_module(target.partition(":")[0])


def fate(mutant: Mutant, judges: Judges) -> Fate:
    """What becomes of ``mutant``: a fault in its runs kills it, a certificate clears it, a theorem may kill it yet."""
    Counter.restart()
    if fault := first(judges.runs()):
        return Fate(mutant, "killed", fault)
    if proof := judges.certificate():
        return Fate(mutant, "equivalent", proof)
    fault = first(judges.theorems())
    return Fate(mutant, "killed" if fault else "survived", fault)


def first(faults: Faults) -> str:
    """The first fault; empty if there is none, or a solver gives up, which finds nothing out."""
    try:
        with closing(faults):
            return next(faults, "")
    except Undecided:
        return ""
    except SparringError as error:
        return f"{error}"
    except Exception as error:  # noqa: BLE001 - whatever a planted fault raises has found it out
        return f"{type(error).__name__}: {error}"


def of_formulas(page: Page, target: str | None, mutant: Mutant, trials: Trials) -> Judges:
    """Who looks at a page that has this fault."""
    changed = built(page.module, mutant.tree)
    whole, memory = subject(page).general, trials.memory

    def runs() -> Faults:
        for params in variants(page):
            yield from page_faults(load(changed, **params), target)
        yield from trials.tried(subject(load(changed, **page.params)))

    def certificate() -> str:
        found = same_page(whole, load(changed, **whole.page.params), memory) or same_function(
            mutant, page.module, page.encoding, memory, whole.given
        )
        return found or stated(load(changed, **page.params), mutant, memory)

    def theorems() -> Faults:
        yield from trials.asked(subject(load(changed, **page.params)))

    return Judges(runs, certificate, theorems)


def stated(page: Page, mutant: Mutant, memory: Memory) -> str:
    """Why the proof module says that this fault is none, if both solvers prove what that rests on."""
    said: Any = getattr(companion(page), "certificates", lambda _: {})(page)
    why, claims = said.get((mutant.text, mutant.told), ("", ()))
    return why if why and proved(lambda: claims, page.encoding, memory) else ""


def of_code(page: Page, target: str, mutant: Mutant, trials: Trials, usual: dict[str, int]) -> Judges:
    """Who looks at an implementation that has this fault; without one it takes as much memory as ``usual`` says."""
    module, whole, memory = module_of(target), subject(page), trials.memory

    def runs() -> Faults:
        with planted(module, mutant.tree):
            yield from trials.tried(whole, "peers")
            yield from implementation_faults(page, target)
            yield from (f"memory: {more}" for more in wasted(usual, memory_of(page, target)))

    def certificate() -> str:
        found = same_expression(mutant, module, page.encoding, memory) or same_function(
            mutant, module, page.encoding, memory, whole.given
        )
        return found or stated(page, mutant, memory)

    def theorems() -> Faults:
        with planted(module, mutant.tree):
            yield from trials.asked(whole, "peers")

    return Judges(runs, certificate, theorems)


def variants(page: Page) -> list[dict[str, Any]]:
    """The page's own parameters, others of its proof module, and the least two of those that theorems hold from.

    Where entries are selected once, and messages have no index if all are, also a few entries.
    """
    least, others = subject(page).least, getattr(companion(page), "others", ())
    fewer = ({name: value + more for name, value in least.items()} for more in range(2))
    few = [{"k": FEWEST}] if page.once else []
    return [{**page.params, **params} for params in ({}, *others, *few, *(fewer if least else ()))]


def memory_of(page: Page, target: str) -> dict[str, int]:
    """The most bytes that its arrays hold at once, by example, with the page's parameters and others."""
    return {
        what: size for params in variants(page) for what, size in held(load(page.module, **params), target).items()
    }


def page_faults(changed: Page, target: str | None) -> Faults:
    """What is wrong with a page that has a fault, as far as running it tells."""
    if changed.irregular:
        yield from program_faults(changed, target)
        return
    for ranks in RANKS:
        if number(changed.steps(ranks)) > STEPS * ranks:
            yield f"at p={ranks} there are {number(changed.steps(ranks))} steps"
    checks = [execution.matched, execution.wrong_result, execution.in_vain]
    checks += [execution.mass_lost] if changed.selecting else []
    yield from (f"run: {wrong}" for check in checks if (wrong := execution.first(check, changed, RANKS)))
    if lie := execution.first_lie(changed, RANKS):
        yield f"run: {lie}"
    yield from (f"sizes: {fault}" for fault in sizes(changed))
    if target:
        yield from (f"implementation: {fault}" for ranks in RANKS for fault in beside(changed, target, ranks))


def program_faults(changed: Page, target: str | None) -> Faults:
    """The same of a program, which has no schedule of its own: what it refuses, and does with entries, and beside."""
    for params in getattr(companion(changed), "refused", ()):
        if taken(load(changed.module, **params)):
            yield f"run: {params} is not refused"
    if changed.selecting and (wrong := execution.first(execution.mass_lost, changed, RANKS)):
        yield f"run: {wrong}"
    if changed.stateful:
        yield from (f"run: {wrong}" for ranks in range(1, FEW + 1) for wrong in kept(changed, ranks))
    if target:
        yield from (f"implementation: {fault}" for ranks in RANKS for fault in beside(changed, target, ranks))


def kept(changed: Page, ranks: int) -> Faults:
    """What is wrong with what a program keeps from call to call, or with what its functions are asked for."""
    said = companion(changed)
    with guarded(changed.module, getattr(said, "asked", {})):
        for case in iterations.edges([ranks], changed.dtypes)[:: len(changed.dtypes)]:
            page = load(changed.module, **case.params(changed))
            for i, ran in enumerate(iterations.runs(page, case.xs), start=1):
                yield from (said.kept(ran.state, ran.xs, i) if hasattr(said, "kept") else ())


def taken(page: Page) -> bool:
    """Whether it runs with its parameters, or fails otherwise than by refusing them."""
    try:
        return bool(run(page, [[1]]).results)
    except InputError:
        return False


def sizes(page: Page) -> Iterator[str]:
    """Where the words that formulas count are not those of a run; of sparse chunks no formula counts words."""
    for ranks in RANKS if page.data != "sparse" else ():
        at = {"p": ranks, "n": 3 * ranks + 1, "k": 2 * ranks}
        yield from map(str, unlike_a_run(page, count(page, **at, paths=False), at))


def implementation_faults(page: Page, target: str) -> Faults:
    """What is wrong with an implementation that has a fault, as far as running it tells."""
    pages = [load(page.module, **params) for params in variants(page)]
    for ranks in RANKS:
        yield from (f"beside the page: {fault}" for one in pages for fault in beside(one, target, ranks))
        if ranks <= FEW:
            yield from (f"{flaw.property}: {flaw.detail}" for flaw in refusals(page, target, ranks))
    for one in pages:
        yield from (f"{flaw.property}: {flaw.detail}" for flaw in runs(one, target))
    if page.selecting and page.irregular:
        yield from (f"beside the page: {flaw.detail}" for flaw in long(page, target))
