"""Orders the blocks of an execution plan of MSCCL++ by their semaphores and barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sparring.errors import InputError
from sparring.schedules.collectives import wants
from sparring.schedules.formats.mscclpp_operations import Gpu
from sparring.schedules.memory import Places
from sparring.schedules.plans import Deed, Weave
from sparring.schedules.program import Buffer


class End(NamedTuple):
    """One rank's end of a channel: the other rank, the kind, and its number among the channels of the two."""

    peer: int
    kind: str
    tag: int


class Written(NamedTuple):
    """The writer of packets to a cell: the first node, its block, and whether that is the only block."""

    node: int
    block: object
    alone: bool


class Shared:
    """The state that the walks of all blocks share."""

    def __init__(self, gpus: Sequence[Gpu], places: Places, slices: int) -> None:
        self.gpus, self.places, self.slices = gpus, places, slices
        self.weave = Weave()
        self.tails: dict[object, int] = {}
        """The last node of each port on a channel."""
        self.written: dict[int, Written] = {}
        """The writer of packets to each cell."""
        self.awaited: list[tuple[int, int]] = []
        """Nodes, each with a cell in which it reads packets."""
        self.arrived: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
        """By rank, barrier and round: the nodes that arrive and leave, and how many blocks the barrier has."""
        self.last: list[list[int]] = [[] for _ in gpus]
        """The nodes after which a rank has ended."""
        self.released: dict[tuple[int, int], list[int]] = {}
        self.acquired: dict[tuple[int, int], list[int]] = {}
        self.switched = False
        self.scratch: dict[int, str] = {}
        """How a rank's scratch is used: with packets or without."""
        self.groups = [list(behind(gpu)) for gpu in gpus]
        """Each rank's switches: which buffer, and of which ranks."""
        wires = [(r, kind, list(connected(gpu, kind))) for r, gpu in enumerate(gpus) for kind in ("memory", "port")]
        between = {(r, kind): Counter(peers) for r, kind, peers in wires}
        self.ends: dict[tuple[int, str], list[End]] = {}
        for r, kind, peers in wires:
            seen: Counter[int] = Counter()
            self.ends[r, kind] = own = []
            for q in peers:
                if q == r or q >= len(gpus):
                    raise InputError(f"rank {r} is connected to {q}; right: another of the ranks 0 to {len(gpus) - 1}")
                first = 0 if kind == "memory" else max(between[r, "memory"][q], between[q, "memory"][r])
                own.append(End(q, kind, first + seen[q]))
                seen[q] += 1

    def finish(self) -> list[str]:
        """Record what waits for what in other blocks, once all are known.

        Return what ends with another value than it began with.
        """
        for (r, barrier, _), some in self.arrived.items():
            wanted = {count for *_, count in some}
            if len(wanted) > 1 or len(some) > max(wanted):
                raise InputError(
                    f"rank {r}: {len(some)} blocks meet at barrier {barrier}, which is of {sorted(wanted)[:8]}; "
                    "right: as many as num_threadblocks says"
                )
            (_, first, count), *others = some
            self.weave.drafts[first].before += [arrive for arrive, *_ in some]
            if len(some) < count:
                self.weave.never(first, f"barrier {barrier}, where {len(some)} of {count} blocks arrive")
            for _, leave, _ in others:  # once one can leave, all can
                self.weave.drafts[leave].before.append(first)
        self.packets()
        for r, output in enumerate(outputs(self.places)):
            self.weave.add(r, f"end of rank {r}", ("end", r), self.last[r], Deed((output,)))
        return list(self.semaphores())

    def writes(self, cell: int, node: int, block: object) -> None:
        """Record that a node of a block writes a packet."""
        first = self.written.setdefault(cell, Written(node, block, alone=True))
        if first.block != block:
            self.written[cell] = first._replace(alone=False)

    def packets(self) -> None:
        """Let nodes that read packets wait for the writers.

        Where several blocks write packets to one cell, the reader knows of nothing else that a writer wrote.
        """
        for node, cell in self.awaited:
            found = self.written.get(cell)
            if found:
                self.weave.drafts[node].before.append(found.node)
                if not found.alone:
                    self.weave.weak.add((node, found.node))
            else:
                rank = self.places.owner(cell)
                self.weave.never(
                    node, f"a packet in rank {rank}'s {self.places.named(rank, cell)}, which nobody writes"
                )

    def semaphores(self) -> Iterator[str]:
        """Let the k-th node that acquires a semaphore wait for one that releases it, the initial value counted.

        Yield the semaphores whose value differs in the next run.
        """
        for key in dict.fromkeys([*self.released, *self.acquired]):
            (r, number), released, acquired = key, self.released.get(key, []), self.acquired.get(key, [])
            first = self.gpus[r].semaphores[number].init_value
            for k, node in enumerate(acquired[first:]):
                if k < len(released):
                    self.weave.drafts[node].before.append(released[k])
                else:
                    self.weave.never(node, f"semaphore {number}, which nobody releases once more")
            if len(released) != len(acquired):
                yield (
                    f"rank {r}: semaphore {number} is released {len(released)} times and acquired {len(acquired)} "
                    "times, and the next run begins with another value"
                )


def behind(gpu: Gpu) -> Iterator[tuple[Buffer | None, Sequence[int]]]:
    """Yield the buffers behind a GPU's switches, each with its ranks."""
    switches = (wires for wires in gpu.channels if wires.channel_type == "switch")
    return ((wires.buffer_type, group.ranks) for wires in switches for group in wires.rank_groups)


def connected(gpu: Gpu, kind: str) -> Iterator[int]:
    """Yield the ranks to which a GPU's channels of a kind lead."""
    return (peer for wires in gpu.channels if wires.channel_type == kind for peer in wires.connected_to)


def outputs(places: Places) -> list[range]:
    """Return the cells of each rank's result: others must have written them when the rank has ended."""
    if places.kind is None:
        return [places.range(r, ("o", 0), memory.size["o"]) for r, memory in enumerate(places.memories)]
    found: dict[int, list[int]] = {}
    for r, buffer, index, *_ in wants(places):
        found.setdefault(r, []).append(places.cell(r, buffer, index))
    return [range(min(cells), max(cells) + 1) for _, cells in sorted(found.items())]
