"""Verifies one algorithm: every property, by proof where there is one, else by running.

"check judges yours, verify judges ours": the subject is a page and the implementation of the
same name in ``impl``.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sparring.checks.ranks.group import Group
from sparring.errors import InputError, MissingExtra, RankFailed
from sparring.proofs.kernel.kernel import PROOFS
from sparring.proofs.logic.verdicts import (
    EXPECTED,
    NOT_COVERED,
    REFUTED,
    UNDECIDED,
    Verdict,
    Word,
    overall,
    proved_up_to,
    tested,
)
from sparring.proofs.reading.annotations import companion
from sparring.proofs.statements.conjectures import CLAIM, PEERS
from sparring.proofs.statements.volume import unsized
from sparring.ranges import spans
from sparring.refinement import running
from sparring.refinement.comparison import LONG, PAIRED, Flaw, sizes
from sparring.refinement.example import Example
from sparring.refinement.looks import CALLS, Look, Trial, looks, many, own_receives, turning
from sparring.refinement.looks import LONG as LONGEST
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.report import PROPERTIES, Result
from sparring.spec.core.calling import parameters
from sparring.spec.core.model import Page
from sparring.symbolic_execution.runs import Subject
from sparring.verification import every_input, theorems
from sparring.verification.fault_injection import confirmed, vouched
from sparring.verification.reached_lines import Reached
from sparring.verification.samples import MISLED, WORKERS, describe_part, edges, gradients, misled, on_real_ranks
from sparring.verification.theorems import Told
from sparring.world import simulation

Track = Callable[[Iterable[Any], str], Iterable[Any]]
"""Goes through what it is given and shows how far it is, under a description."""


class Plan(NamedTuple):
    """The runs that ``verify`` makes, by default those of a first look; proofs need no plan."""

    terms: tuple[int, ...] = (*range(1, 17), 31)
    """Numbers of ranks on which the implementation runs on terms."""
    numbers: tuple[int, ...] = tuple(range(1, 9))
    """The same for numbers, simulated and under mpiexec, and for gradients there."""
    gradients: tuple[int, ...] = (2, 3, 8)
    """Which of these are simulated on gradients."""
    on: str = "simulated"
    """"simulated", "mpi" or "both"."""
    full: bool = False
    """Whether all dtypes are run on all of these, and longer vectors for every input; else one dtype in turn."""
    keep: bool = False
    """Whether theorems that an earlier run found of the same code are told again."""


def plan(ranks: Iterable[int] | None, full: bool, on: str) -> Plan:
    """Return the plan for what was asked: ``ranks``, if given, hold for everything that is run."""
    if on not in PLACES:
        raise InputError(f"on={on!r}; there are {', '.join(PLACES)}")
    if ranks is None:
        return (WHOLE_LOOK if full else FIRST_LOOK)._replace(on=on)
    given = tuple(sorted(set(ranks)))
    if not given or given[0] < 1:
        raise InputError("ranks: at least one number of ranks, each at least 1")
    return Plan(given, given, given, on, full=True)


def limits(plan: Plan) -> str:
    """Return one paragraph on what even a good result of this plan does not say."""
    most = max(plan.numbers)
    where = {"simulated": "simulated ranks", "mpi": "real MPI", "both": "simulated ranks and real MPI"}[plan.on]
    simulated = f" (p = {spans(plan.terms)} on terms), up to {LONGEST} entries and {CALLS} calls"
    more = "" if plan.full else "; --full runs more"
    return (
        f"What is proved rests on the page's text and on z3 and cvc5, which agree. Implementations ran on {where}, "
        f"p = {spans(plan.numbers)}{simulated if plan.on != 'mpi' else ''}, with the page's parameters and those that "
        f"its proof module names{more}. Nothing is said of code beyond that: of more ranks than {most} on all lengths, "
        "of longer vectors, of other parameters, of other MPI libraries, or of time."
    )


PLACES = ("simulated", "mpi", "both")
MANY = tuple(range(1, 65))
FIRST_LOOK, WHOLE_LOOK = Plan(), Plan(terms=MANY, gradients=MANY, full=True)
SPREAD = 8  # ranks, up to which sparse vectors are also long
UNSEEN = "proved of functions that no run of this command has called: --on simulated"
BUFFERED = 4  # up to here sends are also tried with unbounded buffers; beyond, synchronous sends decide for them


@simulation.seldom_collecting()
def verify_page(plan: Plan, page: Page, track: Track) -> list[Result]:
    """Return a result for each property that applies, or was judged all the same, in the order of PROPERTIES."""
    found = proved(page, plan, track)
    target = find_target(page)
    if target and plan.on in ("simulated", "both"):
        reached = Reached(page, target)
        merge(found, run_simulated(page, target, plan, track, reached))
        merge(found, selection(page, target, plan, track))
        found |= {"lines": reached.lines()} | ({PEERS: reached.peers(found[PEERS])} if PEERS in found else {})
    elif PEERS in found:
        found[PEERS] = found[PEERS]._replace(verdict=NOT_COVERED, detail=UNSEEN)
    if target and plan.on in ("mpi", "both"):
        merge(found, {"mpi": on_mpi(page, target, plan, track)})
    reason = missing(page, target, plan)
    shown = [p for p in PROPERTIES if p in found or p in applicable(page)]
    return [found.get(p) or Result(page.name, p, NOT_COVERED, reason(p)) for p in shown]


VOID: Mapping[str, tuple[str, ...]] = {
    "vector": ("conservation", "sizes", "volume", "selection"),
    "lists": ("conservation", "sizes", "volume", "selection"),
    "sparse": ("conservation", "volume", "selection"),
    "selected": ("sizes", "volume"),
    "dense": ("economy", "sizes", "terms", "selection"),
}
"""By what chunks are, the properties that say nothing of them: all is sent, or lengths are the chunks'.

