"""Decides what becomes of a mutant: *killed* by what, *equivalent* by which certificate, or *survived*.

A mutant of a page is tried by running its schedule, alone and beside the implementation, and by
small numbers in its theorems; one of an implementation by the runs of ``verify`` itself, and by no others.
What no run upsets is equivalent if two solvers prove that what is changed gives what it gave; else they may
have a counterexample to a theorem.  Any fault found kills it; else it has survived, whatever the reason.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from functools import partial
from itertools import chain, islice, product
from math import isclose, isnan
from operator import eq
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sparring import page_runs
from sparring.costs.derivation.counted import count, unlike_a_run
from sparring.errors import InputError, Refuted, SparringError, Undecided
from sparring.mutation.equivalence import proved, same_expression, same_function, same_page
from sparring.mutation.memory import MEASURED, held, wasted
from sparring.mutation.planting import planted
from sparring.mutation.small_models import Trials
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.planting import Counter, built, guarded
from sparring.proofs.mutants.syntax import IN_PAGES, Mutant, mutants
from sparring.proofs.reading.annotations import companion, subject
from sparring.proofs.statements import execution
from sparring.refinement import stateful
from sparring.refinement.comparison import Flaw
from sparring.refinement.differential import FEW, beside
from sparring.refinement.looks import SOME, variants
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run
from sparring.spec.core.schedule import number

RANKS = range(1, 8)
"""Numbers of ranks that a page runs with; folds of one pair and of several, and powers, are among them."""
SAME = "results and messages are the same, and arrays take more memory"
"""Why a mutant may live."""
STEPS = 20  # for each rank: a schedule with more is not run, but counts as wrong


class Fate(NamedTuple):
    """``word``: "killed", "equivalent" or "survived"; ``why``: what found the fault, or proves that there is none."""

    mutant: Mutant
    word: str
    why: str
    alone: str = ""
    """Of a page: the theorem that its proof alone, without any run, does not prove any more."""


Faults = Generator[str, None, None]
"""What is wrong, in words, one after the other."""
Found = Callable[[Page, str], Iterable[Flaw]]
"""What runs of a page's implementation find wrong."""


class Judges(NamedTuple):
    """The judges of a mutant, in this order, the cheapest first; ``certificate`` says why it is no fault, if so."""

    runs: Callable[[], Faults]
    certificate: Callable[[], str]
    theorems: Callable[[], Faults]


def of_page(page: Page, target: str | None, every: int = 1) -> Iterator[Fate]:
    """Yield the fate of every mutant, or of one in ``every``, of the page's own text; ``target`` implements the page.

    A mutant that proof alone refuses needs no other judge.
    """
    trials, source = Trials(Memory()), inspect.getsource(page.module)
    sound(of_formulas(page, target, unharmed(source), trials))
    if wrong := trials.refused(page, unharmed(source)):
        raise Refuted(f"{wrong} is not proved though no fault is planted")
    for mutant in islice(mutants(source, IN_PAGES), None, None, every):
        judges = of_formulas(page, target, mutant, trials)
        if theorem := trials.refused(page, mutant):
            yield Fate(mutant, "killed", f"proof: {theorem}", theorem)
        else:
            yield fate(mutant, judges)


def of_implementation(page: Page, target: str, found: Found, every: int = 1) -> Iterator[Fate]:
    """Yield the fate of every mutant, or of one in ``every``, of the module in which ``target`` lies.

    ``found``: finds the flaws in runs of the target.  The fate of a survivor tells if the fault takes more memory.
    """
    trials, usual, source = Trials(Memory()), memory_of(page, target), inspect.getsource(module_of(target))
    sound(of_code(page, target, found, unharmed(source), trials))
    for mutant in islice(mutants(source), None, None, every):
        one = fate(mutant, of_code(page, target, found, mutant, trials))
        yield one if one.word != "survived" else one._replace(why=more_memory(page, target, mutant, usual))


def more_memory(page: Page, target: str, mutant: Mutant, usual: dict[str, int]) -> str:
    """Return how much more memory a mutant takes, in words; empty where it takes no more."""
    with planted(module_of(target), mutant.tree):
        more = next(wasted(usual, memory_of(page, target)), "")
    return more and f"{SAME}: {more}"


