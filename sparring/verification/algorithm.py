"""Verifies one algorithm: every property, by proof where there is one, else by running.

"check judges yours, verify judges ours": the subject is a page and the implementation of the
same name in ``impl``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence

from sparring import page_runs
from sparring.checks.ranks.group import Group
from sparring.errors import MissingExtra, RankFailed
from sparring.proofs.kernel.kernel import PROOFS
from sparring.proofs.logic.verdicts import EXPECTED, NOT_COVERED, REFUTED, UNDECIDED, Word, overall, tested
from sparring.proofs.reading.annotations import companion
from sparring.proofs.statements.conjectures import CLAIM, PEERS
from sparring.proofs.statements.volume import unsized
from sparring.ranges import spans
from sparring.refinement.comparison import Flaw
from sparring.refinement.runtime_faults import Fault
from sparring.report import PROPERTIES, Result
from sparring.spec.core.calling import parameters
from sparring.spec.core.model import Page
from sparring.symbolic_execution.runs import Subject
from sparring.verification import every_input, theorems
from sparring.verification.fault_injection import confirmed, vouched
from sparring.verification.plans import Plan, Track
from sparring.verification.reached_lines import Reached
from sparring.verification.samples import MISLED, WORKERS, edges, gradients, misled, on_real_ranks
from sparring.verification.simulated_runs import run_simulated
from sparring.verification.theorems import Told
from sparring.world import simulation

UNSEEN = "proved of functions that no run of this command has called: --on simulated"


@page_runs.keeping()
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
"""The properties that say nothing of a page, by its data: all is sent, or lengths are the chunks'.

A bound on what a rank sends is stated of compositions alone: of formulas the cost itself is derived.
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
    """Add results to ``found``; one that is there gives way only to a worse one with an exit code."""
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


def selection(page: Page, target: str, plan: Plan, track: Track) -> dict[str, Result]:
    """Return the result of trying every input of small sizes, where entries are selected by their values."""
    most = every_input.RANKS if page.cuts or plan.full else every_input.RANKS[:-1]
    ranks = [p for p in plan.numbers if p in most]
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