That no rank sends more than some bound is said of compositions alone: of formulas the cost itself is derived.
"""


def applicable(page: Page) -> list[str]:
    """Return the properties that say something of such a page."""
    void = {*VOID[page.data], *(() if page.cuts else ("partition",))} - ({"volume"} if page.composed else set())
    void |= {"parameters", "in place"}  # what has none, or no such argument, is right without a word
    void |= set() if page.agrees else {"agreement"}
    void |= set() if hasattr(companion(page), "theorems") else {"claims"}
    return [prop for prop in PROPERTIES if prop not in void]


UNJUDGED: Mapping[str, str] = {
    "conservation": "the page has no waiting(...), which says what is still to come",
    "economy": "a composition's messages depend on the data, and may be empty",
    "selection": "a composition's thresholds outlive a call: not every input of a call stands for all",
    "timing": "how messages of two exchanges meet under any timing is not judged",
}
"""Why compositions have no such result."""


def missing(page: Page, target: str | None, plan: Plan) -> Callable[[str], str]:
    """Return the function that says, for the name of a property, why that property has no result."""

    def why(prop: str) -> str:
        if prop == "terms" and page.stateful:
            return "which entries are sent depends on their values: no run on terms stands for all of them"
        if page.composed and (reason := UNJUDGED.get(prop) or (unsized(page) if prop == "volume" else "")):
            return reason
        if prop in ("agreement", "conservation", "contention", "peers", "sizes", "timing", "volume"):
            return "the page's proof module states nothing of it"
        if prop == "gradients" and target is not None and min(plan.numbers) > WORKERS:
            return f"there are gradients of {WORKERS} ranks and no more"
        if prop == "selection" and target:
            return f"every input is tried on at most {every_input.RANKS[-1]} simulated ranks"
        if target is None:
            return "there is no implementation of this name" + (" with these parameters" if page.params else "")
        return f"not asked for: --on {'mpi' if prop == 'mpi' else 'simulated'}"

    return why


def merge(found: dict[str, Result], new: Mapping[str, Result]) -> None:
    """Add results to ``found``; one that is there, say of a proof, gives way only to a worse one with an exit code."""
    for prop, result in new.items():
        worse = prop in found and overall([found[prop].verdict, result.verdict]) is not found[prop].verdict.word
        if prop not in found or (worse and result.verdict.word.exit_code):
            found[prop] = result


def implementation(page: Page) -> str | None:
    """Return the target ``module:function`` that implements a page of sparring's own, if there is one."""
    room, _, name = page.module.__name__.rpartition(".")
    module = f"sparring.impl.{name}"
    return f"{module}:{page.collective}" if room == "sparring.spec" and importlib.util.find_spec(module) else None


