"""Two-level fat tree.

``k`` ranks are linked to each leaf switch, and each leaf switch to each of ``k`` spine switches.
A message between ranks of one leaf crosses that leaf alone; any other goes over the spine whose
number is the destination's modulo ``k``.

The routing by destination is the one analysed in E. Zahavi, "Fat-tree routing and node ordering
providing contention free traffic for MPI global collectives", J. Parallel Distrib. Comput. 72(11),
2012; with two levels and one spine a port it has this form.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from sparring.errors import InputError
from sparring.proofs.contention.links import Link
from sparring.proofs.logic.obligations import every, within
from sparring.spec.core.numbers import Sym, negate

link, leaf, spine = Sym.var("link"), Sym.var("leaf"), Sym.var("spine")


class Params(NamedTuple):
    """``k``: ranks of a leaf, and spines; at least 1."""

    k: int = 4


def route(src: int, dst: int, p: int, k: int) -> list[tuple[int | str, int | str]]:
    """Return the way over the leaf, or over both leaves and the destination's spine."""
    if k < 1:
        raise InputError(f"fat_tree:k={k}: a leaf has at least 1 rank")
    out, into = f"leaf {src // k}", f"leaf {dst // k}"
    return list(pairwise([src, out, dst] if out == into else [src, out, f"spine {dst % k}", into, dst]))


def links(k: int) -> tuple[Link, ...]:
    """Return the links of a rank, and those between a leaf and a spine."""
    place = (within(leaf), within(spine, k))
    return (
        Link("link from a rank", (within(link),), lambda src, dst: src == link),
        Link("link to a rank", (within(link),), lambda src, dst: dst == link),
        Link(
            "link up to a spine",
            place,
            lambda src, dst: every(src // k == leaf, negate(dst // k == leaf), dst % k == spine),
        ),
        Link(
            "link down from a spine",
            place,
            lambda src, dst: every(negate(src // k == leaf), dst // k == leaf, dst % k == spine),
        ),
    )
