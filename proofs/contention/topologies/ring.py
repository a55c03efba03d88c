"""Bidirectional ring.

Each rank has a directed link to each of its two neighbours.  A message takes the shorter way
round, clockwise, which is upwards, if both are equally long.
"""

from __future__ import annotations

from itertools import pairwise

from sparring.proofs.contention.links import Link
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.logic.obligations import within
from sparring.spec.core.numbers import Bool, Int, Sym, both

link = Sym.var("link")


def route(src: int, dst: int, p: int) -> list[tuple[int, int]]:
    """Return the way from neighbour to neighbour."""
    up, down = (dst - src) % p, (src - dst) % p
    hops, way = (up, 1) if up <= down else (down, -1)
    return list(pairwise((src + way * i) % p for i in range(hops + 1)))


def clockwise(src: Int, dst: Int) -> Bool:
    """Return the condition that the way from src up to dst is the shorter one and passes ``link -> link + 1``."""
    way = (dst - src) % ranks
    return both(2 * way <= ranks, (link - src) % ranks < way)


def counter_clockwise(src: Int, dst: Int) -> Bool:
    """Return the condition that the way from src down to dst is shorter and passes ``link -> link - 1``."""
    way = (src - dst) % ranks
    return both(2 * way < ranks, (src - link) % ranks < way)


def links() -> tuple[Link, ...]:
    """Return a link of either direction at each rank."""
    return (
        Link("clockwise link", (within(link),), clockwise),
        Link("counter-clockwise link", (within(link),), counter_clockwise),
    )
