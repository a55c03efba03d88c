"""Data races: two steps that touch one place in no fixed order, one of them writing.

*Happens before* comes from the order of a block, from what steps wait for, and from each message: its send happens
before its receive.  A full channel orders nothing here, since larger buffers may be used.  Two steps that nothing
orders can come either way round, whatever else the runtime does; so without a race, one order has the results of all.

Each step has a row of a clock: how many steps of each block have ended when it ends.  Step ``a`` happens before ``b``
exactly if ``b``'s clock counts ``a``.  Along an order of all steps, each place remembers who wrote it last and who has
read it since.  As long as there was no race, all earlier accesses happen before these, so the first race of a place is
always found (Flanagan & Freund, FastTrack, PLDI 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.schedules.graph import Graph

Clock = NDArray[np.int32]
LARGEST = 2**26
"""The most entries of the clock of all steps."""
LISTED = 100
"""The most races that are listed."""


def clock(graph: Graph, went: Sequence[int], waiting: Sequence[Sequence[int]]) -> Clock | None:
    """Return ``clock[b, chain]``: how many nodes of the chain happen before ``b``, ``b`` included; None if too large.

    ``went``: the nodes in an order in which they can run; ``waiting``: what each waits for.
    """
    chains = graph.chains
    if len(graph.nodes) * chains > LARGEST:
        return None
    found = np.zeros((len(graph.nodes), chains), np.int32)
    for node in went:
        row = found[node]
        for other in waiting[node]:
            np.maximum(row, found[other], out=row)
        row[graph.nodes[node].chain] = graph.nodes[node].place + 1
    return found


class Access(Protocol):
    """The cells that a step touches."""

    @property
    def read(self) -> Iterable[range]:
        """The cells that it reads."""
        raise NotImplementedError

    @property
    def written(self) -> Iterable[range]:
        """The cells that it writes; all ranges of a step have the same length."""
        raise NotImplementedError


class Race(NamedTuple):
    """Two steps that touch ``cell`` in no fixed order."""

    first: int
    second: int
    cell: int
    writes: tuple[bool, bool]
    """Whether the first and the second write it."""
    known: list[int]
    """The nodes from the last of the first's block that happens before the second, up to the second; empty where none
    does.  Where none does, none of the second's block happens before the first either.
    """

    def told(self, graph: Graph, cell: str) -> str:
        """Return the race as text."""
        first, second = (graph.nodes[node].name for node in (self.first, self.second))
        if self.first == self.second:
            return f"{first} writes {cell} for one of its chunks and touches it for another, and nothing orders the two"
        does = ["writes" if w else "reads" for w in self.writes]
        block = first.split(" step")[0] if graph.moves is None else "its line"
        if self.known:
            way = " -> ".join(graph.nodes[node].name for node in self.known)
            how = f"the last step of {block} that comes before the second is that of {way}"
        else:
            how = f"no step of {block} comes before the second"
        return f"{first} {does[0]} {cell}, {second} {does[1]} it, and nothing orders the two: {how}"

    def as_dict(self, graph: Graph, cell: str) -> dict[str, Any]:
        """Return the race as a dict, for a report."""
        names = [graph.nodes[node].name for node in (self.first, self.second)]
        does = ["write" if w else "read" for w in self.writes]
        return {
            "rank": graph.nodes[self.first].rank,
            "cell": cell,
            "steps": [{"step": name, "access": access} for name, access in zip(names, does)],
            "known": [graph.nodes[node].name for node in self.known],
        }


def races(
    graph: Graph, went: Sequence[int], waiting: Sequence[Sequence[int]], touches: Sequence[Access], counts: Clock
) -> Iterator[Race]:
    """Yield the races, at least one for each place that has any, and each pair of steps once."""
    written: dict[int, int] = {}
    readers: dict[int, dict[int, int]] = {}  # by place, the last reader of each chain
    told: set[tuple[int, int]] = set()
    nodes = graph.nodes

    def unordered(node: int, cell: int, *, writes: bool) -> Iterator[Race]:
        earlier = [(written[cell], True)] if cell in written else []
        if writes:
            earlier += [(reader, False) for reader in readers.get(cell, {}).values()]
        for other, wrote in earlier:
            if other != node and counts[node, nodes[other].chain] <= nodes[other].place and (other, node) not in told:
                told.add((other, node))
                here, there = (chain(graph, waiting, counts, *pair) for pair in ((other, node), (node, other)))
                if there and not here:
                    yield Race(node, other, cell, (writes, wrote), there)
                else:
                    yield Race(other, node, cell, (wrote, writes), here)

    for node in went:
        touch = touches[node]
        for cells in touch.read:
            for cell in cells:
                yield from unordered(node, cell, writes=False)
                readers.setdefault(cell, {})[nodes[node].chain] = node
        for cell in (cell for cells in touch.written for cell in cells):
            yield from unordered(node, cell, writes=True)
            written[cell], readers[cell] = node, {}


def overlaps(touches: Sequence[Access]) -> Iterator[Race]:
    """Yield the steps that touch a cell for one of their chunks and write it for another, as races with themselves.

    Threads move the chunks of a step side by side, so nothing orders the two.
    """
    for node, touch in enumerate(touches):
        for to in touch.written:
            for one in (*touch.read, *touch.written):
                if one and one.start != to.start and max(one.start, to.start) < min(one.stop, to.stop):
                    yield Race(node, node, max(one.start, to.start), (False, True), [])


def chain(graph: Graph, waiting: Sequence[Sequence[int]], counts: Clock, first: int, second: int) -> list[int]:
    """Return the nodes from the last of ``first``'s chain that happens before ``second``, up to ``second``."""
    line = graph.nodes[first].chain
    last = int(counts[second, line])
    way = [second]
    while last and not (graph.nodes[way[-1]].chain == line and graph.nodes[way[-1]].place == last - 1):
        way.append(next(other for other in waiting[way[-1]] if counts[other, line] == last))
    return way[::-1] if last else []