def find_target(page: Page) -> str | None:
    """Return the target to run: the implementation, or its class, which keeps a residual between calls.

    The class stands beside the function and has its name.  The target is called with its own defaults, so there is
    none for a page of other parameters.
    """
    found = implementation(page)
    if page.params != parameters(page.module, page.name, {}):
        return None
    if found is None or not page.stateful:
        return found
    module, _, function = found.rpartition(":")
    return f"{module}:{function.capitalize()}"


def proved(page: Page, plan: Plan, track: Track) -> dict[str, Result]:
    """Return the results of the page's theorems, by property; the claims on all topologies are one property."""
    groups: dict[str, list[Told]] = {}
    for told in track(theorems.theorems(page, keep=plan.keep), f"{page.name}: proofs"):
        name = told.result.property
        prop = "claims" if name.startswith(CLAIM) else name if name in PROPERTIES else "contention"
        groups.setdefault(prop, []).append(told)
    return {prop: summed(page, prop, found) for prop, found in groups.items()}


def summed(page: Page, prop: str, found: Sequence[Told]) -> Result:
    """Return the worst of several results as the result of the property."""
    results = [told.result for told in found]
    worst, theorem = max(found, key=lambda told: list(Word).index(told.result.verdict.word))
    planted = ", ".join(dict.fromkeys(told.theorem["planted"] for told in found if told.theorem["planted"]))
    detail = worst.detail
    if worst.verdict in PROOFS:
        detail = ", ".join(r.property for r in results if r.property != prop) or theorem["statement"]
    elif worst.verdict == EXPECTED:
        detail = "; ".join(f"{r.property}: {r.detail if r.verdict == EXPECTED else r.verdict}" for r in results)
    return Result(page.name, prop, worst.verdict, detail, worst.witness, planted)


def run_simulated(page: Page, target: str, plan: Plan, track: Track, reached: Reached) -> dict[str, Result]:
    """Run the real code on terms, numbers and gradients, on the simulated world, and return a result by property."""
    cases = [] if page.stateful or page.composed else term_runs(page, plan)
    outside: list[str] = []
    found = [*looks_at(page, target, plan), Look("terms", "", term_trials(page, target, cases, outside))]
    flaws: list[Flaw] = []
    runs, failed = Counter[str](), Counter[str]()
    for look in found:
        before = reached.faulty
        flaws += reached.flaws(track(look.trials, f"{page.name}: {look.property}"), long=look.long)
        runs[look.property], failed[look.property] = len(look.trials), reached.faulty - before
    told = {look.property: came(runs, failed, look.told, [look.property]) for look in found if look.trials}
    if cases:
        verdict, what = terms_verdict(page, plan.terms, len(cases), next(iter(outside), None))
        told["terms"] = came(runs, failed, what, ["terms"]) if failed["terms"] else (verdict, what)
    told |= {prop: came(runs, failed, what, runs) for prop, what in EVERYWHERE.items()}
    told["steps"] = came(runs, failed, EVERYWHERE["steps"], [look for look in runs if look not in ALONE])
    results = {prop: Result(page.name, prop, *said) for prop, said in told.items()} | refutations(page, flaws)
    roads = {look.property: partial(on_road, look.trials) for look in found}
    roads |= dict.fromkeys(EVERYWHERE, roads["dtypes"])
    if max(plan.numbers) == 1:  # where no message can be wrong
        del roads["steps"]
        results["steps"] = Result(page.name, "steps", NOT_COVERED, "one rank sends nothing")
    return {prop: vouched(result, roads) for prop, result in results.items()}


