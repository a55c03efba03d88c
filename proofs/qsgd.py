"""What is proved of QSGD beyond what its text says: that levels are near, and how long messages are.

What levels lose in expectation is proved in ``proofs/compression/levels.py``, over the real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.impl import qsgd as impl_qsgd
from sparring.impl.core import everyone
from sparring.proofs.core.obligations import Obligation
from sparring.proofs.core.rotation import peers_of
from sparring.proofs.core.supplement import Served, Stated
from sparring.proofs.core.wholes import PLANES, planes, sizes
from sparring.spec.core import wholes
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both, where

a, b, c = Sym.var("a"), Sym.var("b"), Sym.var("c")

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"levels": 1, "seed": 5}, {"levels": 3, "by_max": 1}, {"levels": 65536})
refused = ({"levels": 0}, {"levels": 65537}, {"seed": -1}, {"by_max": 2}, {"by_max": -1})


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """What is wrong with the number of calls, all that is kept."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}, on {len(xs)} ranks"


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    levels = page.params["levels"]
    yield Stated(
        "result", "A level is the whole number below what an entry has in units, or one more, and at most the greatest "
        "level; where that is 0, as without a unit, and nothing is drawn, it is 0.", near(m), "",
    )  # fmt: skip
    yield Stated(
        "volume", f"A rank sends p - 1 messages of a unit and {levels.bit_length() + 1} bits an entry, in planes that "
        "are filled up to bytes.", volume(m, levels), "",
    )  # fmt: skip


def near(m: Any) -> Iterator[Obligation]:
    """``a`` whole units, of at most ``b``; ``c > 0`` says whether it is rounded up."""
    found, some = m.raised(a, c > 0, b), (a >= 0, a <= b)
    yield Obligation("none below 0, none above the greatest", some, both(found >= 0, found <= b))
    yield Obligation("rounded up", (*some, c > 0), found == where(a < b, a + 1, b))
    yield Obligation("not rounded up", (*some, c <= 0), found == a)
    yield Obligation("of more units than there are levels", (a > b, b >= 0), found == b)
    yield Obligation("without a unit", (b >= 1,), m.raised(0 * b, b < 0, b) == 0)


def volume(m: Any, levels: int) -> Iterator[Obligation]:
    """How long messages are, of entries of 4 and of 8 bytes."""
    for plane in PLANES:
        yield from sizes(wholes.octets, plane)
    parts = [wholes.octets(a, plane) for plane in planes(levels.bit_length() + 1)]
    for width in WIDTHS:
        yield Obligation(f"a unit and planes, {width} bytes", (a >= 0,),
                         m.Levels(levels).octets(a, width) == sum(parts, width))  # fmt: skip


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """``impl/qsgd.py`` has neighbours and sizes of its own."""
    impl: Any = everyone
    m: Any = page.module
    levels = page.params["levels"]
    yield from peers_of(served("direct_allgather"), impl.above, impl.below, impl.begin)
    for width in WIDTHS:
        yield Obligation(f"sizes, {width} bytes", (a >= 0,),
                         impl_qsgd.size(a, levels, width) == m.Levels(levels).octets(a, width))  # fmt: skip
