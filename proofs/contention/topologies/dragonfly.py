"""Dragonfly, balanced, with minimal routing.

``k`` ranks are linked to each router, and ``2 k`` routers make a group: each has a directed link to each other.
Every group has a directed link to each other group.  Those of a group leave from its routers in turn, in the order
of the groups that they lead to.  A message between groups crosses the one link there is, and at most one link
within each of both groups.

The groups, their sizes and the routing are those of J. Kim, W. J. Dally, S. Scott and D. Abts, "Technology-driven,
highly-scalable dragonfly topology", ISCA 2008; which router has which link is our own choice.  There are as many
groups as the ranks need: from ``2 k**2 + 2`` groups on a router has more than ``k`` links to others.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from sparring.errors import InputError
from sparring.proofs.contention.links import Link
from sparring.proofs.logic.obligations import every, within
from sparring.spec.core.numbers import Bool, Int, Sym, either, negate, where

link, group, router = Sym.var("link"), Sym.var("group"), Sym.var("router")
to_group, to_router = Sym.var("to_group"), Sym.var("to_router")


class Params(NamedTuple):
    """``k``: ranks of a router, at least 1."""

    k: int = 2


def route(src: int, dst: int, p: int, k: int) -> list[tuple[int | str, int | str]]:
    """Return the way over the routers of both ranks and, between groups, those that have the link."""
    if k < 1:
        raise InputError(f"dragonfly:k={k}: a router has at least 1 rank")
    (here, first), (there, last) = place(src, k), place(dst, k)
    routers = [(here, first), (there, last)]
    if src // (2 * k * k) != dst // (2 * k * k):  # in other groups
        routers[1:1] = [(here, gateway(here, there, k)), (there, gateway(there, here, k))]
    passed = dict.fromkeys(f"router {group}.{router}" for group, router in routers)  # each once
    return list(pairwise([src, *passed, dst]))


def place(rank: Int, k: int) -> tuple[Int, Int]:
    """Return the group of a rank, and its router there."""
    return rank // (2 * k * k), rank // k % (2 * k)


def gateway(here: Int, there: Int, k: int) -> Int:
    """Return the router of the group ``here`` that has the link to the group ``there``."""
    return where(there < here, there, there - 1) % (2 * k)


def links(k: int) -> tuple[Link, ...]:
    """Return the links of a rank, those within a group, and those between groups."""
    within_group = (within(group), within(router, 2 * k), within(to_router, 2 * k), negate(router == to_router))

    def local(src: Int, dst: Int) -> Bool:
        (here, first), (there, last) = place(src, k), place(dst, k)
        return either(
            every(here == group, there == group, first == router, last == to_router),
            either(
                every(here == group, negate(there == group), first == router, gateway(group, there, k) == to_router),
                every(negate(here == group), there == group, gateway(group, here, k) == router, last == to_router),
            ),
        )

    return (
        Link("link from a rank", (within(link),), lambda src, dst: src == link),
        Link("link to a rank", (within(link),), lambda src, dst: dst == link),
        Link("link within a group", within_group, local),
        Link(
            "link between groups",
            (within(group), within(to_group), negate(group == to_group)),
            lambda src, dst: every(place(src, k)[0] == group, place(dst, k)[0] == to_group),
        ),
    )