def came(runs: Counter[str], failed: Counter[str], what: str, looks: Iterable[str]) -> tuple[Verdict, str]:
    """Return the verdict of these looks on a property without a flaw, and its detail.

    A run that failed in something else may not have come to this property, and does not count for it.
    """
    looks = [*looks]
    number, odd = sum(runs[look] for look in looks), sum(failed[look] for look in looks)
    said = f"{number - odd} of {number} runs came to it; in the others something else was wrong"
    if 2 * odd > number:
        return UNDECIDED, said
    return tested(number - odd), f"{what}; {said}" if odd else what


ALONE = ("hygiene", "bad input", "sum")
"""Runs that are not beside the page's."""
EVERYWHERE: Mapping[str, str] = {
    "steps": "message by message in each run on numbers beside the page, by ends and lengths in each run on terms",
    "hygiene": "in every run on the simulated world, also beside receives of the caller's own",
    "input untouched": "in every run on the simulated world",
}
"""What every run is looked at for, in words."""


def looks_at(page: Page, target: str, plan: Plan) -> list[Look]:
    """Return the looks on numbers."""
    ranks = plan.numbers
    trained = [p for p in plan.gradients if p in ranks]
    inputs, grads = edges(page, ranks, every=plan.full), gradients(page, trained)
    told = f"{', '.join(page.dtypes)}{'' if plan.full else ', one in turn'}; p = {spans(ranks)}"
    return [
        *looks(page, target, ranks),
        Look("hygiene", "", [*own_receives(page, target, ranks)]),
        Look("dtypes", told, [
            *trials(page, target, inputs), *many(page, target, ranks), *turning(page, target, ranks),
        ]),
        Look(
            "gradients", f"a perceptron on the digits{describe_part(page)}; p = {spans(trained)}",
            trials(page, target, grads), long=True,
        ),
    ]  # fmt: skip


def flaws(page: Page, target: str, plan: Plan = FIRST_LOOK, fault: Fault = unharmed) -> Iterator[Flaw]:
    """Yield the flaws that the runs of ``verify`` find, by default the runs of a first look, one after the other.

    ``fault`` changes each call.
    """
    cases = [] if page.stateful or page.composed else term_runs(page, plan)
    found = [*looks_at(page, target, plan), Look("terms", "", term_trials(page, target, cases, []))]
    return (flaw for look in found for trial in look.trials for flaw in trial.flaws(fault))


def trials(page: Page, target: str, examples: Sequence[Example]) -> list[Trial]:
    """Return one trial for each example."""

    def flaws(example: Example, fault: Fault) -> list[Flaw]:
        if page.stateful:
            return running.on_calls(page, target, example, fault)
        return running.beside(page, target, example, fault(simulation.plainly))

    return [Trial(one.p, partial(flaws, one)) for one in examples]


def term_trials(page: Page, target: str, cases: Sequence[TermRun], outside: list[str]) -> list[Trial]:
    """Return the trials on terms; they add to ``outside`` the reasons why one schedule does not decide for all."""

    def flaws(case: TermRun, fault: Fault) -> Sequence[Flaw]:
        found, reasons = running.on_terms(page, target, *case, fault(simulation.plainly))
        outside.extend(reasons)
        return found

    return [Trial(case[0], partial(flaws, case)) for case in cases]


def on_road(trials: Sequence[Trial], fault: Fault) -> Iterator[Flaw]:
    """Yield the flaws of the trials, run again with a planted fault; trials on one rank come last."""
    for trial in sorted(trials, key=lambda one: one.ranks == 1):
        yield from trial.flaws(fault)


