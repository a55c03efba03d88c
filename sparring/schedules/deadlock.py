"""Judges whether a program ends, whatever the timing, and how many messages a channel must hold for it."""

from __future__ import annotations

from typing import NamedTuple

from sparring.schedules.graph import NEVER, Graph, order, waits


class Stuck(NamedTuple):
    """The reason why a program does not end: nodes that wait for each other in a circle, or for what never comes."""

    nodes: list[int]
    """Each waits for the next; the last for the first, or for what never comes."""
    circle: bool

    def told(self, graph: Graph, depth: int | None) -> str:
        """Return the reason as text."""
        ends = [*self.nodes[1:], self.nodes[0] if self.circle else NEVER]
        pairs = list(zip(self.nodes, ends))
        shown = pairs if len(pairs) <= SHOWN else [*pairs[: SHOWN - 1], pairs[-1]]
        names = [f"{graph.nodes[node].name} {why(graph, node, other, depth)}" for node, other in shown]
        if len(pairs) > SHOWN:
            names.insert(SHOWN - 1, f"and so on over {len(pairs) - SHOWN} more")
        return ", ".join(names) + (", which closes the circle" if self.circle else "")


SHOWN = 4


def stuck(graph: Graph, depth: int | None) -> Stuck | None:
    """Return why the program does not end if channels hold ``depth`` messages (None: any number), or None."""
    waiting = waits(graph, depth)
    gone = set(order(waiting))
    if len(gone) == len(waiting):
        return None
    node = next(n for n in range(len(waiting)) if n not in gone)
    path: dict[int, None] = {}
    while node not in path and node != NEVER:
        path[node] = None
        node = next(other for other in waiting[node] if other not in gone)
    nodes = list(path)
    return Stuck(nodes[nodes.index(node) :], circle=True) if node != NEVER else Stuck(nodes, circle=False)


def smallest(graph: Graph) -> int | None:
    """Return the least depth, at least 1, without a deadlock; None where every depth deadlocks."""
    low, high = 1, 1
    longest = max((len(channel.sends) for channel in graph.channels), default=1)
    while not ends(graph, high):
        if high >= longest:  # nobody waits for room any more
            return None
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if ends(graph, middle) else (middle + 1, high)
    return low


def ends(graph: Graph, depth: int) -> bool:
    """Tell whether all nodes can run if channels hold ``depth`` messages."""
    return len(order(waits(graph, depth))) == len(graph.nodes)


def why(graph: Graph, node: int, other: int, depth: int | None) -> str:
    """Return as text what ``node`` waits for."""
    for channel in graph.channels:
        if node in channel.receives:
            k = channel.receives.index(node)
            if other == (channel.sends[k] if k < len(channel.sends) else NEVER):
                sent = f"message {k} from {channel}"
                return f"waits for {sent}, which is never sent" if other == NEVER else f"waits for {sent}"
        if depth is not None and node in channel.sends:
            k = channel.sends.index(node) - depth
            if k >= 0 and other == (channel.receives[k] if k < len(channel.receives) else NEVER):
                left = ", which nobody takes" if other == NEVER else ""
                return f"waits for room from {channel}, which holds {depth}: message {k} has not been taken{left}"
    return f"waits for {graph.lacks[node] if other == NEVER else graph.nodes[other].name}"
