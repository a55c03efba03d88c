"""Counts what an algorithm takes where messages share links: those of a topology, or those out of nodes.

On a topology a step takes as long as its fullest link needs for all bytes that cross it.  Where so many
neighbouring ranks are a node, every pair in it has a link of its own; between nodes all that a node
sends in a step goes through one link, and all that it receives through another.  Steps come one
after the other, and so do the messages that one rank sends in a step.  Counted at a point from the
page's formulas, message by message: no closed form is claimed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from sparring.costs.derivation.counted import Sends, schedule
from sparring.costs.links.machines import Machine
from sparring.costs.supports import contributions
from sparring.errors import InputError, Undecided
from sparring.proofs.contention.networks import Topology
from sparring.proofs.reading.ways import of_ranks, ways
from sparring.spec.core.exchanges import served
from sparring.spec.core.model import Page, chunk_words
from sparring.spec.core.numbers import Evaluator
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.wire_forms import PLAIN

RANKS = 512
"""The most ranks for which costs are counted, message by message."""

SUMS = ("ReduceScatter", "Allgather", "Allreduce", "Gather")
"""The exchanges of compositions whose messages are counted."""

Union = Callable[[int], Any]


@dataclass(frozen=True)
class Nodes:
    """``size`` neighbouring ranks are a node; ``inside`` is what its own links take, ``outside`` those between nodes.

    Raises InputError for a ``size`` below 1.
    """

    size: int
    inside: Machine
    outside: Machine

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"nodes of {self.size} ranks: a node has at least one")

    def route(self, src: int, dst: int, p: int) -> Sequence[Hashable] | None:
        """Return the shared links from one rank to another; None where the two are in one node."""
        here, there = src // self.size, dst // self.size
        return None if here == there else (("from", here), ("to", there))


class Network(NamedTuple):
    """The links of a topology, each of which takes what ``outside`` says."""

    topology: Topology
    outside: Machine

    @property
    def inside(self) -> Machine:
        """The same machine: no message stays within a node."""
        return self.outside

    def route(self, src: int, dst: int, p: int) -> Sequence[Hashable]:
        """Return the links from one rank to another."""
        return self.topology.route(src, dst, p)


Links: TypeAlias = Nodes | Network


class Counted(NamedTuple):
    """The counts at one point."""

    time: Fraction
    inside: int
    """Steps in which no message leaves its node."""
    outside: int
    """Steps in which some messages leave their node, or, on a topology, any is sent."""
    sharing: int
    """The most messages of one step that share one link."""
    startup: Fraction
    """The seconds of the time that depend on the number of messages alone."""


Exact: TypeAlias = int | Fraction
Sized = tuple[Exact, Exact]
"""A message's bytes, and the values in it."""


class Message(NamedTuple):
    """One message of a step."""

    src: int
    dst: int
    nbytes: Exact
    added: Exact


Sent = Sequence[tuple[Message, Sequence[Hashable] | None]]
"""The messages of a step, each with the links that it shares."""


def counted(
    page: Page, links: Links, *, p: int, n: int, k: int = 0, width: int = 4, union: Union | None = None
) -> Counted:
    """Count the page on ``p`` ranks with vectors of ``n`` entries; ``union``: sizes u(s), where chunks are sparse.

    Raises InputError for more than RANKS ranks, ScheduleFault where the formulas make no schedule.
    """
    time, startup, crossing, sharing = Fraction(0), Fraction(0), [], 0
    inside, outside, route = links.inside, links.outside, cache(links.route)
    for step in steps(page, p, n, k, width, union):
        sent = [(message, route(message.src, message.dst, p)) for message in step]
        time += lasting(sent, inside, outside) + inside.gamma * fullest((one.dst, one.added) for one in step)
        startup += lasting(sent, Machine(inside.alpha, 0), Machine(outside.alpha, 0))
        sharing = max(sharing, most(link for _, shared in sent for link in shared or ()))
        crossing.append(any(shared is not None for _, shared in sent))
    return Counted(time, crossing.count(False), crossing.count(True), sharing, startup)


