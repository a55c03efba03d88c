"""What an algorithm takes where messages share links: those of a topology, or those out of nodes.

On a topology a step takes as long as its fullest link needs for all bytes that cross it.  Where so many
neighbouring ranks are a node, every pair in it has a link of its own; between nodes all that a node
sends in a step goes through one link, and all that it receives through another.  Steps come one
after the other, and so do the messages that one rank sends in a step.  Counted at a point from the
page's formulas, message by message: no closed form is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.proofs.contention.networks import Edge, Topology
from sparring.proofs.cost import contributions, densely
from sparring.proofs.cost.counted import Sends, schedule
from sparring.proofs.cost.machines import Machine
from sparring.spec.core.model import Page, chunk_words
from sparring.spec.core.schedule import number, truth

RANKS = 512
"""Up to so many, every message is counted."""

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


class Leveled(NamedTuple):
    """What was counted."""

    time: Fraction
    inside: int
    """Steps in which no message leaves its node."""
    outside: int
    """Steps in which some do."""
    sharing: int
    """The most messages that leave one node, or come to one, in one step."""
    startup: Fraction
    """Seconds of the time that go with the number of messages alone."""


Sized = tuple[Fraction, Fraction]
"""A message's bytes, and the values in it."""


class Step(NamedTuple):
    """The messages of one step."""

    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    nbytes: list[Fraction]
    added: list[Fraction]


def leveled(
    page: Page, nodes: Nodes, *, p: int, n: int, k: int = 0, width: int = 4, union: Union | None = None
) -> Leveled:
    """The page on ``p`` ranks with vectors of ``n`` entries; ``union``: sizes u(s), where chunks are sparse.

    Raises InputError for more than RANKS ranks, ScheduleFault where the formulas make no schedule.
    """
    few(p)
    starting = Nodes(nodes.size, Machine(nodes.inside.alpha, 0), Machine(nodes.outside.alpha, 0))
    time, startup, inside, outside, sharing = Fraction(0), Fraction(0), 0, 0, 0
    for step in steps(page, p, n, k, width, union):
        away = step.src // nodes.size != step.dst // nodes.size
        sharing = max(sharing, *(most(end[away] // nodes.size) for end in (step.src, step.dst)))
        time += lasting(step, away, nodes)
        startup += lasting(step, away, starting)
        inside, outside = (inside, outside + 1) if away.any() else (inside + 1, outside)
    return Leveled(time, inside, outside, sharing, startup)


class Linked(NamedTuple):
    """What was counted on a topology."""

    time: Fraction
    steps: int
    load: int
    """The most messages of one step on one link."""
    startup: Fraction
    """Seconds of the time that go with the number of messages alone."""


def linked(
    page: Page, topology: Topology, machine: Machine, *, p: int, n: int, k: int = 0, width: int = 4,
    union: Union | None = None,
) -> Linked:  # fmt: skip
    """The page on a topology, whose links each take ``machine.beta`` for a byte; otherwise as :func:`leveled`."""
    few(p)
    time, startup, load, many = Fraction(0), Fraction(0), 0, 0
    ways: dict[tuple[int, int], list[Edge]] = {}
    for step in steps(page, p, n, k, width, union):
        nbytes: dict[Edge, Fraction] = {}
        crossed: dict[Edge, int] = {}
        for src, dst, size in zip(step.src.tolist(), step.dst.tolist(), step.nbytes):
            way = ways.get((src, dst)) or ways.setdefault((src, dst), topology.route(src, dst, p))
            for link in way:
                nbytes[link] = nbytes.get(link, Fraction(0)) + size
                crossed[link] = crossed.get(link, 0) + 1
        startup += machine.alpha * most(step.src)
        time += machine.beta * max(nbytes.values(), default=Fraction(0)) + machine.gamma * most_added(step)
        load, many = max(load, *crossed.values()) if crossed else load, many + 1
    return Linked(startup + time, many, load, startup)


def few(p: int) -> None:
    """Raises InputError for more ranks than are counted."""
    if p > RANKS:
        raise InputError(f"p={p}: where links are shared every message is counted, for at most {RANKS} ranks")


def lasting(step: Step, away: NDArray[np.bool_], nodes: Nodes) -> Fraction:
    """How long a step takes: its slowest rank within a node, or link between nodes; then what it adds."""
    ends = zip((step.src // nodes.size).tolist(), (step.dst // nodes.size).tolist())
    crossed = [[("from", src), ("to", dst)] if src != dst else [] for src, dst in ends]
    shared = fullest((link, nbytes) for links, nbytes in zip(crossed, step.nbytes) for link in links)
    outer = nodes.outside.alpha * most(step.src[away]) + nodes.outside.beta * shared
    stays = [(src, nbytes) for src, nbytes, out in zip(step.src.tolist(), step.nbytes, away.tolist()) if not out]
    inner = fullest((src, nodes.inside.alpha + nodes.inside.beta * nbytes) for src, nbytes in stays)
    return max(outer, inner) + nodes.inside.gamma * most_added(step)


def most_added(step: Step) -> Fraction:
    """The most values that one rank adds in a step."""
    return fullest(zip(step.dst.tolist(), step.added))


def fullest(parts: Iterable[tuple[Any, Fraction]]) -> Fraction:
    """The largest sum of what belongs to one key."""
    sums: dict[Any, Fraction] = {}
    for key, part in parts:
        sums[key] = sums.get(key, Fraction(0)) + part
    return max(sums.values(), default=Fraction(0))


def most(numbers: NDArray[np.int64]) -> int:
    """How often the most frequent one occurs."""
    return int(np.bincount(numbers).max(initial=0))


def steps(page: Page, p: int, n: int, k: int, width: int, union: Union | None) -> Iterator[Step]:
    """The messages, with their bytes and what their receivers add."""
    for t, sends in enumerate(schedule(page, p)):
        ends = np.array([(src, dst) for src, dst, _ in sends], np.int64).reshape(-1, 2)
        adds = truth(page.adds(t, p))
        sizes = sparse(page, sends, t, p, n, width, union) if union else whole(page, sends, t, p, n, k, width)
        entries = list(sizes)
        added = [many for _, many in entries] if adds else []
        yield Step(ends[:, 0], ends[:, 1], [nbytes for nbytes, _ in entries], added)


def whole(page: Page, sends: Sends, t: int, p: int, n: int, k: int, width: int) -> Iterator[Sized]:
    """Bytes of each message, and values that its receiver adds: of whole vectors, of lists, of selected entries."""
    for src, _, chunks in sends:
        words = number(page.words(src, t, chunks.start, p, n, k))
        added = number(page.added(src, t, chunks.start, p, n, k))
        entries = {"vector": words, "lists": words // 2}.get(page.data, added)
        size = number(chunk_words(chunks.start, p, n)) if page.data == "selected" else n
        yield Fraction(number(page.octets(entries, size, width))), Fraction(added)


def sparse(page: Page, sends: Sends, t: int, p: int, n: int, width: int, union: Union) -> Iterator[Sized]:
    """The same of chunks that hold the union of several ranks' entries, which lie evenly in them."""
    many, length = contributions.contributed(page, contributions.contributions(page)), contributions.longest(page, p, n)
    octets: Any = page.octets  # typed for integers and symbols, and right for fractions
    sending = densely.sending(page)

    @cache
    def sized(s: int) -> Sized:
        held = sending(Fraction(union(s)) * length / n if n else Fraction(0), length, t, p).entries
        return Fraction(octets(held, length, width)), held

    return (sized(number(many(src, t, p))) for src, _, _ in sends)
