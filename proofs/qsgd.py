"""What is proved of QSGD beyond what its text says: that levels are near, and how long messages are.

What levels lose in expectation is proved in ``sparring/analysis/compression/levels.py``, over the real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl import qsgd as impl_qsgd
from sparring.impl.core import alltoall
from sparring.proofs.logic.integer_bytes import PLANES, planes, sizes
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.points import Point
from sparring.proofs.reading.rotation import peers_of
from sparring.proofs.reading.symbols import Reading
from sparring.spec.codecs import integer_bytes
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both, negate, where

a, w = Sym.var("a"), Sym.var("w")

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"levels": 1, "seed": 5}, {"levels": 3, "by_max": 1}, {"levels": 65536})
refused = ({"levels": 0}, {"levels": 65537}, {"seed": -1}, {"by_max": 2}, {"by_max": -1})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: few levels, by either norm, and with many."""
    return [{}, {"by_max": 1}, {"levels": 2**16}]


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return six standard deviations of results over all calls, of variance at most a quarter of a unit's square."""
    norms = np.linalg.norm(np.stack(xs), np.inf if params["by_max"] else 2, axis=2)
    return float(6 * np.sqrt(np.square(norms / params["levels"]).sum() / 4))


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, all that is kept."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}, on {len(xs)} ranks"


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    m: Any = page.module
    levels = page.params["levels"]
    yield Stated(
        "result",
        "A level is the whole number below what an entry has in units, or one more, and at most the greatest level.",
        levels_near(m),
    )
    yield Stated(
        "volume",
        f"A rank sends p - 1 messages of a unit and {levels.bit_length() + 1} bits an entry, in planes that "
        "are filled up to bytes.",
        volume(m, levels),
        all_there_are="planes have 8, 4, 2 or 1 bits",
    )


def levels_near(m: Any) -> Iterator[Obligation]:
    """State that levels are near, for any entry, unit and chance."""
    v, one, chance, most = points("v", "one", "chance", "most")
    yield from near(m, m.level(v, one, chance, most), m.above(abs(v), one), chance, most)


def points(*names: str) -> list[Point]:
    """Return letters at an index."""
    reading = Reading()
    return [reading.fresh(name, "partial") for name in names]


def near(m: Any, found: Point, t: Point, chance: Point, most: Point) -> Iterator[Obligation]:
    """State what is found of ``t`` units: the whole number below, or by chance one more, and at most the greatest."""
    below, up, top, level = m.whole(t).rest, m.rises(t, chance).truth.value, most.rest, found.rest
    some = (below >= 0, below <= top)
    yield Obligation("none below 0, none above the greatest", some, both(level >= 0, level <= top))
    yield Obligation("beside it", some, both(level >= below, level <= below + 1))
    yield Obligation("rounded up", (*some, up), level == where(below < top, below + 1, top))
    yield Obligation("not rounded up", (*some, negate(up)), level == below)
    yield Obligation("of more units than there are levels", (below > top, top >= 0), level == top)


def volume(m: Any, levels: int) -> Iterator[Obligation]:
    """State how long messages are, of entries of ``w`` bytes."""
    for plane in PLANES:
        yield from sizes(integer_bytes.octets, plane)
    parts = [integer_bytes.octets(a, plane) for plane in planes(levels.bit_length() + 1)]
    yield Obligation("a unit and planes", (a >= 0,), m.Levels(levels).octets(a, w) == sum(parts, w))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/qsgd.py``, which has neighbours and sizes of its own."""
    impl: Any = alltoall
    m: Any = page.module
    levels = page.params["levels"]
    yield from peers_of(served("direct_allgather"), impl.above, impl.below)
    for width in WIDTHS:
        yield Obligation(
            f"sizes, {width} bytes", (a >= 0,), impl_qsgd.size(a, levels, width) == m.Levels(levels).octets(a, width)
        )
