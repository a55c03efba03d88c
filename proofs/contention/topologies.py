"""Topologies as formulas: a link is a predicate on (source, destination).

ring  Rank i has a directed link to each neighbour; a message takes the shorter way round,
      clockwise if both are equally long.
tree  Any tree of switches whose leaves, in depth-first order, are the ranks.  Below every edge
      lies an interval of ranks, so one symbolic interval [a, b) stands for every edge of every
      such tree; the edge has a link up and a link down.
crossbar
      Every rank has one port out and one port in, and nothing else is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sparring.proofs.core.obligations import p, within
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate

link, a, b = Sym.var("link"), Sym.var("a"), Sym.var("b")


class Link(NamedTuple):
    """A directed link, or a family of them by symbolic place."""

    name: str
    place: tuple[Bool, ...]
    """Where the link may be: hypotheses on the symbols that place it."""
    carries: Callable[[Int, Int], Bool]
    """``carries(src, dst)``: a message from src to dst crosses it."""


def clockwise(src: Int, dst: Int) -> Bool:
    """The way from src up to dst is the shorter one and passes ``link -> link + 1``."""
    way = (dst - src) % p
    return both(2 * way <= p, (link - src) % p < way)


def counter_clockwise(src: Int, dst: Int) -> Bool:
    """The way from src down to dst is the shorter one and passes ``link -> link - 1``."""
    way = (src - dst) % p
    return both(2 * way < p, (src - link) % p < way)


def below(x: Int) -> Bool:
    """Rank ``x`` lies below the edge whose ranks are [a, b)."""
    return both(a <= x, x < b)


EDGE = (both(a >= 0, both(a < b, b <= p)),)

TOPOLOGIES: Mapping[str, tuple[Link, ...]] = {
    "ring": (
        Link("clockwise link", (within(link),), clockwise),
        Link("counter-clockwise link", (within(link),), counter_clockwise),
    ),
    "tree": (
        Link("link up", EDGE, lambda src, dst: both(below(src), negate(below(dst)))),
        Link("link down", EDGE, lambda src, dst: both(negate(below(src)), below(dst))),
    ),
    "crossbar": (
        Link("port out", (within(link),), lambda src, dst: src == link),
        Link("port in", (within(link),), lambda src, dst: dst == link),
    ),
}
