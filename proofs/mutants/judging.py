"""What becomes of a mutant: *killed* by what, *equivalent* by which certificate, or *survived*.

A mutant of a page is tried by running its schedule, by the theorems, and against the implementation;
one of an implementation by the theorem about its peers and by running it against the page, with
good arguments and with bad ones.  It is killed by any fault found; it is equivalent if two solvers
prove that what is changed gives what it gave; else it has survived, whatever the reason.
"""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import SparringError, Undecided
from sparring.proofs.core import execution, iterations, kernel, lists, refinement
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.questions import Memory, answered, counterexample
from sparring.proofs.core.refinement import DTYPES, Flaw
from sparring.proofs.core.supplement import Subject, subject
from sparring.proofs.cost.counted import count, unlike_a_run
from sparring.proofs.mutants.equivalence import same_expression, same_function, same_page
from sparring.proofs.mutants.planting import Counter, built, planted
from sparring.proofs.mutants.refusals import refusals
from sparring.proofs.mutants.syntax import Mutant, mutants
from sparring.proofs.world import world
from sparring.proofs.world.findings import Outcome
from sparring.spec.core import runner
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import variables
from sparring.spec.core.runner import number
from sparring.spec.core.sparse import SparseVector

RANKS = range(1, 8)
"""Numbers of ranks that an implementation runs with; folds of one pair and of several, and powers, are among them."""
FEW = 3  # ranks, up to which all dtypes are run
TRIES = 140  # of small numbers, for each obligation
STEPS = 20  # for each rank: a schedule with more is not run, but counts as wrong


class Fate(NamedTuple):
    """``word``: "killed", "equivalent" or "survived"; ``why``: what found the fault, or proves that there is none."""

    mutant: Mutant
    word: str
    why: str


def of_page(page: Page, target: str | None) -> Iterator[Fate]:
    """The fate of every mutant of the page's own formulas; ``target`` implements it."""
    memory = Memory()
    for mutant in mutants(inspect.getsource(page.module)):
        faults = page_faults(page, target, mutant, memory)
        yield fate(mutant, faults, lambda m: page_certificate(page, m, memory))


def of_implementation(page: Page, target: str) -> Iterator[Fate]:
    """The fate of every mutant of the module in which ``target`` lies."""
    module, memory = sys.modules[target.partition(":")[0]], Memory()
    for mutant in mutants(inspect.getsource(module)):
        faults = implementation_faults(page, target, mutant, memory)
        yield fate(mutant, faults, lambda m: certificate(m, module, page.encoding, memory))


def certificate(mutant: Mutant, module: ModuleType, encoding: str, memory: Memory) -> str:
    """Why the implementation does the same with this fault; empty where nothing says so."""
    return same_expression(mutant, module, encoding, memory) or same_function(mutant, module, encoding, memory)


def page_certificate(page: Page, mutant: Mutant, memory: Memory) -> str:
    """Why the page is the same with this fault; empty where nothing says so."""
    changed = load(built(page.module, mutant.tree), **page.params)
    return same_page(page, changed, memory) or same_function(mutant, page.module, page.encoding, memory)


def fate(mutant: Mutant, faults: Iterator[str], certificate: Callable[[Mutant], str]) -> Fate:
    """What becomes of ``mutant``: the first fault kills it, and if there is none, a certificate clears it."""
    Counter.restart()
    try:
        fault = next(faults, "")
    except Undecided:
        fault = ""  # that a solver gives up finds nothing out
    except SparringError as error:
        fault = f"{error}"
    except Exception as error:  # noqa: BLE001 - whatever a planted fault raises has found it out
        fault = f"{type(error).__name__}: {error}"
    if fault:
        return Fate(mutant, "killed", fault)
    proof = certificate(mutant)
    return Fate(mutant, "equivalent", proof) if proof else Fate(mutant, "survived", "")


def page_faults(page: Page, target: str | None, mutant: Mutant, memory: Memory) -> Iterator[str]:
    """What is wrong with a page that has this fault, the cheapest way to find out first."""
    changed = load(built(page.module, mutant.tree), **page.params)
    for ranks in RANKS:
        if number(changed.steps(ranks)) > STEPS * ranks:
            yield f"at p={ranks} there are {number(changed.steps(ranks))} steps"
    checks = [execution.matched, execution.wrong_result, execution.in_vain]
    checks += [execution.mass_lost] if page.stateful else []
    yield from (f"run: {wrong}" for check in checks if (wrong := execution.first(check, changed, RANKS)))
    yield from (f"sizes: {fault}" for fault in sizes(changed))
    yield from unproved(subject(changed), memory)
    if target:
        yield from (f"implementation: {fault}" for ranks in RANKS for fault in beside(changed, target, ranks))


def unproved(whole: Subject, memory: Memory, *names: str) -> Iterator[str]:
    """The obligations with a counterexample, of the theorems of these names or of all that are expected to hold.

    Small numbers are tried first, which solvers take longer to find.
    """
    claimed = [c for c in kernel.readable(whole) if not c.contended and (c.name in names or not names)]
    for conjecture in claimed:
        yield from (f"{conjecture.name}: {found}" for found in map(tried, conjecture.obligations) if found)
    for conjecture in claimed:
        for answer in answered(conjecture.obligations, False, conjecture.encoding, memory):
            if not answer.holds and not answer.problem:
                yield f"{conjecture.name}: {kernel.told(answer)}"


