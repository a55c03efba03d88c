"""A recorded run as a document of the explorer: its messages beside the page's, and what ranks called together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from sparring.flight_recorder.telling import parted, ranks_told
from sparring.present.explorer import layout, routes
from sparring.present.explorer.document import Document, Finding, Run, Stage, positions
from sparring.present.explorer.observed import Beside, alone, named_line, named_ranks, shortened, shown_finding
from sparring.proofs.logic.verdicts import REFUTED
from sparring.report import Result
from sparring.trace.events import Event, Trace
from sparring.trace.links import Met


def document(
    name: str, trace: Trace, results: Sequence[Result], beside: Beside | None, topology: str = "",
    met: Met | None = None,
) -> Document:  # fmt: skip
    """Return the document of a trace; ``beside``: where it leaves the page, if that is known.

    ``topology``: the network that was asked for; ``met``: the messages that meet on a link, if any do.
    """
    runs = beside.runs() if beside else [alone([*trace.sends()], layout.of_trace(trace))]
    runs[-1] = msgspec.structs.replace(runs[-1], stages=[*runs[-1].stages, *collectives(trace)])
    findings = [finding(result, trace.ranks, runs, beside, met) for result in results if result.verdict == REFUTED]
    at = next((one.step for one in findings), None)
    cut = [shortened(run, at) for run in runs]
    kept, before, _ = cut[-1]
    shown, network = [run for run, _, _ in cut], topology or (met.topology if met else "")
    return Document(
        "trace",
        f"{name}: {trace.ranks} rank{'s' * (trace.ranks > 1)}",
        trace.ranks,
        shown,
        findings=[shown_finding(one, before, positions(kept.stages) - 1) for one in findings],
        topology=routes.topology(network, shown, trace.ranks) if network else None,
        notes=list(dict.fromkeys(note for _, _, note in cut if note)),
    )


def finding(result: Result, p: int, runs: Sequence[Run], beside: Beside | None, met: Met | None) -> Finding:
    """Return a refuted property as a finding on the last run: where it leaves the page, or messages meet on a link."""
    text = f"{result.property}: {result.detail}"
    if beside and result.property in ("steps", "volume"):
        return beside.finding(text, runs)
    if met and result.property == "contention":
        return routes.finding(text, met, runs, p)
    return Finding(text, len(runs) - 1, None, named_ranks(result.detail, p), named_line(result.detail))


def collectives(trace: Trace) -> list[Stage]:
    """Return the collectives, each as what every rank did about it: the k-th calls on one communicator belong together.

    Where ranks send messages, too, nothing says what came between these.
    """
    calls: defaultdict[int, defaultdict[int, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in trace.events:
        if event.op == "collective":
            calls[event.context][event.rank].append(event)
    return [
        Stage(f"collective {k + 1} of communicator {context}", text="\n".join(told(own, k, trace.ranks)))
        for context, own in sorted(calls.items())
        for k in range(max(map(len, own.values())))
    ]


def told(own: dict[int, list[Event]], k: int, p: int) -> list[str]:
    """Say what each rank did about the k-th collective of a communicator; 0 is that of all ranks."""
    came = {rank: f"called {found[k].call} at {found[k].where}" for rank, found in own.items() if k < len(found)}
    everybody = range(p) if own and next(iter(own.values()))[0].context == 0 else own
    gone = [rank for rank in everybody if rank not in came]
    lines = [f"{ranks_told(gone)} did not come"] if gone else []
    return [*lines, *(f"{ranks_told(ranks)} {what}" for ranks, what in parted(came))]
