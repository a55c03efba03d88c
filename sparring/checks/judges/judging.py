"""Judges one observed run, property by property, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sparring import page_runs
from sparring.checks.conventions import calls
from sparring.checks.examples.series import KEPT
from sparring.checks.judges import contract_calls, scenes, sums
from sparring.checks.properties import BAD
from sparring.checks.question import Question
from sparring.checks.ranks.scenes import SCENES
from sparring.refinement import bits
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.refinement.vectors import comparable, kind, shown, unequal
from sparring.spec.core.blocks import named
from sparring.spec.core.model import Page
from sparring.trace.compare import compare, inside, uncounted, unknown
from sparring.trace.events import Trace
from sparring.trace.links import Met, contended, exclusive, pairs, shared, used

SILENT = "page {} claims on no topology that each link serves one pair; --topology NAME names one"


@np.errstate(all="ignore")
def judge_run(example: Example, seen: Observed, page: Page | None, question: Question) -> dict[str, str]:
    """Return property -> what is wrong; a property that is not named holds on this example."""
    flaws = dict(seen.flaws)
    flaws |= results(example, seen, page, question) | disagreement(seen) | changed(example, seen)
    flaws |= scenes.shared_memory(seen)
    if question.watched and seen.trace is not None and seen.ys:
        flaws |= messages(example, seen.trace, page, question)
    return flaws


@np.errstate(all="ignore")
def judge_series(example: Example, seen: Observed, question: Question) -> dict[str, str]:
    """Judge a series of calls: the ranks that have a communicator are judged as in an example of their own."""
    scene, flaws = SCENES[example.scene], dict(seen.flaws) | scenes.shared_memory(seen)
    for part in range(min(scene.series, example.p) if seen.ys else 0):
        ranks = range(example.p)[part :: scene.series][::-1]
        own = example._replace(xs=[example.xs[r] for r in ranks], scene="")
        did = seen._replace(
            ys=[[ys[r] for r in ranks] for ys in seen.ys],
            inputs=[seen.inputs[r] for r in ranks],
            trace=None,
            kept=[[kept[r] for r in ranks] for kept in seen.kept],
            flaws={},
        )
        found = compared(own, did, question.page_for(own), question) | disagreement(did)
        if wrong := next(((one, why) for one, why in found.items() if one in question.meanings), None):
            among = f"among ranks {', '.join(map(str, ranks))}, " if len(ranks) < example.p else ""
            return {example.prop: f"{scene.told}, {among}{wrong[0]}: {wrong[1]}".lstrip(", ")} | flaws
    return flaws


def accepted(example: Example, seen: Observed) -> dict[str, str]:
    """Return the flaw that no rank refused vectors that do not fit together; none if some rank did."""
    if seen.refusing or seen.refused:
        return {}
    first = example.xs[0]
    r = next(r for r, x in enumerate(example.xs) if kind(x) != kind(first))
    came = f"rank 0 returned {shown(seen.ys[0][0])}" if seen.ys else next(iter(seen.flaws.values()))
    return {BAD: f"rank {r} has {kind(example.xs[r])}, rank 0 {kind(first)}, and no rank raises: {came}"}


def results(example: Example, seen: Observed, page: Page | None, question: Question) -> dict[str, str]:
    """Say what is wrong with the ranks' results, and where the run first differs from the page."""
    found = compared(example, seen, page, question)
    return {prop: why + located(example, seen, page) for prop, why in found.items()}


def compared(example: Example, seen: Observed, page: Page | None, question: Question) -> dict[str, str]:
    """Judge results by the contract; or by the page's bits, if the page is dense or selecting; else by the sum."""
    if question.reduces:
        kept = {**question.params, **example.params}.get(KEPT)
        return contract_calls.judge_calls(example, seen, question.reduces, kept, question.drawn.warm_up[0])
    if page and (page.dense or page.selecting):
        return bits.judge_bits(page, example, seen)
    return sums.judge_sums(example, seen, page, mean=question.averages)


