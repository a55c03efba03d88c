"""The network under a run, as an explorer's document has it: links, and the way of each pair of ranks that talk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, permutations

from sparring.present.explorer.document import Finding, Route, Run, Step, Topology
from sparring.proofs.contention import networks
from sparring.trace.links import Met

WHOLE = 128
"""Up to so many ranks a document also has the links that no message of the run takes."""


def topology(asked: str, runs: Sequence[Run], p: int) -> Topology:
    """Return the network that ``asked`` names, as in ``torus:k=2``; raises InputError where there is none such."""
    network = networks.find(asked)
    messages = (m for run in runs for stage in run.stages for step in stage.steps for m in step.messages)
    pairs = sorted({(m.src, m.dst) for m in messages if m.src != m.dst})
    others = permutations(range(p), 2) if p <= WHOLE else ()
    numbers: dict[networks.Edge, int] = {}
    for pair in chain(pairs, others):
        for link in network.route(*pair, p):
            numbers.setdefault(link, len(numbers))
    routes = [Route(*pair, [numbers[link] for link in network.route(*pair, p)]) for pair in pairs]
    return Topology(network.name, [*map(named, numbers)], routes, network.sides(p))


def named(link: networks.Edge) -> str:
    """Return the name that a link has in a document."""
    return f"{link[0]} -> {link[1]}"


def finding(text: str, met: Met, runs: Sequence[Run], p: int) -> Finding:
    """Return messages that meet on a link as a finding on the last run: with their ranks, their step, and the link."""
    ranks = [*dict.fromkeys(rank for pair in met.pairs for rank in pair)]
    link = met.edge(p)
    step = meeting_step(runs[-1], met)
    return Finding(text, len(runs) - 1, step, ranks, link=named(link) if link else "")


def meeting_step(run: Run, met: Met) -> int | None:
    """Return the first position with messages of several of the pairs, or else of one; None if there is none."""
    steps = [step for stage in run.stages for step in stage.steps or [Step()]]
    users = [len({(m.src, m.dst) for m in step.messages} & {*met.pairs}) for step in steps]
    return next((i for least in (2, 1) for i, many in enumerate(users) if many >= least), None)
