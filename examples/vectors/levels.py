"""The hierarchical allreduce as test-vectors.md tells it: sums inside nodes, then across nodes, then shown inside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

from matrices import Sums
from whole import Numbers, Played, Step, Vector, cuts, everybody

State = dict[str, Any]


def hierarchical(at: Numbers, parameters: State, xs: list[Vector], state: State) -> Played:  # noqa: ARG001  # calls know nothing of each other
    """A call."""
    p, m, way = len(xs), parameters["m"], parameters["across"]
    if p % m:
        flat = Sums(at, way)
        y = flat(xs)
        return Played(flat.steps, [y] * p, {})
    nodes = [range(first, first + m) for first in range(0, p, m)]
    rails = [range(j, p, m) for j in range(m)]
    ring = parameters["inside"] == "ring"
    found = [scattered(at, [xs[r] for r in ranks], ring) for ranks in nodes]
    steps = together(nodes, [sent for _, sent in found])
    sums = [Sums(at, way) for _ in rails]
    chunks = [one([own[j] for own, _ in found]) for j, one in enumerate(sums)]
    steps += together(rails, [one.steps for one in sums])
    steps += together(nodes, [gathered(chunks, ring) for _ in nodes])
    return Played(steps, [[v for chunk in chunks for v in chunk]] * p, {})


def scattered(at: Numbers, xs: Sequence[Vector], ring: bool) -> tuple[list[Vector], list[Step]]:
    """By place, the sum of its chunk; and what is sent for it, by place."""
    m, steps = len(xs), list[Step]()
    parts = [[x[cut] for cut in cuts(len(x), m)] for x in xs]
    if not ring:
        steps = [everybody(m, lambda r, d: parts[r][d])] if m > 1 else []
        return [[at.total(vs) for vs in zip(*(part[c] for part in parts))] for c in range(m)], steps
    for t in range(m - 1):
        steps.append([(r, (r + 1) % m, parts[r][(r - 1 - t) % m]) for r in range(m)])
        for r, d, part in steps[-1]:
            parts[d][(r - 1 - t) % m] = [*map(at.add, part, parts[d][(r - 1 - t) % m])]
    return [parts[c][c] for c in range(m)], steps


def gathered(chunks: Sequence[Vector], ring: bool) -> list[Step]:
    """What is sent, by place, until all have all chunks."""
    m = len(chunks)
    if not ring:
        return [everybody(m, lambda r, d: chunks[r])] if m > 1 else []  # to all the same
    return [[(r, (r + 1) % m, chunks[(r - t) % m]) for r in range(m)] for t in range(m - 1)]


def together(groups: Sequence[Sequence[int]], sent: Sequence[Sequence[Step]]) -> list[Step]:
    """Steps that groups take at the same time, with ranks in the place of places."""
    named = [
        [[(ranks[src], ranks[dst], what) for src, dst, what in step] for step in steps]
        for ranks, steps in zip(groups, sent)
    ]
    return [sorted(chain(*steps), key=lambda one: one[0]) for steps in zip_longest(*named, fillvalue=[])]
