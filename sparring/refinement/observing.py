"""Runs a target in the simulated world, and tells what was seen: results, inputs afterwards, messages, conduct."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sparring.proofs.logic.terms import Table
from sparring.refinement.playing import Played
from sparring.trace.events import Trace, from_outcome
from sparring.world import simulation
from sparring.world.core.findings import Finding, Kind, Outcome, Sent

Call = Callable[..., Any]
"""``call(target, comm, *args)``, what each rank does: it returns a result, or what it :class:`Played`."""
RAISED = (Kind.RAISED, Kind.ABORTED, Kind.TRUNCATED)
"""Findings that real MPI would raise as an error, or end the job with."""


class Observed(NamedTuple):
    """One run of a target on an example.

    ``ys``: results by call and rank, empty if the run did not end; ``inputs``: every
    rank's vector after the last call; ``flaws``: property -> the flaw that the run itself showed;
    ``refused``: why this place could not run the target; ``kept``: by call and
    rank, what a stateful target shows of what it keeps, by name; ``unseen`` and ``roundings``: see
    :class:`~sparring.checks.ranks.answers.Examined`; ``refusing``: whether a rank raised an error;
    ``raised``: whether this was a Python exception, and nothing that ends processes;
    ``unrecorded``: why nobody saw what was sent;
    ``remarks``: by rank, sentences on what else went wrong; ``shared``: why ranks were not as far apart as processes;
    ``printed``: what simulated ranks wrote to the screen, where it is not shown;
    ``messages``, ``findings`` and ``why_not``: of a simulated run what was sent, what the world found, and why one
    schedule does not decide for all; ``stuck``: what was sent before a deadlock that larger buffers avoid.
    """

    ys: list[list[Any]]
    inputs: list[Any]
    trace: Trace | None
    flaws: Mapping[str, str]
    refused: str = ""
    kept: Sequence[list[Mapping[str, Any]]] = ()
    unseen: Mapping[str, str] = {}
    roundings: int = 0
    refusing: bool = False
    raised: bool = False
    unrecorded: str = ""
    remarks: Sequence[Sequence[str]] = ()
    shared: str = ""
    printed: str = ""
    messages: Sequence[Sent] = ()
    findings: Sequence[Finding] = ()
    why_not: tuple[str, ...] = ()
    stuck: Sequence[Sent] = ()


def observe(
    target: Any, xs: Sequence[Any], prop: str, call: Call = simulation.plainly, *, buffers: str = "synchronous",
    terms: Table | None = None, record: bool = False, idle: int = 0,
) -> Observed:  # fmt: skip
    """Run ``target`` once on copies of these vectors, one a rank; what a rank raises falsifies ``prop``.

    ``idle``: how many more ranks there are, which have no part in the call.
    """

    def played(function: Any, comm: Any, x: Any) -> Played:
        y = call(function, comm, x)
        return y if isinstance(y, Played) else Played([y], [], x)

    def in_part(function: Any, comm: Any, x: Any) -> Played | None:
        own = comm.Split(int(x is None))
        y = None if x is None else played(function, own, x)
        own.Free()
        return y

    copies = [*(x.copy() for x in xs), *[None] * idle]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        part = in_part if idle else played
        outcome = simulation.run(target, len(copies), copies, buffers=buffers, terms=terms, call=part, record=record)
    return observe_outcome(without(outcome, idle), prop, len(xs), traced=record)


def without(outcome: Outcome, idle: int) -> Outcome:
    """Return an outcome without the results and calls of its last ranks."""
    p = len(outcome.results) - idle
    return replace(
        outcome, results=outcome.results[:p], collectives=[one for one in outcome.collectives if one.rank < p]
    )


def observe_outcome(outcome: Outcome, prop: str, p: int, *, traced: bool) -> Observed:
    """Translate an outcome of the simulated world."""
    if refused := next((f.text for f in outcome.findings if f.kind is Kind.UNSUPPORTED), ""):
        return Observed([], [], None, {}, refused)
    trace = from_outcome(outcome, p) if traced else None
    flaws: dict[str, str] = {}
    for finding in outcome.findings:
        flaws.setdefault(falsifies(finding, prop), finding.text)
    kinds = {finding.kind for finding in outcome.findings}
    refusing, raised = bool(kinds & {*RAISED}), Kind.RAISED in kinds and Kind.ABORTED not in kinds
    seen: dict[str, Any] = {"messages": outcome.messages, "findings": outcome.findings}
    if None in outcome.results:
        flaws = flaws or {prop: f"rank {outcome.results.index(None)} came to no end, and nothing says why"}
        return Observed([], [], trace, flaws, refusing=refusing, raised=raised, **seen)
    ys, kept, given, remarks = zip(*outcome.results)
    more = {"kept": by_call(kept), "refusing": refusing, "remarks": remarks, **seen, "why_not": outcome.why_not}
    return Observed(by_call(ys), list(given), trace, flaws, **more)


def falsifies(finding: Finding, prop: str) -> str:
    """Return the property that a finding of the world stands against."""
    hangs = dict.fromkeys((Kind.DEADLOCK, Kind.LIVELOCK, Kind.BUDGET), "deadlock")
    return {**hangs, Kind.RAISED: prop, Kind.ABORTED: prop, Kind.NO_TERM: "terms"}.get(finding.kind, "hygiene")


def by_call(found: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Reorder values given by rank and call to call and rank."""
    return [list(one) for one in zip(*found)]
