"""The messages of a finite run, step by step, and the links that they cross, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.proofs.contention.networks import Edge, Topology
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends

Numbers = NDArray[np.int64]


class Transfer(NamedTuple):
    """One message: rank ``src`` sends it to rank ``dst`` in step ``t``."""

    t: int
    src: int
    dst: int


class Traffic(NamedTuple):
    """The messages that ``p`` ranks send.

    Each of ``steps`` is an array of shape (messages, 2): sources and destinations.

    In a step no two messages have both ranks in common.
    """

    p: int
    steps: Sequence[Numbers]

    @staticmethod
    def of(page: Page, p: int) -> Traffic:
        """Return the page's messages; raise ScheduleFault where its formulas make no schedule."""
        sends = (step_sends(page, t, p) for t in range(number(page.steps(p))))
        return Traffic(p, [np.array([s[:2] for s in step], np.int64).reshape(-1, 2) for step in sends])

    @staticmethod
    def made(p: int, steps: Sequence[Sequence[tuple[int, int]]]) -> Traffic:
        """Return the listed messages, step by step.

        Raises InputError where a rank sends twice to one rank in a step, or to itself, or there is no such rank.
        """
        for t, step in enumerate(steps):
            for (src, dst), times in Counter(step).items():
                if times > 1:
                    several = f"rank {src} sends {times} messages to rank {dst}"
                    raise InputError(f"step {t}: {several}; a step has at most one")
                if src == dst or not (0 <= src < p and 0 <= dst < p):
                    raise InputError(f"step {t}: a message from rank {src} to {dst}; it needs two of ranks 0..{p - 1}")
        return Traffic(p, [np.array(step, np.int64).reshape(-1, 2) for step in steps])

    def transfers(self) -> Iterator[Transfer]:
        """Return an iterator of all messages, in the order of steps."""
        return (Transfer(t, src, dst) for t, step in enumerate(self.steps) for src, dst in step.tolist())


@dataclass(frozen=True)
class Routed:
    """Traffic on a topology.  Pairs (source, destination) and links are numbered."""

    traffic: Traffic
    topology: Topology

    @cached_property
    def pairs(self) -> Numbers:
        """The pairs of ranks that exchange a message, ascending; of shape (pairs, 2)."""
        return np.stack(np.divmod(np.unique(self.keys), self.traffic.p), axis=1)

    @cached_property
    def keys(self) -> Numbers:
        """The pair of every message as one number, in the order of steps."""
        empty = np.empty((0, 2), np.int64)
        src, dst = np.concatenate([empty, *self.traffic.steps]).T
        return np.asarray(src * self.traffic.p + dst)

    @cached_property
    def ids(self) -> list[Numbers]:
        """The numbers of the pairs of each step's messages."""
        found = np.searchsorted(np.unique(self.keys), self.keys)
        ends = np.cumsum([len(step) for step in self.traffic.steps], dtype=np.int64)
        return np.split(found, ends)[: len(ends)]

    @cached_property
    def _numbered(self) -> tuple[list[Edge], Incidence]:
        numbers: dict[Edge, int] = {}
        ways = [self.topology.route(src, dst, self.traffic.p) for src, dst in self.pairs.tolist()]
        flat = np.array([numbers.setdefault(link, len(numbers)) for way in ways for link in way], np.int64)
        return list(numbers), Incidence.of([len(way) for way in ways], flat)

    @property
    def links(self) -> list[Edge]:
        """The links that are used."""
        return self._numbered[0]

    @property
    def ways(self) -> Incidence:
        """The links that each pair's messages cross."""
        return self._numbered[1]

    @property
    def exclusive(self) -> bool:
        """Whether each link serves only one pair."""
        return len(self.links) == len(self.ways.items)

    def loads(self, t: int) -> Numbers:
        """Return how many messages of step ``t`` cross each link."""
        return np.bincount(self.ways.of_all(self.ids[t])[1], minlength=len(self.links))

    def crowds(self, t: int) -> Numbers:
        """Return how many sources have messages that cross each link in step ``t``.

        Messages of one source are serialised by its port.
        """
        which, link = self.ways.of_all(self.ids[t])
        source = self.pairs[self.ids[t][which], 0]
        return np.bincount(np.unique(link * self.traffic.p + source) // self.traffic.p, minlength=len(self.links))

    @cached_property
    def crowd(self) -> int:
        """The most sources whose messages of one step cross one link."""
        return max((int(self.crowds(t).max(initial=0)) for t in range(len(self.ids))), default=0)

    @cached_property
    def load(self) -> int:
        """The most messages of one step that cross one link."""
        return max((int(self.loads(t).max(initial=0)) for t in range(len(self.ids))), default=0)

    @cached_property
    def crossed(self) -> Numbers:
        """The number of messages that cross each link in the whole run."""
        return np.sum([self.loads(t) for t in range(len(self.ids))], axis=0, dtype=np.int64).reshape(-1)


class Incidence(NamedTuple):
    """A list of numbers for each ``i``: ``items[starts[i] : starts[i + 1]]``."""

    starts: Numbers
    items: Numbers

    @staticmethod
    def of(counts: Sequence[int] | Numbers, items: Numbers) -> Incidence:
        """Return the incidence in which ``i`` has ``counts[i]`` of the items, taken one after the other."""
        return Incidence(np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)]), items)

    def of_all(self, which: Numbers) -> tuple[Numbers, Numbers]:
        """Return the items of all ``which``, each with the position in ``which`` that it belongs to."""
        first, counts = self.starts[which], self.starts[which + 1] - self.starts[which]
        owner = np.repeat(np.arange(len(which)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return owner, self.items[first[owner] + within]
