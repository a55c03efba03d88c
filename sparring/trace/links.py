"""Judges whether a run keeps to a page's claim that its messages never meet on a link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from sparring.proofs.contention import networks
from sparring.proofs.contention.links import Link
from sparring.proofs.contention.networks import Edge, Topology, edge
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import evaluate, variables
from sparring.spec.core.schedule import number, step_sends
from sparring.trace.events import Trace

Pair = tuple[int, int]


class Met(NamedTuple):
    """Messages of several pairs of ranks that one link serves."""

    topology: str
    """As it was asked for."""
    link: str
    """In words: a link of the topology's formulas, with its place, or one of its routes."""
    pairs: list[Pair]
    """Sources and destinations, at least two."""
    claim: str = ""
    """The page that claims one pair for each link, where there is one."""

    def __str__(self) -> str:
        """Return the sentence on it, which names two of the pairs."""
        (src, dst), (src2, dst2) = self.pairs[:2]
        ways = f"carries messages from rank {src} to {dst} and from rank {src2} to {dst2}"
        if not self.claim:
            return f"on the topology {self.topology}, {self.link} {ways}"
        return f"on the {self.topology}, the {self.link} {ways}; page {self.claim} claims one pair for each link"

    def edge(self, p: int) -> Edge | None:
        """Return a link that the routes of several of the pairs share; None where only a formula speaks of it."""
        users = crossed(networks.find(self.topology), tuple(self.pairs), p)
        return next((link for link, shared in users.items() if len(shared) > 1), None)


def exclusive(page: Page) -> bool:
    """Tell whether the page claims of any topology that each link serves one pair."""
    return "exclusive" in subject(page).contention.values()


def contended(page: Page, trace: Trace) -> Met | None:
    """Return the first link that serves two (source, destination) pairs of ``trace``, or None.

    Only topologies on which the page claims to be exclusive are judged.  A claim that holds only in lock step cannot be
    judged without knowing each message's step.
    """
    pairs = tuple(used(trace))
    for topology, level in subject(page).contention.items():
        if level == "exclusive" and (found := meeting(networks.find(topology), pairs, trace.ranks)):
            return Met(topology, *found, page.name)
    return None


def used(trace: Trace) -> list[Pair]:
    """Return all (source, destination) of the trace's messages; one to its own rank crosses no link and is left out."""
    return sorted({(event.rank, event.peer) for event in trace.sends() if event.rank != event.peer})


def pairs(page: Page, p: int) -> list[Pair]:
    """Return all (source, destination) of the page's messages."""
    return sorted({(src, dst) for t in range(number(page.steps(p))) for src, dst, _ in step_sends(page, t, p)})


def shared(topology: str, pairs: list[Pair], p: int) -> Met | None:
    """Return the first link of ``topology`` that serves two of ``pairs``; None if none does."""
    found = routed(networks.find(topology), tuple(pairs), p)
    return found and Met(topology, *found)


@lru_cache(maxsize=256)  # run after run has the same pairs
def meeting(topology: Topology, pairs: tuple[Pair, ...], p: int) -> tuple[str, list[Pair]] | None:
    """Return the first link that serves several pairs, by its formula or on their routes, and these pairs."""
    for link in topology.links:
        for place in places(link, p):
            if len(users := crossing(link, place, pairs, p)) > 1:
                at = ", ".join(f"{name}={value}" for name, value in place.items())
                return f"{link.name} at {at}", users
    return routed(topology, pairs, p)


@lru_cache(maxsize=256)
def routed(topology: Topology, pairs: tuple[Pair, ...], p: int) -> tuple[str, list[Pair]] | None:
    """Return the first link that several pairs share on their routes, and these pairs; None if none is shared."""
    users = crossed(topology, pairs, p)
    return next(((f"link {edge(link)}", shared) for link, shared in users.items() if len(shared) > 1), None)


def crossed(topology: Topology, pairs: tuple[Pair, ...], p: int) -> dict[Edge, list[Pair]]:
    """Return the pairs whose routes cross each link."""
    users: dict[Edge, list[Pair]] = {}
    for src, dst in pairs:
        for link in topology.route(src, dst, p):
            users.setdefault(link, []).append((src, dst))
    return users


def places(link: Link, p: int) -> Iterator[dict[str, int]]:
    """Yield every place where the link may be among ``p`` ranks, as values of its symbols."""
    names = sorted(frozenset().union(*map(variables, link.place)) - {"p"})
    for values in product(range(p + 1), repeat=len(names)):
        place = dict(zip(names, values))
        if all(evaluate(hypothesis, p=p, **place) for hypothesis in link.place):
            yield place


def crossing(link: Link, place: dict[str, int], pairs: Iterable[Pair], p: int) -> list[Pair]:
    """Return the pairs whose messages cross the link there."""
    return [pair for pair in pairs if evaluate(link.carries(*pair), p=p, **place)]
