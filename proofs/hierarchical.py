"""What the theorems of the hierarchical allreduce need beyond its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sparring.impl import hierarchical, ring, two_shot
from sparring.impl.core import lines
from sparring.proofs import ring as of_ring
from sparring.proofs import two_shot as of_two_shot
from sparring.proofs.functions.uninterpreted import letter
from sparring.proofs.logic.obligations import Obligation, j, p, r, t, within
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core import grids
from sparring.spec.core.grids import Axis
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, negate

d = Sym.var("d")
ANY = (p >= 1,)
rank, node = letter("r"), letter("m")
"""A rank, and how many a node has."""

others = (
    {"m": 3, "inside": "ring", "across": "two_shot"},
    {"m": 4, "inside": "ring"},
    {"m": 1},
    {"m": 7, "across": "two_shot"},
)
refused = ({"m": 0}, {"m": -1}, {"inside": "tree"}, {"across": "direct"})


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    yield Stated(
        "levels",
        "There are two levels for as many ranks as make full nodes, however many ranks a node has, and for no others.",
        full(page.module),
    )


def full(m: Any) -> Iterator[Obligation]:
    """State which numbers of ranks make full nodes, ``j`` of ``p`` ranks each, and which leave ``d`` ranks over."""
    yield Obligation("full nodes", (p >= 1, j >= 1), negate(m.ragged(p * j, p)))
    yield Obligation("some left over", (p >= 1, j >= 0, d >= 1, d < p), m.ragged(p * j + d, p))


def peers(page: Page, served: Served) -> Iterator[Obligation]:  # noqa: ARG001  # as for every page
    """Compare with ``impl/hierarchical.py``, which sends on lines, and on these as the ring and the two-shot do."""
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from named(name, peers_of(served(name), two_shot.above, two_shot.below, ring.cut))
    yield from named("ring", of_ring.peers(served("ring")))
    yield from named("two_shot", of_two_shot.neighbours(served("two_shot")))
    yield from in_rings(served)
    impl: Any = hierarchical
    yield from on_lines(impl.levels(node, p), node, p)


def named(name: str, claims: Iterator[Obligation]) -> Iterator[Obligation]:
    """Name the claims by the exchange that they speak of."""
    yield from (claim._replace(name=f"{name}: {claim.name}") for claim in claims)


def in_rings(served: Served) -> Iterator[Obligation]:
    """Compare the laps of the ring among ranks that are numbered from the second one on."""
    impl: Any = ring  # its functions are typed for int and run here on symbols
    number, step = turned(r, 1), (p >= 2, within(r), within(t, p - 1))
    for name, block in (("ring_reduce_scatter", impl.given), ("dense_ring_allgather", impl.passed)):
        page = served(name)
        yield Obligation(f"{name}: to whom", step, turned(impl.right(number, p), -1) == page.dst(r, t, p))
        yield Obligation(f"{name}: from whom", step, turned(impl.left(number, p), -1) == page.src(r, t, p))
        yield Obligation(f"{name}: block", step, block(number, t, p) == page.chunk(r, t, p))


def turned(number: Any, turn: int) -> Any:
    """Return the implementation's number of a place."""
    impl: Any = lines
    return impl.turned(number, turn, p)


def on_lines(levels: Iterable[tuple[Any, Any]], *sides: Any) -> Iterator[Obligation]:
    """Compare the lines with the axes of a grid, however long its sides are."""
    places: Any = lines
    for which, (stride, size) in enumerate(levels):
        axis, name = Axis(sides, which), f"axis {'abc'[which]}"
        yield Obligation(f"{name}: neighbours", ANY, axis.stride == stride)
        yield Obligation(f"{name}: ranks", ANY, axis.size == size)
        at, who = grids.place(rank, axis.stride, axis.size), grids.member(rank, j, axis.stride, axis.size)
        yield Obligation(f"{name}: place", ANY, places.place(rank, stride, size) == at)
        yield Obligation(f"{name}: member", ANY, places.member(rank, j, stride, size) == who)
