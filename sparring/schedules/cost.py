"""Counts what a program costs: messages and volume, of the busiest rank and along the longest chain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from sparring.schedules.graph import Graph


class Cost(NamedTuple):
    """The cost of a program; volumes are parts of the vector, or bytes where the file counts in bytes (``bytes``)."""

    messages: int
    """The most that one rank sends."""
    volume: Fraction
    """The most that one rank sends."""
    total: Fraction
    """What all ranks send."""
    path_messages: int
    """The most messages of a chain in which each follows from the one before: V_path's latency."""
    path_volume: Fraction
    """The most volume of such a chain (steps of a block included): V_path."""
    added: Fraction
    """The most that one rank adds."""
    in_bytes: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, for a report."""
        kept = {k: str(v) if isinstance(v, Fraction) else v for k, v in self._asdict().items() if k != "in_bytes"}
        return {**kept, "unit": "bytes" if self.in_bytes else "parts of the vector"}


def cost(graph: Graph, went: Sequence[int], waiting: Sequence[Sequence[int]], added: Sequence[int], unit: int) -> Cost:
    """Return what the program costs; ``unit`` is how many of the file's units make a vector, 0 where they are bytes.

    ``added``: how many units each node adds.
    """
    whole = unit or 1
    count, volume, sums = [0] * graph.ranks, [0] * graph.ranks, [0] * graph.ranks
    hops: list[set[bool]] = [set() for _ in graph.nodes]  # a step may take from another rank, and give to another
    for channel in graph.carried:
        for send in channel.sends:
            count[channel.src] += 1
            volume[channel.src] += graph.nodes[send].size
            hops[send].add(channel.src == graph.nodes[send].rank)
    for one, units in zip(graph.nodes, added):
        sums[one.rank] += units
    ways, far = [0] * len(graph.nodes), [0] * len(graph.nodes)
    for node in went:
        ways[node] = max((ways[b] for b in waiting[node]), default=0) + len(hops[node])
        far[node] = max((far[b] for b in waiting[node]), default=0) + len(hops[node]) * graph.nodes[node].size
    return Cost(
        max(count), Fraction(max(volume), whole), Fraction(sum(volume), whole), max(ways, default=0),
        Fraction(max(far, default=0), whole), Fraction(max(sums), whole), not unit,
    )  # fmt: skip
