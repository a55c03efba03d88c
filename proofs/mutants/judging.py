"""What becomes of a mutant: *killed* by what, *equivalent* by which certificate, or *survived*.

A mutant of a page is tried by running its schedule, by the theorems, and against the implementation;
one of an implementation by the theorem about its peers and by running it against the page.  It is
killed by any fault found; it is equivalent if two solvers prove that the changed function gives
what the unchanged one gives, for all arguments; else it has survived, whatever the reason.
"""

from __future__ import annotations

import ast
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import SparringError
from sparring.proofs.core import conjectures, execution, iterations, kernel, lists, refinement
from sparring.proofs.core.obligations import Obligation, p, within
from sparring.proofs.core.questions import answered
from sparring.proofs.core.refinement import Flaw
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import NOT_INDUCTIVE, REFUTED
from sparring.proofs.cost.counted import count, unlike_a_run
from sparring.proofs.mutants.syntax import Mutant, mutants
from sparring.proofs.world import modules, world
from sparring.proofs.world.findings import Outcome
from sparring.spec.core import runner
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Bool, Int, Sym
from sparring.spec.core.runner import number
from sparring.spec.core.sparse import SparseVector

RANKS = range(1, 7)
"""Numbers of ranks that an implementation runs with; folds, and chunks of all kinds, are among them."""
STEPS = 20  # for each rank: a schedule with more is not run, but counts as wrong


class Fate(NamedTuple):
    """``word``: "killed", "equivalent" or "survived"; ``why``: what found the fault, or proves that there is none."""

    mutant: Mutant
    word: str
    why: str


def of_page(page: Page, target: str | None) -> Iterator[Fate]:
    """The fate of every mutant of the page's own formulas; ``target`` implements it."""
    for mutant in mutants(inspect.getsource(page.module)):
        yield fate(mutant, lambda m: page_faults(page, target, m), page.module, page.encoding)


def of_implementation(page: Page, target: str) -> Iterator[Fate]:
    """The fate of every mutant of the module in which ``target`` lies."""
    module = sys.modules[target.partition(":")[0]]
    for mutant in mutants(inspect.getsource(module)):
        yield fate(mutant, lambda m: implementation_faults(page, target, m), module, page.encoding)


def fate(mutant: Mutant, faults: Callable[[Mutant], Iterator[str]], module: ModuleType, encoding: str) -> Fate:
    """What becomes of ``mutant``: the first fault kills it."""
    try:
        fault = next(faults(mutant), "")
    except SparringError as error:
        fault = f"{error}"
    except Exception as error:  # noqa: BLE001 - whatever a planted fault raises has found it out
        fault = f"{type(error).__name__}: {error}"
    if fault:
        return Fate(mutant, "killed", fault)
    proof = same_function(mutant, module, encoding)
    return Fate(mutant, "equivalent", proof) if proof else Fate(mutant, "survived", "")


def page_faults(page: Page, target: str | None, mutant: Mutant) -> Iterator[str]:
    """What is wrong with a page that has this fault, the cheapest way to find out first."""
    changed = load(built(page.module, mutant.tree), **page.params)
    for ranks in RANKS:
        if number(changed.steps(ranks)) > STEPS * ranks:
            yield f"at p={ranks} there are {number(changed.steps(ranks))} steps"
    checks = [execution.matched, execution.wrong_result, execution.in_vain]
    checks += [execution.mass_lost] if page.stateful else []
    yield from (f"run: {wrong}" for check in checks if (wrong := execution.first(check, changed, RANKS)))
    whole = subject(changed)
    for conjecture in kernel.readable(whole):
        attempt = kernel.judge(whole, conjecture, second_opinion=False)
        if attempt.verdict in (REFUTED, NOT_INDUCTIVE) and not conjecture.contended:
            yield f"{attempt.name}: {attempt.verdict}, {attempt.detail}"
    yield from (f"sizes: {fault}" for fault in sizes(changed))
    if target:
        yield from (f"implementation: {fault}" for ranks in RANKS for fault in beside(changed, target, ranks))


def sizes(page: Page) -> Iterator[str]:
    """Where the words that formulas count are not those of a run; of sparse chunks no formula counts words."""
    for ranks in RANKS if page.data != "sparse" else ():
        at = {"p": ranks, "n": 3 * ranks + 1, "k": 2 * ranks}
        yield from map(str, unlike_a_run(page, count(page, **at, paths=False), at))


