"""Builds the graph of what waits for what, for programs and for messages.

A node is a step (or an operation); it waits for the step before it in its block and for those that it names.
The k-th message of a channel is received by the k-th receive of the channel.  If a channel holds at most
``depth`` messages, the send of message ``k`` also waits for the receive of message ``k - depth``.

Which message a receive takes does not depend on timing, so the whole program ends exactly if this graph has no cycle
and no receive lacks its send: then some node can run as long as any has not run, and a node that runs keeps no other
from running.  So one order decides for every timing (Kahn 1974, see ``proofs/coq/kahn.v``).  A step that receives and
sends runs when both are possible; a separate receive and send would need less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from sparring.errors import InputError
from sparring.schedules.messages import ANY, Messages
from sparring.schedules.program import USES, Program

NEVER = -1
"""In place of a node: something that never happens."""


@dataclass(slots=True, eq=False)
class Channel:
    """A channel whose messages keep their order; ``sends`` and ``receives`` are nodes."""

    src: int
    dst: int
    tag: int
    sends: list[int] = field(default_factory=list)
    receives: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        return f"rank {self.src} to {self.dst} on channel {self.tag}"


class Node(NamedTuple):
    """A step or an operation."""

    rank: int
    chain: int
    """Nodes of one chain wait for each other, one after the other."""
    place: int
    """Its place in the chain."""
    name: str
    before: tuple[int, ...]
    """The nodes that must have ended, except for the sends that it receives from."""
    size: int
    """The size of the message that it sends or receives, in chunks or bytes."""


class Graph(NamedTuple):
    """All nodes, and the messages between them."""

    ranks: int
    nodes: list[Node]
    channels: list[Channel]
    wild: list[int]
    """Receives that take any message: they are in no channel."""
    moves: list[Channel] | None = None
    """The messages with chunks, where channels carry only signals."""
    weak: frozenset[tuple[int, int]] = frozenset()
    """Pairs of a node and one that it waits for without knowing what that has written."""
    lacks: Mapping[int, str] = MappingProxyType({})
    """What nodes wait for that never comes."""

    @property
    def carried(self) -> list[Channel]:
        """The channels on which chunks go."""
        return self.channels if self.moves is None else self.moves

    @property
    def chains(self) -> int:
        """The number of chains."""
        return 1 + max((node.chain for node in self.nodes), default=-1)

    @property
    def messages(self) -> Iterator[tuple[int, int, Channel]]:
        """Every message that is received: its send, its receive, its channel."""
        return ((s, r, c) for c in self.carried for s, r in zip(c.sends, c.receives))


def of_program(program: Program) -> Graph:
    """Return the graph of a program's steps, rank by rank and block by block.

    Raises InputError where two blocks share an end of a channel.
    """
    nodes: list[Node] = []
    ends = Ends()
    chains = 0
    for r, rank in enumerate(program.ranks):
        first, count = {}, len(nodes)
        for block in rank.blocks:
            first[block.id] = count
            count += len(block.steps)
        for block in rank.blocks:
            for s, step in enumerate(block.steps):
                before = (len(nodes) - 1,) if s else ()
                if step.after:
                    before = (*before, first[step.after[0]] + step.after[1])
                if USES[step.op].receives:
                    ends.join(ends.of(block.recv, r, block.channel).receives, len(nodes), nodes, chains)
                if USES[step.op].sends:
                    ends.join(ends.of(r, block.send, block.channel).sends, len(nodes), nodes, chains)
                nodes.append(Node(r, chains, s, f"rank {r} block {block.id} step {s} ({step.op})", before, step.count))
            chains += 1
    return Graph(len(program.ranks), nodes, list(ends.found.values()), [])


class Ends:
    """The table of channels, by source, destination and tag."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, int, int], Channel] = {}

    def of(self, src: int, dst: int, tag: int) -> Channel:
        """Return the channel; make it where there is none."""
        key = src, dst, tag
        if key not in self.found:
            self.found[key] = Channel(*key)
        return self.found[key]

    def join(self, end: list[int], node: int, nodes: list[Node], chain: int) -> None:
        """Append a node of that chain; raise InputError where another chain has that end."""
        if end and nodes[end[0]].chain != chain:
            raise InputError(
                f"{nodes[end[0]].name} and a later block of the same rank use the same end of a channel; "
                "right: one block that sends and one that receives, for each pair of ranks and channel"
            )
        end.append(node)


def of_messages(messages: Messages) -> Graph:
    """Return the graph of all ranks' operations.

    An operation whose beginning others wait for has a node of its own for that.  A chain is a sequence of operations
    that follow each other; the k-th receive of a channel is the k-th in the file.
    """
    nodes: list[Node] = []
    wild: list[int] = []
    ends = Ends()
    tails: dict[int, int] = {}  # the last node of a chain, and which chain
    chains = 0
    for r, acts in enumerate(messages.ranks):
        entered = {other for act in acts for other in act.beside}
        at, count = [], len(nodes)
        for i in range(len(acts)):
            count += i in entered
            at.append(count)
            count += 1
        for i, act in enumerate(acts):
            before = (*(at[o] for o in act.after), *(at[o] - 1 for o in act.beside))
            for name in [f"begin of rank {r} operation {i}"] * (i in entered) + [
                f"rank {r} operation {i} ({act.kind})"
            ]:
                tail = next((b for b in before if b in tails), None)
                c = tails.pop(tail) if tail is not None else chains
                chains += tail is None
                tails[len(nodes)] = c
                place = nodes[tail].place + 1 if tail is not None else 0
                nodes.append(Node(r, c, place, name, before, act.size))
                before = (len(nodes) - 1,)
            node = len(nodes) - 1
            if act.kind == "send":
                ends.of(r, act.peer, act.tag).sends.append(node)
            elif act.kind == "recv" and ANY in (act.peer, act.tag):
                wild.append(node)
            elif act.kind == "recv":
                ends.of(act.peer, r, act.tag).receives.append(node)
    return Graph(len(messages.ranks), nodes, list(ends.found.values()), wild)


def waits(graph: Graph, depth: int | None) -> list[list[int]]:
    """Return for each node those that it waits for, NEVER among them.

    Channels hold ``depth`` messages, or any number for None.
    """
    found = [list(node.before) for node in graph.nodes]
    for channel in graph.channels:
        for k, receive in enumerate(channel.receives):
            found[receive].append(channel.sends[k] if k < len(channel.sends) else NEVER)
        if depth is not None:
            for k, send in enumerate(channel.sends[depth:]):
                found[send].append(channel.receives[k] if k < len(channel.receives) else NEVER)
    return found


def order(waiting: list[list[int]]) -> list[int]:
    """Return the nodes that can run, in an order in which they can; those that never can are left out."""
    missing = [len(w) for w in waiting]
    followers: list[list[int]] = [[] for _ in waiting]
    for node, before in enumerate(waiting):
        for other in before:
            if other != NEVER:
                followers[other].append(node)
    ready = [node for node, left in enumerate(missing) if not left]
    gone = []
    while ready:
        node = ready.pop()
        gone.append(node)
        for other in followers[node]:
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return gone
