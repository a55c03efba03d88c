"""What the theorems of BlueConnect need beyond its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import blueconnect
from sparring.proofs import ring as of_ring
from sparring.proofs.functions.uninterpreted import factor, letter
from sparring.proofs.hierarchical import in_rings, named, node, on_lines
from sparring.proofs.logic.obligations import Obligation, j, p
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, negate

d = Sym.var("d")
nodes = letter("g")
"""How many a rack has."""

others = ({"m": 3, "g": 1}, {"m": 1, "g": 3}, {"m": 4, "g": 2}, {"m": 2, "g": 1}, {"m": 1, "g": 1})
refused = ({"m": 0}, {"m": -1}, {"g": 0}, {"g": -2})


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    yield Stated(
        "levels",
        "There are three levels for ranks that make full racks, however many ranks nodes and racks have, and for no "
        "others.",
        full(page.module),
    )


def full(text: Any) -> Iterator[Obligation]:
    """State which numbers of ranks make full racks, ``j`` of ``p`` ranks each, and which leave ``d`` ranks over."""
    of_racks = factor("m", p)
    yield Obligation("full racks", (p >= 1, j >= 1), negate(text.ragged(p * j, of_racks, nodes)))
    yield Obligation("some left over", (j >= 0, d >= 1, d < p), text.ragged(p * j + d, of_racks, nodes))


def peers(page: Page, served: Served) -> Iterator[Obligation]:  # noqa: ARG001  # as for every page
    """Compare with ``impl/blueconnect.py``, which sends on lines, and on these as the ring does."""
    yield from named("ring", of_ring.peers(served("ring")))
    yield from in_rings(served)
    impl: Any = blueconnect  # its function is typed for int and run here on symbols
    yield from on_lines(impl.levels(node, nodes, p), node, nodes, p)
