"""Lower bounds on the time of a dense allreduce, from the links that it cannot avoid.

Ranks are put into ``m`` parts, and the nodes of the topology around each part so that few links lead out of it.

Two parts:  the sum of either part's ranks is ``n`` words that the other part must learn.  So ``n`` words go over the
            links from one to the other, both ways, however they are encoded.
``m`` parts: let every word that is sent be of one entry.  Until some part first knows the whole sum of an entry,
            ``m - 1`` words of it have come to parts, one from each other part or more; all others still lack the sum
            then, and a word comes to each.  So ``2 (m - 1) n`` words leave the parts in all.  With each rank a part
            this is the argument of P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
            workstations", J. Parallel Distrib. Comput. 69(2), 2009, which counts no links.

A link takes ``beta`` seconds for a byte, and ``c`` links that are all busy move ``c`` bytes in that time; so an
allreduce takes at least ``beta`` times the bytes over ``c``.  Parts here are neighbouring ranks, as many in each as a
power of two says; any others would bound the time as well, perhaps better.  What each link carries is counted by
routes between all pairs of ranks, so that none is forgotten.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from sparring.proofs.contention.networks import Edge, Topology

RANKS = 128
"""The most ranks of which the routes of all pairs are walked."""


class Cut(NamedTuple):
    """A cut between parts of the ranks, and the words that must cross it."""

    name: str
    """The parts that are cut from each other."""
    words: int
    """The words that must cross in all, in units of ``n``."""
    links: int
    """The number of links that the words can take."""

    @property
    def share(self) -> Fraction:
        """Words, of each of the ``n``, that the fullest link carries at least."""
        return Fraction(self.words, self.links)


@lru_cache(maxsize=32)
def tightest(topology: Topology, p: int) -> Cut | None:
    """Return the best bound among parts of neighbouring ranks; None for one rank.

    For more than ``RANKS`` it is that of each rank by itself, where that is known, else None.
    """
    if p > RANKS and (many := PORTS.get(topology.name.partition(":")[0])):
        return ports(p, many)
    if not 2 <= p <= RANKS:
        return None
    return max(cuts(links(topology, p), p), key=lambda cut: cut.share)


PORTS = {"crossbar": 1, "tree": 1, "fat_tree": 1, "ring": 2}
"""Links out of a rank, and into it, on topologies where these are the same for any number of ranks from 3 on."""


def ports(p: int, links: int = 1, name: str = "rank") -> Cut:
    """Return the bound by ``p`` ranks, or nodes, each a part with so many links out and in."""
    return Cut(f"each {name} by itself", 2 * (p - 1), links * p)


def links(topology: Topology, p: int) -> frozenset[Edge]:
    """Return all links that a message between two ranks can cross."""
    return frozenset(link for src in range(p) for dst in range(p) if src != dst for link in topology.route(src, dst, p))


def cuts(edges: AbstractSet[Edge], p: int) -> Iterator[Cut]:
    """Yield bounds by parts of 1, 2, 4, ... neighbouring ranks: all of them, and the one with the fewest links."""
    for size in (1 << i for i in range((p - 1).bit_length())):
        parts = [range(first, min(first + size, p)) for first in range(0, p, size)]
        sides = [crossing(edges, around(edges, part, p)) for part in parts]
        fewest, i = min((min(side), i) for i, side in enumerate(sides))
        ranks = f"ranks {parts[i][0]} to {parts[i][-1]}" if len(parts[i]) > 1 else f"rank {parts[i][0]}"
        yield Cut(f"{ranks} against the rest", 1, fewest)
        told = "each rank by itself" if size == 1 else f"every {size} neighbouring ranks"
        yield Cut(told, 2 * (len(parts) - 1), min(map(sum, zip(*sides))))


def crossing(edges: Iterable[Edge], inside: AbstractSet[Hashable]) -> tuple[int, int]:
    """Return the number of links that lead out, and of those that lead in."""
    ends = [(src in inside, dst in inside) for src, dst in edges]
    return ends.count((True, False)), ends.count((False, True))


def around(edges: AbstractSet[Edge], part: Iterable[int], p: int) -> set[Hashable]:
    """Return the part and the switches that are taken to it, one by one, as long as fewer links then cross.

    A node that is not one of the ``p`` ranks is a switch.  Wherever switches are taken to, the bound holds.
    """
    inside: set[Hashable] = {*part}
    beside: dict[Hashable, list[Hashable]] = {}
    for src, dst in edges:
        beside.setdefault(src, []).append(dst)
        beside.setdefault(dst, []).append(src)
    outside = [node for node in beside if node not in range(p)]
    while gained := [s for s in outside if 2 * sum(x in inside for x in beside[s]) > len(beside[s])]:
        inside.add(gained[0])
        outside.remove(gained[0])
    return inside
