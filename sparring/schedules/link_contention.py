"""Judges whether messages of a program can meet on a link of a topology, whatever the timing.

A message is under way from its send until its receive has ended.  Two messages of different sources can meet on
a link that both cross unless the receive of one happens before the send of the other; messages of one source
are served by its port one at a time.  Channels are taken to be as large as need be: smaller ones only order more.
That is the criterion of ``contention.overlaps``, for steps that are not a page's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from sparring.proofs.contention import networks
from sparring.proofs.contention.networks import Edge
from sparring.schedules.graph import Graph
from sparring.schedules.races import Clock

PAIRS = 2**24
"""The most pairs of messages that are examined."""


class Crossing(NamedTuple):
    """The finding on one topology."""

    topology: str
    level: str
    """*exclusive*, *eager* or *contended*; *undecided* where there are too many pairs."""
    link: Edge | None
    first: int
    second: int
    """Two sends whose messages can meet on the link."""
    meetings: int
    """The number of pairs that can meet, on all links."""
    busiest: int
    """The most messages that cross one link."""

    def told(self, graph: Graph) -> str:
        """Return the finding as text."""
        where = f"on {self.topology}"
        if self.level == "exclusive":
            return f"exclusive {where}: each link serves one pair of ranks; the busiest carries {self.busiest} messages"
        if self.level == "eager":
            return f"eager {where}: links are shared, but messages of different sources never meet, whatever the timing"
        if self.level == "undecided" or self.link is None:
            return f"undecided {where}: more than {PAIRS} pairs of messages share a link"
        names = " and that of ".join(graph.nodes[node].name for node in (self.first, self.second))
        return (
            f"contended {where}: the message of {names} can meet on {networks.edge(self.link)}; "
            f"{self.meetings} pairs of messages can"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as a dict, for a report."""
        return {
            "topology": self.topology,
            "level": self.level,
            "meetings": self.meetings,
            "busiest": self.busiest,
            "link": self.link and networks.edge(self.link),
        }


def crossing(graph: Graph, counts: Clock | None, topology: str) -> Crossing:
    """Return whether messages can meet on a link of the topology; raise InputError where there is no such topology."""
    network = networks.find(topology)
    ways = {pair: network.route(*pair, graph.ranks) for pair in {(c.src, c.dst) for c in graph.carried}}
    served: dict[Edge, set[tuple[int, int]]] = defaultdict(set)
    users: dict[Edge, list[tuple[int, int, int]]] = defaultdict(list)
    for pair, way in ways.items():
        for link in way:
            served[link].add(pair)
    for send, receive, channel in graph.messages:
        for link in ways[channel.src, channel.dst]:
            users[link].append((send, receive, channel.src))
    busiest = max(map(len, users.values()), default=0)
    shared = [link for link, pairs in served.items() if len({src for src, _ in pairs}) > 1]
    if all(len(pairs) == 1 for pairs in served.values()):
        return Crossing(network.name, "exclusive", None, -1, -1, 0, busiest)
    if counts is None or sum(len(users[link]) ** 2 for link in shared) > PAIRS:
        return Crossing(network.name, "undecided", None, -1, -1, 0, busiest)
    found = {link: met for link in shared if (met := meeting(graph, counts, users[link])).count}
    if not found:
        return Crossing(network.name, "eager", None, -1, -1, 0, busiest)
    link, (_, first, second) = next(iter(found.items()))
    return Crossing(network.name, "contended", link, first, second, sum(met.count for met in found.values()), busiest)


class Met(NamedTuple):
    """The number of pairs of messages that can meet on a link, and the sends of one pair."""

    count: int  # type: ignore[assignment]  # an entry's name, not tuple's method
    first: int
    second: int


def meeting(graph: Graph, counts: Clock, users: list[tuple[int, int, int]]) -> Met:
    """Count the pairs of messages that can meet, of those that cross one link, given as send, receive and source."""
    sends, receives, sources = np.array(users).T
    nodes = graph.nodes
    chains = np.array([nodes[r].chain for r in receives])
    places = np.array([nodes[r].place for r in receives])
    over = counts[np.ix_(sends, chains)] > places  # over[i, j]: message j has ended before message i begins
    free = np.triu(~(over | over.T) & (sources[:, None] != sources))
    at = np.unravel_index(int(free.argmax()), free.shape)
    return Met(int(free.sum()), int(sends[at[0]]), int(sends[at[1]]))
