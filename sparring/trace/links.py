"""Judges whether a run keeps to a page's claim that its messages never meet on a link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from sparring.proofs.contention import networks
from sparring.proofs.contention.links import Link
from sparring.proofs.contention.networks import Edge, Topology, edge
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import evaluate, variables
from sparring.spec.core.schedule import number, step_sends
from sparring.trace.events import Trace

Pair = tuple[int, int]


def exclusive(page: Page) -> bool:
    """Tell whether the page claims of any topology that each link serves one pair."""
    return "exclusive" in subject(page).contention.values()


def contended(page: Page, trace: Trace) -> str | None:
    """Return a sentence on the first link that serves two (source, destination) pairs of ``trace``, or None.

    Only topologies on which the page claims to be exclusive are judged.  A claim that holds only in lock step cannot be
    judged without knowing each message's step.
    """
    pairs = tuple(used(trace))
    for topology, level in subject(page).contention.items():
        if level == "exclusive" and (found := meeting(networks.find(topology), pairs, trace.ranks)):
            return sentence(page, topology, *found)
    return None


def used(trace: Trace) -> list[Pair]:
    """Return all (source, destination) of the trace's messages; one to its own rank crosses no link and is left out."""
    return sorted({(event.rank, event.peer) for event in trace.sends() if event.rank != event.peer})


def pairs(page: Page, p: int) -> list[Pair]:
    """Return all (source, destination) of the page's messages."""
    return sorted({(src, dst) for t in range(number(page.steps(p))) for src, dst, _ in step_sends(page, t, p)})


def shared(topology: str, pairs: list[Pair], p: int) -> str | None:
    """Return one sentence on the first link of ``topology`` that serves two of ``pairs``; None if none does."""
    found = routed(networks.find(topology), tuple(pairs), p)
    if found is None:
        return None
    link, ((src, dst), (src2, dst2), *_) = found
    ways = f"messages from rank {src} to {dst} and from rank {src2} to {dst2}"
    return f"on the topology {topology}, {link} carries {ways}"


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
    users: dict[Edge, list[Pair]] = {}
    for src, dst in pairs:
        for link in topology.route(src, dst, p):
            users.setdefault(link, []).append((src, dst))
    return next(((f"link {edge(link)}", shared) for link, shared in users.items() if len(shared) > 1), None)


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


def sentence(page: Page, topology: str, link: str, users: list[Pair]) -> str:
    (src, dst), (src2, dst2) = users[:2]
    return (
        f"on the {topology}, the {link} carries messages from rank {src} to {dst} "
        f"and from rank {src2} to {dst2}; page {page.name} claims one pair for each link"
    )