def implementation_faults(page: Page, target: str, mutant: Mutant) -> Iterator[str]:
    """What is wrong with an implementation that has this fault."""
    with planted(sys.modules[target.partition(":")[0]], mutant.tree):
        whole = subject(page)
        for conjecture in conjectures.stated(whole):
            if conjecture.name == "peers":
                attempt = kernel.judge(whole, conjecture, second_opinion=False)
                if attempt.verdict == REFUTED:
                    yield f"peers: {attempt.detail}"
        yield from (f"beside the page: {fault}" for ranks in RANKS for fault in beside(page, target, ranks))
        yield from (f"{flaw.property}: {flaw.detail}" for flaw in runs(page, target))


def runs(page: Page, target: str) -> Iterator[Flaw]:
    """What running ``target`` against the page finds, with few ranks first."""
    for case in iterations.edges(RANKS) if page.stateful else ():
        yield from iterations.on_numbers(page, target, case, "dtypes")
    for ranks in () if page.stateful else RANKS:
        for n in refinement.sizes(ranks, page.sparse):
            for buffers in ("synchronous", "unbounded"):
                yield from refinement.on_terms(page, target, ranks, n, buffers).flaws
            for dtype in refinement.DTYPES:
                xs = lists.given(page, refinement.vectors(dtype, ranks, n))
                yield from refinement.on_numbers(page, target, xs, "dtypes")
                if not page.sparse:
                    ran = refinement.run(target, xs, "synchronous", refinement.place(xs), "in place", call=in_place)
                    yield from ran.flaws or refinement.compared(page, xs, ran.ys, "in place")
        yield from unequal(page, target, ranks)


def in_place(function: Any, comm: Any, x: Any) -> Any:
    """The result in the memory of the input, a copy so that the input stays as it was."""
    y = x.copy()
    return function(comm, y, out=y)


def unequal(page: Page, target: str, ranks: int) -> Iterator[Flaw]:
    """Vectors of unequal lengths are an error on every rank."""
    xs = [*lists.given(page, [np.zeros(3)] * ranks)[1:], *lists.given(page, [np.zeros(4)])]
    outcome = world.run(target, ranks, xs)
    told = [finding for finding in outcome.findings if finding.call == "InputError"]
    if ranks > 1 and len(told) < ranks:
        yield Flaw("bad input", f"p={ranks}: vectors of unequal lengths are an error on {len(told)} ranks only")


def beside(page: Page, target: str, ranks: int) -> Iterator[str]:
    """Where ``target`` has another result than the page, or sends messages of other lengths, on a few vectors."""
    if page.stateful:  # one call of the function beside the class sends what a call of the class does
        cases = [case for case in iterations.edges([ranks]) if case.xs[0].dtype == np.float32]
        yield from (flaw.detail for case in cases for flaw in iterations.on_numbers(page, target, case, "dtypes"))
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


def built(module: ModuleType, tree: ast.Module) -> ModuleType:
    """A module of the same name with other code; the one that is imported stays as it is."""
    new = ModuleType(module.__name__)
    new.__file__ = module.__file__
    exec(compile(tree, str(module.__file__), "exec"), vars(new))  # noqa: S102 - our own source with one fault
    return new


@contextmanager
def planted(module: ModuleType, tree: ast.Module) -> Iterator[None]:
    """``module`` has the code of ``tree``: on all simulated ranks, and here for proofs that call its functions."""
    kept = dict(vars(module))
    vars(module).update({k: v for k, v in vars(built(module, tree)).items() if not k.startswith("__")})
    modules.PLANTED[module.__name__] = compile(tree, str(module.__file__), "exec")
    try:
        yield
    finally:
        del modules.PLANTED[module.__name__]
        vars(module).update(kept)


def same_function(mutant: Mutant, module: ModuleType, encoding: str) -> str:
    """What both solvers prove of the changed function: that it is the old one, for all arguments; empty if not."""
    old, new = (vars(m).get(mutant.function) for m in (module, built(module, mutant.tree)))
    try:
        letters = list(inspect.signature(old).parameters)  # type: ignore[arg-type]  # TypeError where it is none
        a, b = (f(*map(Sym.var, letters)) for f in (old, new))  # type: ignore[misc]  # TypeError where it is none
        claim: Bool = a == b if not isinstance(a, bool) else a is b
        box = tuple(h for letter in letters for h in domain(letter))
        answers = list(answered([Obligation("the same function", (p >= 1, *box), claim)], True, encoding))
    except Exception:  # noqa: BLE001 - a function that does not run on symbols has no such proof
        return ""
    return "the same function for all arguments" if all(answer.holds for answer in answers) else ""


def domain(letter: str) -> Iterator[Bool]:
    """What is known of a variable of that name."""
    x: Int = Sym.var(letter)
    if letter in "qrsv":
        yield within(x)
    elif letter != "p":
        yield x >= 0