def located(example: Example, seen: Observed, page: Page | None) -> str:
    """Say where the run first differs from the page; "" if that is not known."""
    if page is None or seen.trace is None:
        return ""
    first = compare(page, example.xs, seen.trace, "steps")
    if first is None:
        return ""
    place = f"step {first.step}" + ("" if first.chunks is None else f", {named(first.chunks)}")
    at = f" at {first.where}" if first.where else ""
    return f"; first difference {place}, sent by rank {first.src}{at}"


def disagreement(seen: Observed) -> dict[str, str]:
    """Name the first rank with other bits than rank 0."""
    for ys in seen.ys:
        for r, y in enumerate(ys[1:], start=1):
            if comparable(y, ys[0]) and (odd := unequal(y, ys[0])):
                return {"agreement": f"{odd[0]} is {odd[1]} on rank {r} and {odd[2]} on rank 0"}
    return {}


def changed(example: Example, seen: Observed) -> dict[str, str]:
    """Name the first input that was changed."""
    after = example._replace(xs=seen.inputs)
    for call, vectors in enumerate(zip(example.calls, after.calls), start=1):
        for r, (x, y) in enumerate(zip(*vectors)):
            if not comparable(y, x) or unequal(y, x):
                which = f"call {call}" if len(example.calls) > 1 else "the call"
                return {"input untouched": f"rank {r}'s input was {shown(x)} and is {shown(y)} after {which}"}
    return {}


def unstable(first: Observed, second: Observed) -> dict[str, str]:
    """Name the first rank whose results have different bits in two runs on the same inputs."""
    for i, once in enumerate(first.ys):
        for again in second.ys[i :: len(first.ys)]:
            for r, (a, b) in enumerate(zip(once, again)):
                if comparable(a, b) and (odd := unequal(a, b)):
                    return {"reproducibility": f"rank {r} {odd[0]} is {odd[1]}, called again {odd[2]}"}
    return {}


def messages(example: Example, trace: Trace, page: Page | None, question: Question) -> Mapping[str, str]:
    """Say how the messages sent differ from the page's, or which link they share."""
    watched = question.watched
    flaws: dict[str, object] = {}
    if page is not None and {"steps", "volume"} & {*watched}:
        played = [*(calls(page, example.xs, question.convention) or page_runs.runs(page, example.xs))]
        flaws |= {p: compare(page, example.xs, trace, p, played) for p in ("steps", "volume") if p in watched}
        told = "volume" if "volume" in watched else "steps"
        flaws[told] = flaws[told] or uncounted(trace, played)
        if flaws.get("steps") and len(example.calls) > 1 and not page.composed:
            flaws["steps"] = f"{flaws['steps']} (steps are numbered on from call to call, {page.steps(example.p)} each)"
    if "contention" in watched:
        flaws["contention"] = crowded(trace, page, question.topology)
    return {prop: str(wrong) for prop, wrong in flaws.items() if wrong}


def crowded(trace: Trace, page: Page | None, topology: str) -> Met | None:
    """Return the first link with messages of two pairs, on the given topology or on those that the page names."""
    if topology:
        return shared(topology, used(trace), trace.ranks)
    return contended(page, trace) if page else None


def unclaimed(example: Example, trace: Trace | None, page: Page | None, question: Question) -> dict[str, str]:
    """Say why contention is not judged: no message is seen, or the page claims no freedom from it, or has it itself."""
    if "contention" not in question.watched:
        return {}
    if trace is not None and not any(trace.sends()) and (calls := inside(trace, 0)):
        return {"contention": f"rank 0 sends nothing; it calls {calls}, whose messages nobody sees"}
    if page is None or page.composed:
        return {} if page is None or question.topology else {"contention": SILENT.format(page.name)}
    if not question.topology:
        return {} if exclusive(page) else {"contention": SILENT.format(page.name)}
    own = shared(question.topology, pairs(page, example.p), example.p)
    return {"contention": f"page {page.name} itself does not keep its messages apart: {own}"} if own else {}


@np.errstate(all="ignore")
def unread(example: Example, seen: Observed, page: Page | None) -> bool:
    """Return whether sparse lists were sent in a form that sparring does not know."""
    return page is not None and page.listed and seen.trace is not None and unknown(page, example.xs, seen.trace)