def selection(page: Page, target: str, plan: Plan, track: Track) -> dict[str, Result]:
    """Return the result of trying every input of small sizes, where entries are selected by their values."""
    ranks = [p for p in plan.numbers if p in every_input.RANKS]
    if not page.selecting or page.composed or not ranks:
        return {}
    what = f"{page.name}: selection"
    size = every_input.SIZE - (not plan.full) if page.cuts else every_input.WHOLE
    result = every_input.judge_selection(
        Subject(target, page), page.name, ranks, size, track=lambda shapes: track(shapes, what)
    )

    def again(fault: Fault) -> Iterator[Flaw]:
        found = every_input.judge_selection(Subject(target, page, fault=fault), page.name, ranks, size)
        if found.verdict == REFUTED:
            yield Flaw("selection", found.detail)

    return {"selection": vouched(result, {"selection": again})}


TermRun = tuple[int, int, str]


def term_runs(page: Page, plan: Plan) -> list[TermRun]:
    """Return the ranks, lengths and buffers of the runs on terms."""
    return [
        (p, n, buffers)
        for p in plan.terms
        for n in sizes(p, page.sparse and p <= SPREAD)
        for buffers in ("synchronous", "unbounded")[: 2 if p <= BUFFERED else 1]
    ]


def refutations(page: Page, flaws: Sequence[Flaw]) -> dict[str, Result]:
    """Return a refutation for each property that has flaws, by its first flaw."""
    return {f.property: Result(page.name, f.property, REFUTED, f.detail) for f in reversed(flaws)}


def terms_verdict(page: Page, ranks: Sequence[int], cases: int, outside: str | None) -> tuple[Verdict, str]:
    """Return the verdict of the runs on terms: proved up to the largest P with 1..P all run; and its detail.

    The verdict is only *tested* where 1 was left out, where a run left the fragment in which one schedule
    decides for all, or where supports are drawn: terms stand for all values, not for all indices.
    """
    complete = next(p - 1 for p in range(1, max(ranks) + 2) if p not in ranks)
    detail = f"p = {spans(ranks)}; n = {lengths(page)}"
    if outside:
        return tested(cases), f"{detail}; one schedule only: {outside}"
    if page.sparse:
        return tested(cases), f"{detail}; any values, on drawn supports"
    return (proved_up_to(complete) if complete else tested(cases)), f"{detail}; any input"


def lengths(page: Page) -> str:
    """Return the lengths of vectors that are run, in words."""
    return f"0, 1, p-1, p, p+1, 2p+1{f', {LONG}p (p <= {SPREAD})' if page.sparse else ''}; 1, p, 2p+1 (p > {PAIRED})"


def on_mpi(page: Page, target: str, plan: Plan, track: Track) -> Result:
    """Run gradients and edge sizes under the real MPI; one launch serves all numbers of ranks."""
    inputs = [*gradients(page, plan.numbers), *edges(page, plan.numbers)]
    try:
        with Group(max(plan.numbers)) as group:
            runs = track(inputs, f"{page.name}: mpiexec")
            found = ((one, on_real_ranks(page, target, one, group, one)) for one in runs)
            flaw = next((f"{one.place}: {why}" for one, why in found if why), "")
            caught = not flaw and any(on_real_ranks(page, target, one, group, misled(one)) for one in inputs)
    except RankFailed as failure:
        return Result(page.name, "mpi", REFUTED, str(failure))
    except MissingExtra as missing:
        return Result(page.name, "mpi", UNDECIDED if plan.on == "mpi" else NOT_COVERED, str(missing))
    if flaw:
        return Result(page.name, "mpi", REFUTED, flaw)
    told = f"gradients, {', '.join(page.dtypes)}; p = {spans(plan.numbers)}"
    return confirmed(Result(page.name, "mpi", tested(len(inputs)), told), MISLED, caught)
