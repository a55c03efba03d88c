"""What is claimed of OmniReduce beyond its text: how long messages are at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl.codecs import nonzero_blocks
from sparring.impl.core import alltoall
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both

a, e, w = Sym.var("a"), Sym.var("e"), Sym.var("w")

WIDTHS = (4, 8)
"""Bytes of an entry."""

others: Sequence[Mapping[str, int]] = ({"block": 1}, {"block": 3}, {"block": 2**32})
long: Sequence[Mapping[str, int]] = ({}, {"block": 1})
refused: Sequence[Mapping[str, int]] = ({"block": 0}, {"block": -1}, {"block": 2**32 + 1})


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its messages."""
    block = page.params["block"]
    yield Stated(
        "volume",
        f"A message of c entries of w bytes has at most c w bytes and one bit for each {block} entries, "
        "filled up to bytes.",
        volume(page.module.NonzeroBlocks(block), block),
    )


def volume(code: Any, block: int) -> Iterator[Obligation]:
    """State what is sent beside the entries: ``e`` bytes for ``a`` of these, whose blocks ``e`` bytes have bits for."""
    more = code.octets(a, w) - w * a
    fits = (a >= 0, e >= 0, a <= 8 * block * e)
    yield Obligation("bits of all blocks", (a >= 0,), a <= 8 * block * more)
    yield Obligation("no byte more", fits, both(more >= 0, more <= e))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/omnireduce.py``, which has neighbours, parts and sizes of its own."""
    impl: Any = alltoall
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    block = page.params["block"]
    for width in WIDTHS:
        says = page.module.NonzeroBlocks(block).octets(a, width)
        yield Obligation(f"sizes, {width} bytes", (a >= 0,), nonzero_blocks.room(a, block, width) == says)
