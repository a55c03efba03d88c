"""Runs an implementation beside its page on the simulated world: on terms, on numbers and on gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, UNDECIDED, Verdict, proved_up_to, tested
from sparring.ranges import spans
from sparring.refinement import running
from sparring.refinement.comparison import LONG, PAIRED, Flaw, sizes
from sparring.refinement.example import Example
from sparring.refinement.looks import Look, Trial, apart, looks, many, own_receives, repeated, turning
from sparring.refinement.runtime_faults import Fault, unharmed
from sparring.report import Result
from sparring.spec.core.model import Page
from sparring.verification.fault_injection import vouched
from sparring.verification.plans import FIRST_LOOK, Plan, Track
from sparring.verification.reached_lines import Reached
from sparring.verification.samples import describe_part, edges, gradients
from sparring.world import simulation

SPREAD = 8  # ranks, up to which sparse vectors are also long
BUFFERED = 4  # up to here sends are also tried with unbounded buffers; beyond, synchronous sends decide for them
ALONE = ("hygiene", "bad input", "sum")
"""Runs that are not beside the page's."""
EVERYWHERE: Mapping[str, str] = {
    "steps": "message by message in each run on numbers beside the page, by ends and lengths in each run on terms",
    "hygiene": "in every run on the simulated world, also beside receives of the caller's own",
    "input untouched": "in every run on the simulated world",
}
"""What every run is looked at for, in words."""
TermRun = tuple[int, int, str]


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


def looks_at(page: Page, target: str, plan: Plan) -> list[Look]:
    """Return the looks on numbers."""
    ranks = plan.numbers
    trained = [p for p in plan.gradients if p in ranks]
    inputs, grads = edges(page, ranks, every=plan.full), gradients(page, trained)
    told = f"{', '.join(page.dtypes)}{'' if plan.full else ', one in turn'}; p = {spans(ranks)}"
    return [
        *looks(page, target, ranks, full=plan.full),
        Look("hygiene", "", [*own_receives(page, target, ranks)]),
        Look("dtypes", told, [
            *trials(page, target, inputs), *many(page, target, ranks, full=plan.full), *turning(page, target, ranks),
            *repeated(page, target, ranks), *apart(page, target, ranks),
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