def unharmed(source: str) -> Mutant:
    """Return the source without a fault, as a mutant."""
    return Mutant("", "", 0, "nothing", ast.parse(source))


def sound(judges: Judges) -> None:
    """Raise Refuted where runs find a fault though none is planted: then they would kill every mutant."""
    if fault := first(judges.runs()):
        raise Refuted(f"a fault is found where none is planted: {fault}")


def module_of(target: str) -> ModuleType:
    """Return the module in which ``target`` lies."""
    return importlib.import_module(target.partition(":")[0])


def fate(mutant: Mutant, judges: Judges) -> Fate:
    """Return the mutant's fate: a fault in runs kills it, else a certificate clears it, else a theorem may kill it."""
    Counter.restart()
    if fault := first(judges.runs()):
        return Fate(mutant, "killed", fault)
    if proof := judges.certificate():
        return Fate(mutant, "equivalent", proof)
    fault = first(judges.theorems())
    return Fate(mutant, "killed" if fault else "survived", fault)


def first(faults: Faults) -> str:
    """Return the first fault, an error included; empty if there is none or a solver gives up, which shows nothing."""
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
    """Return the judges of a page that has this fault."""
    changed = built(page.module, mutant.tree)
    whole, memory = subject(page).general, trials.memory

    def runs() -> Faults:
        pages = [load(changed, **params) for params in variants(page)]
        small = trials.tried(subject(load(changed, **page.params)))
        if page.composed:  # programs take longer than numbers
            yield from chain(small, program_faults(pages, target))
        else:
            yield from chain((fault for one in pages for fault in page_faults(one, target)), small)

    def certificate() -> str:
        found = same_page(whole, load(changed, **whole.page.params), memory) or same_function(
            mutant, page.module, page.encoding, memory, whole.given
        )
        return found or stated(load(changed, **page.params), mutant, memory)

    def theorems() -> Faults:
        yield from trials.asked(subject(load(changed, **page.params)))

    return Judges(runs, certificate, theorems)


def stated(page: Page, mutant: Mutant, memory: Memory) -> str:
    """Return the proof module's reason why this change is no fault, if both solvers prove its claims; else empty."""
    said: Any = getattr(companion(page), "certificates", lambda _: {})(page)
    why, claims = said.get((mutant.text, mutant.told), ("", ()))
    return why if why and proved(lambda: claims, page.encoding, memory) else ""


def of_code(
    page: Page, target: str, found: Found, mutant: Mutant, trials: Trials, module: ModuleType | None = None
) -> Judges:
    """Return the judges of an implementation with this fault; ``module`` has the fault, by default the target's own."""
    module, whole, memory = module or module_of(target), subject(page), trials.memory

    def runs() -> Faults:
        with planted(module, mutant.tree):
            yield from trials.tried(whole, "peers")
            yield from (f"{flaw.property}: {flaw.detail}" for flaw in found(page, target))

    def certificate() -> str:
        found = same_expression(mutant, module, page.encoding, memory) or same_function(
            mutant, module, page.encoding, memory, whole.given
        )
        return found or stated(page, mutant, memory)

    def theorems() -> Faults:
        with planted(module, mutant.tree):
            yield from trials.asked(whole, "peers")

    return Judges(runs, certificate, theorems)


def memory_of(page: Page, target: str) -> dict[str, int]:
    """Return the most bytes that arrays of ``target`` hold at once, by example, also with other parameters."""
    own, *others = variants(page)
    runs = [(own, MEASURED), *((params, (FEW,) if page.dense else MEASURED) for params in others)]
    return {
        what: size for params, ranks in runs for what, size in held(load(page.module, **params), target, ranks).items()
    }


def page_faults(changed: Page, target: str | None) -> Faults:
    """Yield the faults that runs find in a changed page of formulas."""
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