def lasting(sent: Sent, inside: Machine, outside: Machine) -> Fraction:
    """Return the time that a step's messages take: its slowest rank's within a node, or its fullest link's."""
    shared = fullest((link, message.nbytes) for message, links in sent for link in links or ())
    outer = outside.alpha * most(message.src for message, links in sent if links is not None) + outside.beta * shared
    stays = [message for message, links in sent if links is None]
    many, nbytes = Counter(one.src for one in stays), summed((one.src, one.nbytes) for one in stays)
    loads = {(many[src], nbytes[src]) for src in many}  # few differ, and fractions are slow
    return max([outer, *(inside.alpha * number + inside.beta * size for number, size in loads)])


def summed(parts: Iterable[tuple[Any, Exact]]) -> dict[Any, Exact]:
    """Return for each key the sum of what belongs to it."""
    sums: dict[Any, Exact] = defaultdict(int)
    for key, part in parts:
        sums[key] += part
    return sums


def fullest(parts: Iterable[tuple[Any, Exact]]) -> Exact:
    """Return the largest sum of what belongs to one key."""
    return max(summed(parts).values(), default=0)


def most(keys: Iterable[Hashable]) -> int:
    """Return how often the most frequent key occurs."""
    return max(Counter(keys).values(), default=0)


def steps(page: Page, p: int, n: int, k: int, width: int, union: Union | None) -> Iterator[Sequence[Message]]:
    """Yield the messages of each step, with their bytes and the values that their receivers add."""
    if p > RANKS:
        raise InputError(f"p={p}: where links are shared every message is counted, for at most {RANKS} ranks")
    if page.composed:
        yield from of_exchanges(page, p, n, k, width)
    else:
        yield from of_groups(page, [range(p)], n, k, width, union)


def of_exchanges(page: Page, p: int, n: int, k: int, width: int) -> Iterator[Sequence[Message]]:
    """Yield the same of the exchanges of a composition's usual call, no message of which is longer.

    Raises Undecided for exchanges of codes, of sparse vectors, and those that no page carries out.
    """
    reads = Evaluator({"p": p, "n": n, "k": k, "call": 1, "r": 0})
    for one in of_ranks(ways(page), p).sent:
        if one.exchange not in SUMS or one.code != PLAIN or served(one.through).data != "vector":
            raise Undecided(f"{page.name}: how links are shared by the messages of its {one.exchange} is not counted")
        axis = one.among and replace(one.among, sides=tuple(map(reads, one.among.sides)))
        groups = axis.groups(p) if axis else [range(p)]
        entries = number(reads(one.length)) * (len(groups[0]) if one.whole else 1)
        for _ in range(number(reads(one.times))):
            yield from of_groups(served(one.through), groups, entries, 0, width, None)


def of_groups(
    page: Page, groups: Sequence[Sequence[int]], n: int, k: int, width: int, union: Union | None
) -> Iterator[Sequence[Message]]:
    """Yield the messages of each step of a page without exchanges, which groups carry out at the same time."""
    p = len(groups[0])
    for t, sends in enumerate(schedule(page, p)):
        adds = truth(page.adds(t, p))
        sizes = sparse(page, sends, t, p, n, width, union) if union else message_sizes(page, sends, t, p, n, k, width)
        sent = [(src, dst, *size) for (src, dst, _), size in zip(sends, sizes)]
        yield [
            Message(ranks[src], ranks[dst], nbytes, many * adds) for ranks in groups for src, dst, nbytes, many in sent
        ]


def message_sizes(page: Page, sends: Sends, t: int, p: int, n: int, k: int, width: int) -> Iterator[Sized]:
    """Yield bytes of each message and values that its receiver adds, for whole vectors, lists, selected entries."""
    for src, _, chunks in sends:
        words = number(page.words(src, t, chunks.start, p, n, k))
        added = number(page.added(src, t, chunks.start, p, n, k))
        entries = {"vector": words, "lists": words // 2}.get(page.data, added)
        size = number(chunk_words(chunks.start, p, n)) if page.data == "selected" else n
        yield number(page.octets(entries, size, width)), added


def sparse(page: Page, sends: Sends, t: int, p: int, n: int, width: int, union: Union) -> Iterator[Sized]:
    """Yield the same for chunks that hold the union of several ranks' entries, which lie evenly in them."""
    many = contributions.contributed(page, contributions.contributions(page))
    message = contributions.sized(page, p, n, union, width)
    sent = (message(number(many(src, t, p)), t) for src, _, _ in sends)
    return ((one.nbytes, one.entries) for one in sent)
