"""Falsified properties as documents of the explorer: the smallest example's run, beside the page's where there is one.

A document opens at the first message that is not the page's; at what the simulated MPI found, with who waits for whom;
or at the results, where no message is to blame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from sparring.checks.findings import Findings
from sparring.checks.judges import judging
from sparring.checks.question import Question
from sparring.present.explorer import layout, routes, worlds
from sparring.present.explorer.document import Document, Finding, Run, Stage, positions
from sparring.present.explorer.observed import Beside, alone, named_line, named_ranks, shortened, shown_finding
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed, falsifies
from sparring.refinement.vectors import called, shown
from sparring.sparse import Sparse
from sparring.trace.compare import compare
from sparring.trace.links import Met
from sparring.world.core.findings import Finding as Found

RANKS = 16
"""The most ranks whose inputs and results are told."""


class Case(NamedTuple):
    """A falsified property: the example, why, and the run; ``again``: the run in another timing."""

    prop: str
    example: Example
    why: str
    seen: Observed
    again: Observed | None = None

    @property
    def text(self) -> str:
        """The refutation in one sentence."""
        return f"{self.prop} at {self.example.place}: {self.why}"

    @property
    def unrepeatable(self) -> bool:
        """Whether only a second run, in another timing, shows it."""
        return self.prop == "reproducibility" and self.again is not None and bool(self.again.messages)

    @property
    def blamed(self) -> tuple[Observed, Found] | None:
        """The run in which the simulated MPI found this, and what it found."""
        for run in (self.seen, self.again):
            for one in run.findings if run else ():
                if run and falsifies(one, self.example.prop) == self.prop:
                    return run, one
        return None


def documents(question: Question, places: Mapping[str, Findings]) -> dict[str, Document]:
    """Return a document for each falsified property, of the first place where it is."""
    found: dict[str, Document] = {}
    for findings in places.values():
        for prop, (example, why) in findings.smallest.items():
            if prop not in found:
                found[prop] = document(question, Case(prop, example, why, *findings.seen[prop]))
    return found


def document(question: Question, case: Case) -> Document:
    """Return the document of one falsified property."""
    example = case.example
    met = contention(question, case)
    crowd = crowded(case, met) if met else None
    runs, finding = of_world(case) or crowd or beside(question, case) or unrepeated(case) or by_results(case)
    cut = [shortened(run, finding.step if i == finding.run else None) for i, run in enumerate(runs)]
    kept, before, _ = cut[finding.run]
    shown_runs = [run for run, _, _ in cut]
    return Document(
        "world" if case.blamed else "failure",
        f"{question.name}: {case.prop} at {example.place}",
        example.p,
        shown_runs,
        prose=told(example),
        findings=[shown_finding(finding, before, positions(kept.stages) - 1)],
        topology=routes.topology(met.topology, shown_runs, example.p) if met else None,
        notes=list(dict.fromkeys(note for _, _, note in cut if note)),
    )


Shown = tuple[list[Run], Finding]


def of_world(case: Case) -> Shown | None:
    """Return the run in which the simulated MPI found something; None if it did not."""
    if case.blamed is None:
        return None
    seen, found = case.blamed
    sent = seen.stuck or seen.messages
    run = worlds.run_of(sent, case.example.p, [found])
    shown = ended(run, seen._replace(ys=[]) if seen.stuck else seen)
    return [shown], worlds.finding(found, sent, case.example.p, case.text)


def contention(question: Question, case: Case) -> Met | None:
    """Return the messages that meet on a link, if that is what was falsified."""
    if case.prop != "contention" or case.seen.trace is None:
        return None
    return judging.crowded(case.seen.trace, question.page_for(case.example), question.topology)


def crowded(case: Case, met: Met) -> Shown:
    """Return the run with the messages marked that meet on a link."""
    sent = list(case.seen.trace.sends()) if case.seen.trace else []
    looks = {i: ("wrong", "") for i, event in enumerate(sent) if (event.rank, event.peer) in met.pairs}
    runs = [ended(alone(sent, steps_of(case), looks=looks), case.seen)]
    return runs, routes.finding(case.text, met, runs, case.example.p)


def beside(question: Question, case: Case) -> Shown | None:
    """Return the page's run and the observed one; None where there is no page, or no message that is not the page's."""
    example, trace, page = case.example, case.seen.trace, question.page_for(case.example)
    if page is None or trace is None or example.scene or case.unrepeatable:
        return None
    divergence = compare(page, example.xs, trace, "steps") or compare(page, example.xs, trace, "volume")
    if divergence is None:
        return None
    view = Beside.of_inputs(page, example.xs, trace, divergence)
    runs = view.runs()
    return [runs[0], ended(runs[1], case.seen)], view.finding(case.text, runs)


def unrepeated(case: Case) -> Shown | None:
    """Return both runs where a second one, in another timing, had other bits; None if that is not it."""
    if not case.unrepeatable or case.again is None:
        return None
    p = case.example.p
    first = worlds.run_of(case.seen.messages, p, heading="the first run")
    second = worlds.run_of(case.again.messages, p, heading="again, in another timing, on one communicator twice")
    return [ended(first, case.seen), ended(second, case.again)], finding(case, worlds.first_parting(first, second), 1)


def by_results(case: Case) -> Shown:
    """Return the run with its results, at which it opens."""
    whole = ended(messages(case), case.seen)
    return [whole], finding(case, positions(whole.stages) - 1)


def messages(case: Case) -> Run:
    """Return the messages that were seen, in steps of their own."""
    if case.seen.messages:
        return worlds.run_of(case.seen.messages, case.example.p)
    trace = case.seen.trace
    return alone(list(trace.sends()), steps_of(case)) if trace else Run([])


def steps_of(case: Case) -> list[int]:
    """Return the step of each message of the trace."""
    if case.seen.messages or case.seen.trace is None:
        return layout.of_world(case.seen.messages, case.example.p)
    return layout.of_trace(case.seen.trace)


def finding(case: Case, step: int | None, run: int = 0) -> Finding:
    """Return the refutation as a finding, with the ranks and the line that its sentence names."""
    return Finding(case.text, run, step, named_ranks(case.why, case.example.p), named_line(case.why))


def ended(run: Run, seen: Observed) -> Run:
    """Return the run with the ranks' results after its messages."""
    lines = by_rank("returns", seen.ys)
    stage = Stage("results", text="\n".join(lines) or "The run did not come to its end: there are no results.")
    return msgspec.structs.replace(run, stages=[*run.stages, stage])


def told(example: Example) -> str:
    """Return the inputs in prose."""
    more = [f"and so on, on {example.p} ranks"] if example.p > RANKS else []
    lines = [f"The smallest example that was found: {example.place}.", *by_rank("puts in", example.calls), *more]
    return "\n".join(lines)


def by_rank(verb: str, calls: Sequence[Sequence[Any]]) -> list[str]:
    """Say what each rank puts in or returns, call by call."""
    return [
        f"rank {r} {verb} {text(x)}" + f" in call {number}" * (len(calls) > 1)
        for number, xs in enumerate(calls, start=1)
        for r, x in enumerate(xs[:RANKS])
    ]


def text(x: Any) -> str:
    """Return a vector as text, or the type of what is none."""
    return shown(x) if isinstance(x, np.ndarray | Sparse) else called(x)