def tried(claim: Obligation) -> str:
    """A counterexample of small numbers, in words; empty where a few tries find none."""
    rng = random.Random(claim.name)
    names = sorted(frozenset().union(*map(variables, (*claim.hypotheses, claim.claim))) - {"p"})
    for i in range(TRIES):
        p = i % max(RANKS) + 1
        point = {"p": p, **{name: rng.randrange(p + 2 * (name not in "qrsc")) for name in names}}
        with suppress(ValueError, ZeroDivisionError):  # a shift by a negative number, a remainder by none
            if counterexample(claim, point):
                return f"{claim.name} fails at {', '.join(f'{k}={v}' for k, v in point.items())}"
    return ""


def sizes(page: Page) -> Iterator[str]:
    """Where the words that formulas count are not those of a run; of sparse chunks no formula counts words."""
    for ranks in RANKS if page.data != "sparse" else ():
        at = {"p": ranks, "n": 3 * ranks + 1, "k": 2 * ranks}
        yield from map(str, unlike_a_run(page, count(page, **at, paths=False), at))


def implementation_faults(page: Page, target: str, mutant: Mutant, memory: Memory) -> Iterator[str]:
    """What is wrong with an implementation that has this fault."""
    with planted(sys.modules[target.partition(":")[0]], mutant.tree):
        yield from unproved(subject(page), memory, "peers")
        for ranks in RANKS:
            yield from (f"beside the page: {fault}" for fault in beside(page, target, ranks))
            if ranks <= FEW:
                yield from (f"{flaw.property}: {flaw.detail}" for flaw in refusals(page, target, ranks))
        yield from (f"{flaw.property}: {flaw.detail}" for flaw in runs(page, target))


def runs(page: Page, target: str) -> Iterator[Flaw]:
    """What running ``target`` against the page finds, with few ranks first; what ``beside`` runs is left out."""
    for ranks in RANKS:
        if not page.stateful:
            yield from once(page, target, ranks, DTYPES if ranks <= FEW else DTYPES[:1])
        elif ranks <= FEW:
            yield from called_again(page, target, ranks, DTYPES[1:])


def called_again(page: Page, target: str, ranks: int, dtypes: Sequence[str]) -> Iterator[Flaw]:
    """Several calls of a target that keeps a residual."""
    for case in iterations.edges([ranks]):
        if case.xs[0].dtype in dtypes:
            yield from iterations.on_numbers(page, target, case, "dtypes")


def once(page: Page, target: str, ranks: int, dtypes: Sequence[str]) -> Iterator[Flaw]:
    """One call, on terms and on numbers."""
    for n in refinement.sizes(ranks, page.sparse):
        for buffers in ("synchronous", "unbounded"):
            yield from refinement.on_terms(page, target, ranks, n, buffers).flaws
        for dtype in dtypes:
            xs = lists.given(page, refinement.vectors(dtype, ranks, n))
            yield from refinement.on_numbers(page, target, xs, "dtypes")
            if not page.sparse:
                ran = refinement.run(target, xs, "synchronous", refinement.place(xs), "in place", call=in_place)
                yield from ran.flaws or refinement.compared(page, xs, ran.ys, "in place")


def in_place(function: Any, comm: Any, x: Any) -> Any:
    """The result in the memory of the input, a copy so that the input stays as it was."""
    y = x.copy()
    return function(comm, y, out=y)


def beside(page: Page, target: str, ranks: int) -> Iterator[str]:
    """Where ``target`` has another result than the page, or sends messages of other lengths, on a few vectors."""
    if page.stateful:  # one call of the function beside the class sends what a call of the class does
        yield from (flaw.detail for flaw in called_again(page, target, ranks, DTYPES[:1]))
        target = f"{target.partition(':')[0]}:{page.collective}"
    for n in refinement.sizes(ranks, page.sparse):
        xs = lists.given(page, refinement.vectors("float32", ranks, n))
        with warnings.catch_warnings():  # that infinities cancel to NaN is no surprise here
            warnings.simplefilter("ignore", RuntimeWarning)
            outcome = world.run(target, ranks, xs)
        yield from (flaw.detail for flaw in refinement.compared(page, xs, outcome.results, "dtypes"))
        yield from traffic(page, xs, outcome)


def traffic(page: Page, xs: Sequence[Any], outcome: Outcome) -> Iterator[str]:
    """The channels on which a run's messages have other lengths than the page's, in words."""
    sent = channels((m.src, m.dst, m.nbytes) for m in outcome.messages if m.context)
    wanted = channels(said(page, xs))
    for ends in sorted({*sent, *wanted}):
        if (has := sent.get(ends)) != (right := wanted.get(ends)):
            at = refinement.place(xs)
            yield f"{at}: from rank {ends[0]} to {ends[1]} go {has} bytes, the page says {right}"


def said(page: Page, xs: Sequence[Any]) -> Iterator[tuple[int, int, int]]:
    """Source, destination and bytes of each message of the page."""
    width = xs[0].dtype.itemsize
    with np.errstate(all="ignore"):
        for wire in runner.run(page, xs).trace:
            for src, dst, entries in wire:
                listed = isinstance(entries, SparseVector)
                m, size = (len(entries.indices), entries.n) if listed else (len(entries), len(entries))
                yield src, dst, number(page.octets(m, size, width))


def channels(messages: Any) -> dict[tuple[int, int], list[int]]:
    """The lengths of messages that are not empty, by source and destination, in order."""
    found: dict[tuple[int, int], list[int]] = {}
    for src, dst, nbytes in messages:
        if nbytes:
            found.setdefault((src, dst), []).append(nbytes)
    return found