def program_faults(pages: Sequence[Page], target: str | None) -> Faults:
    """Yield the faults that runs find in a changed program, which has no schedule of its own.

    Runs tell which parameters it refuses, what it does with entries, and whether the implementation does the same.
    ``pages``: the program with its own parameters, and with others; few ranks come first.
    """
    changed = pages[0]
    for params in getattr(companion(changed), "refused", ()):
        if taken(changed.module, params):
            yield f"run: {params} is not refused"
    for one in pages if changed.selecting else ():
        if wrong := execution.first(execution.mass_lost, one, RANKS):
            yield f"run: {wrong}"
    for one in pages if changed.dense else ():
        yield from (f"run: {wrong}" for wrong in of_lists(one))
    for ranks in RANKS:
        if changed.stateful and ranks <= FEW:
            yield from (f"run: {wrong}" for one in pages for wrong in wrong_state(one, ranks))
        if target:
            with guarded(changed.module, getattr(companion(changed), "asked", {})):
                faults = (fault for one in running(pages, ranks) for fault in beside(one, target, ranks))
                yield from (f"implementation: {fault}" for fault in faults)


def running(pages: Sequence[Page], ranks: int) -> Sequence[Page]:
    """Return the pages that are run with so many ranks; the first has the page's own parameters."""
    return pages if ranks <= SOME or not pages[0].dense else pages[:1]


def of_lists(changed: Page) -> Faults:
    """Yield the faults where a page makes other numbers of lists than of arrays, or sends bytes only at times."""
    kinds = set()
    for ranks, n in product(range(1, FEW + 1), (0, 1, 2 * FEW + 1)):
        xs = [np.arange(n) * (r - 0.75) for r in range(ranks)]
        ran, plain = run(changed, xs), run(changed, [x.tolist() for x in xs])
        kinds |= {isinstance(entries, memoryview) for wire in ran.trace for *_, entries in wire}
        sent = [getattr(m.entries, "values", m.entries) for one in (ran, plain) for wire in one.trace for m in wire]
        if n == 0 and any(np.any(np.asarray(values)) for values in sent):
            yield f"at p={ranks} numbers are sent of vectors that have none"
        if any(isinstance(m.entries, memoryview) and len(m.entries) for wire in plain.trace for m in wire):
            yield f"at p={ranks}, n={n} bytes are sent of lists"
        if not all(map(alike, (y.tolist() for y in ran.results), plain.results)):
            yield f"at p={ranks}, n={n} arrays become {ran.results}, lists {plain.results}"
    whole, exact = (run(changed, [[kind(v) for v in (1, -1, 1, 1)]]).results for kind in (int, Fraction))
    if not all(map(partial(alike, nearly=True), whole, exact)):  # quotients are rounded
        yield f"whole numbers become {whole}, fractions {exact}"
    if len(kinds) > 1:
        yield "of arrays it sends bytes in some messages, and lists in others"


def alike(y: Sequence[Any], z: Sequence[Any], *, nearly: bool = False) -> bool:
    """Return whether two results have the same numbers; any NaN is any other."""
    same: Callable[[Any, Any], bool] = isclose if nearly else eq
    return len(y) == len(z) and all(same(v, w) or (isnan(v) and isnan(w)) for v, w in zip(y, z))


def wrong_state(changed: Page, ranks: int) -> Faults:
    """Yield the faults in what a program keeps from call to call, or in the arguments that its functions get."""
    said = companion(changed)
    with guarded(changed.module, getattr(said, "asked", {})):
        for case in stateful.edges([ranks], changed.dtypes)[:: len(changed.dtypes)]:
            page = load(changed.module, **{**changed.params, **(case.params if "k" in changed.params else {})})
            for i, ran in enumerate(page_runs.runs(page, case.xs), start=1):
                yield from (said.kept(ran.state, ran.xs, i) if hasattr(said, "kept") else ())


def taken(module: ModuleType, params: Mapping[str, Any]) -> bool:
    """Return whether a page takes these parameters: False if it refuses them by InputError."""
    try:
        return bool(run(load(module, **params), [[1]]).results)
    except InputError:
        return False


def sizes(page: Page) -> Iterator[str]:
    """Yield where formulas count other words than a run; of sparse chunks no formula counts words."""
    for ranks in RANKS if page.data != "sparse" else ():
        at = {"p": ranks, "n": 3 * ranks + 1, "k": 2 * ranks}
        yield from map(str, unlike_a_run(page, count(page, **at, paths=False), at))
