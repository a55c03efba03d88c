"""Tree of switches.

The leaves, in depth-first order, are the ranks, and every edge has a link up and a link down.
Below an edge lies an interval of ranks, so one symbolic interval [a, b) stands for every edge of
every such tree: what is proved with these formulas holds on all of them.  Routes are on the tree
whose switches have ``k`` children each, the last ones fewer; switch ``h.i`` is the one at height ``h``
above the ranks from ``i k**h`` on.
"""

from __future__ import annotations

from itertools import count, pairwise
from typing import NamedTuple

from sparring.errors import InputError
from sparring.proofs.contention.links import Link
from sparring.proofs.logic.obligations import p as ranks
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate

scope = "any tree with the ranks in depth-first order"
a, b = Sym.var("a"), Sym.var("b")


class Params(NamedTuple):
    """``k``: children of a switch, at least 2."""

    k: int = 2


def route(src: int, dst: int, p: int, k: int) -> list[tuple[int | str, int | str]]:
    """Return the way up to the lowest switch above both ranks, and down."""
    if k < 2:
        raise InputError(f"tree:k={k}: a switch has at least 2 children")
    height = next(h for h in count(1) if src // k**h == dst // k**h)
    up: list[int | str] = [src, *(f"switch {h}.{src // k**h}" for h in range(1, height + 1))]
    down: list[int | str] = [dst, *(f"switch {h}.{dst // k**h}" for h in range(1, height))]
    return list(pairwise([*up, *reversed(down)]))


def below(x: Int) -> Bool:
    """Return the condition that rank ``x`` lies below the edge whose ranks are [a, b)."""
    return both(a <= x, x < b)


def links(k: int) -> tuple[Link, ...]:
    """Return both links of any edge of any tree."""
    edge = (both(a >= 0, both(a < b, b <= ranks)),)
    return (
        Link("link up", edge, lambda src, dst: both(below(src), negate(below(dst)))),
        Link("link down", edge, lambda src, dst: both(negate(below(src)), below(dst))),
    )
