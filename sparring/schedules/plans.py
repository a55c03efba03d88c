"""Programs on memory that ranks share: a step may read and write another rank's, and signals order the steps.

A step adds the chunks at its sources and writes the sum to all its targets, on whatever ranks these are.  A channel
counts its signals and has room for any number; the k-th wait of a channel takes the k-th signal.  The readers of a
packet see by themselves that it is there.  Memory is ordered less than progress: a relaxed signal lets the other side
go on, and says nothing of what was written before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from sparring.errors import InputError
from sparring.schedules.collectives import Sums, begun
from sparring.schedules.graph import NEVER, Channel, Ends, Graph, Node
from sparring.schedules.memory import Places
from sparring.schedules.program import CELLS, STEPS, Program


class Deed(NamedTuple):
    """The effect of a step on cells; all ranges have the same length."""

    sources: tuple[range, ...] = ()
    targets: tuple[range, ...] = ()

    @property
    def read(self) -> Sequence[range]:
        """The cells that it reads."""
        return self.sources

    @property
    def written(self) -> Sequence[range]:
        """The cells that it writes."""
        return self.targets

    @property
    def added(self) -> int:
        """The number of chunks that it adds to others."""
        return sum(map(len, self.sources[1:]))


IDLE = Deed()
"""The effect of steps that only wait, or let others go on."""


class Plan(NamedTuple):
    """A program whose blocks order each other by more than messages."""

    program: Program
    """The declared program, without blocks; its chunks are as small as the steps cut them."""
    graph: Graph
    deeds: Sequence[Deed]
    left: Sequence[str]
    """What differs after a run from before, so that the program can run only once."""
    partly: str
    """The assumption of all verdicts; empty for none."""
    gaps: Mapping[str, str]
    priced: bool
    """True if it is known who sends what to whom."""


@dataclass(slots=True, eq=False)
class Draft:
    """A node under construction; the nodes of one line follow each other."""

    rank: int
    name: str
    line: object
    before: list[int]
    deed: Deed


@dataclass(slots=True, eq=False)
class Weave:
    """The nodes under construction, and what orders them."""

    drafts: list[Draft] = field(default_factory=list)
    signals: Ends = field(default_factory=Ends)
    """The channels of signals; their sends are signals, their receives waits."""
    moves: Ends = field(default_factory=Ends)
    """The messages with chunks; a node is its own receive."""
    users: dict[object, object] = field(default_factory=dict)
    relaxed: set[int] = field(default_factory=set)
    weak: set[tuple[int, int]] = field(default_factory=set)
    lacks: dict[int, str] = field(default_factory=dict)
    cells: int = 0

    def add(self, rank: int, name: str, line: object, before: Sequence[int], deed: Deed = IDLE) -> int:
        """Add a node, and return its number."""
        self.cells += sum(map(len, chain(deed.sources, deed.targets)))
        if len(self.drafts) >= STEPS or self.cells > CELLS:
            raise InputError(
                f"more than {STEPS} steps, or {CELLS} chunks that they touch; at most so many are followed"
            )
        self.drafts.append(Draft(rank, name, line, list(before), deed))
        return len(self.drafts) - 1

    def owned(self, end: object, user: object, name: str) -> None:
        """Raise InputError if another than ``user`` uses that end of something."""
        if self.users.setdefault(end, user) != user:
            raise InputError(
                f"{name} uses what another block of the rank uses in the same way; which comes first is open"
            )

    def never(self, node: int, why: str) -> None:
        """Record that the node waits for what never comes, and why."""
        self.drafts[node].before.append(NEVER)
        self.lacks[node] = why

    def graph(self, ranks: int) -> Graph:
        """Return the graph of all nodes."""
        lines: dict[object, int] = {}
        lengths: list[int] = []
        nodes = []
        for one in self.drafts:
            at = lines.setdefault(one.line, len(lines))
            if at == len(lengths):
                lengths.append(0)
            size = len(one.deed.targets[0]) if one.deed.targets else 0
            nodes.append(Node(one.rank, at, lengths[at], one.name, tuple(dict.fromkeys(one.before)), size))
            lengths[at] += 1
        channels = list(self.signals.found.values())
        for channel in channels:
            pairs = zip(channel.receives, channel.sends)
            self.weak |= {(w, s) for w, s in pairs if w in self.relaxed or s in self.relaxed}
        return Graph(ranks, nodes, channels, [], list(self.moves.found.values()), frozenset(self.weak), self.lacks)

    def moved(self, node: int, src: int, dst: int) -> None:
        """Record that the node takes its chunks from one rank to another."""
        if src != dst:
            found: Channel = self.moves.of(src, dst, 0)
            found.sends.append(node)
            found.receives.append(node)


def ended(went: Sequence[int], deeds: Sequence[Deed], places: Places) -> tuple[Sums, list[int]]:
    """Return the sum in each cell after the steps ``went``, carried out in that order."""
    sums, cells = begun(places)
    for node in went:
        deed = deeds[node]
        if not deed.targets:
            continue
        values: list[int] = []
        for at, source in enumerate(deed.sources):
            more = [cells[c] for c in source]
            values = list(map(sums.plus, values, more)) if at else more
        for target in deed.targets:
            cells[target.start : target.stop] = values
    return sums, cells
