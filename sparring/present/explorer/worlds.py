"""Documents of runs of the simulated MPI: what was sent until a finding ended them, and who waits for whom.

A race has two runs, along the two orders of its messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sparring.errors import InputError
from sparring.present.explorer import layout
from sparring.present.explorer.document import Document, Run, Wait, positions
from sparring.present.explorer.document import Finding as Told
from sparring.present.explorer.observed import alone, named_ranks, shortened, shown_finding
from sparring.world import simulation
from sparring.world.core.findings import Finding, Kind, Outcome, Sent
from sparring.world.exploration import Exploration
from sparring.world.targets import Target

PENDING = "posted, and not received when the run ended"
LOST = (Kind.DEADLOCK, Kind.LIVELOCK, Kind.UNMATCHED)
"""The findings for which a message that nobody received matters."""


def document(outcome: Outcome, title: str, command: str = "") -> Document:
    """Return the document of a run, with all its findings.

    >>> import numpy as np
    >>> from sparring import world
    >>> def both_send_first(comm):
    ...     comm.Send(np.zeros(1), 1 - comm.rank)
    ...     comm.Recv(np.zeros(1), 1 - comm.rank)
    >>> [finding] = document(world.run(both_send_first, 2), "both send first").findings
    >>> [(wait.rank, wait.on, wait.call) for wait in finding.waits]
    [(0, [1], 'Send'), (1, [0], 'Send')]
    """
    p = len(outcome.results)
    run = run_of(outcome.messages, p, outcome.findings)
    findings = [finding(one, outcome.messages, p) for one in outcome.findings]
    run, before, note = shortened(run, next((one.step for one in findings), None))
    findings = [shown_finding(one, before, positions(run.stages) - 1) for one in findings]
    return Document("world", title, p, [run], command=command, findings=findings, notes=[note] if note else [])


def run_of(sent: Sequence[Sent], p: int, findings: Sequence[Finding] = (), heading: str = "") -> Run:
    """Return the messages of a run; those that nobody received are marked where that is what a finding is about."""
    look = "wrong" if any(one.kind in LOST for one in findings) else ""
    looks = {i: (look, PENDING) for i, one in enumerate(sent) if one.received is None}
    return alone(sent, layout.of_world(sent, p), heading, {**looks, **arrivals(sent)})


def arrivals(sent: Sequence[Sent]) -> dict[int, tuple[str, str]]:
    """Say of each message that was received which one of its receiver it was, counted from 1."""
    counts: Counter[int] = Counter()
    found: dict[int, tuple[str, str]] = {}
    came = [(one.received, i, one.dst) for i, one in enumerate(sent) if one.received]
    for _, i, dst in sorted(came):
        counts[dst] += 1
        found[i] = "", f"received by rank {dst} as number {counts[dst]}"
    return found


def finding(one: Finding, sent: Sequence[Sent], p: int, text: str = "") -> Told:
    """Return a finding of the world; it opens at the first message that it is about, else at the end."""
    waits = [Wait(w.rank, [w.peer], w.call, w.where) for w in one.waits]
    ranks = list(dict.fromkeys([one.rank, *(w.rank for w in one.waits), *named_ranks(one.text, p)]))
    steps = layout.of_world(sent, p)
    about = [t for t, m in zip(steps, sent) if one.kind in LOST and m.received is None and m.src in ranks]
    at = min(about, default=max(steps, default=None))
    return Told(text or str(one), 0, at, ranks, one.where, waits)


def race(
    target: Target, p: int, *per_rank_args: Sequence[Any], found: Exploration, title: str, **options: Any
) -> Document:
    """Return the two runs of a target that ends with two results, as :func:`sparring.world.explore` found them.

    ``options``: those of the exploration.  Raises InputError where there are no two results.

    >>> import numpy as np
    >>> from sparring import world
    >>> def first(comm):
    ...     y = np.zeros(1)
    ...     if comm.rank == 0:
    ...         comm.Recv(y)
    ...         comm.Recv(np.zeros(1))
    ...     else:
    ...         comm.Send(np.full(1, float(comm.rank)), 0)
    ...     return y[0]
    >>> shown = race(first, 3, found=world.explore(first, 3), title="a race")
    >>> [[message.src for step in run.stages[0].steps for message in step.messages] for run in shown.runs]
    [[1, 2], [2, 1]]
    """
    what = next((seen.what for seen in found.findings if seen.what.kind is Kind.RACE), None)
    if what is None:
        raise InputError(f"{found}: a race has two results at least")
    options = {"buffers": "any", "record": True, **options}
    runs = []
    for seen in found.results[:2]:
        outcome = simulation.run(target, p, *per_rank_args, choices=seen.choices, **options)
        runs.append(run_of(outcome.messages, p, heading=f"rank {what.rank} returns {outcome.results[what.rank]}"))
    told = Told(str(what), 1, first_parting(*runs), named_ranks(what.text, p), what.where)
    return Document("world", title, p, runs, findings=[told])


def first_parting(one: Run, other: Run) -> int | None:
    """Return the first step in which the second run has other messages than the first; None if there is none.

    The second may be the first several times over.
    """
    first, second = ([step.messages for stage in run.stages for step in stage.steps] for run in (one, other))
    return next((t for t, found in enumerate(second) if found != first[t % len(first)]), None) if first else None
