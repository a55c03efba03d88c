"""What is claimed of ZEN beyond its text: that entries come back to their indices, and how long messages are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sparring.impl.codecs import nonzero_blocks, nonzero_pairs
from sparring.impl.core import alltoall
from sparring.proofs.functions import matrices
from sparring.proofs.logic.obligations import Obligation, every, i, iff, j, p, within
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both, either
from sparring.spec.core.vectors import Vector
from sparring.spec.library import hashed_order as rule

a, b, e, w = (Sym.var(name) for name in "abew")

WIDTHS = (4, 8)
"""Bytes of an entry."""
SEEDS = (0, 7)
"""Orders that entries are put in; of a vector of a few entries."""

others: Sequence[Mapping[str, int]] = ({"seed": 7}, {"seed": 2**70})
long: Sequence[Mapping[str, int]] = ({},)
refused: Sequence[Mapping[str, int]] = ({"seed": -1},)


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its order and messages."""
    yield Stated(
        "result",
        "Indices are in the order of their hashes, of equal ones the lower first; an entry comes back to its index, "
        "and that of a sum is the sum of those (vectors of up to 8 entries, seeds 0 and 7).",
        (*keys(), *orders(page.module)),
    )
    yield Stated(
        "volume",
        "Of c entries of w bytes, m are not zero: what is pushed has at most 4 + c (4 + w) bytes, what is pulled at "
        "most c w and one bit an entry, filled up to bytes.",
        volume(page.module),
    )


def keys() -> Iterator[Obligation]:
    """State of two indices ``i`` and ``j`` with hashes ``a`` and ``b`` that keys are in order and tell the indices."""
    two = (p >= 1, a >= 0, b >= 0, within(i), within(j))
    first = either(a < b, both(a == b, i < j))
    yield Obligation("in order", two, iff(rule.key(a, i, p) < rule.key(b, j, p), first))
    yield Obligation("an index by its key", two, rule.index(rule.key(a, i, p), p) == i)


def orders(m: Any) -> Iterator[Obligation]:
    """State that the order is undone, and what texts are read by: that this is linear."""
    for seed in SEEDS:
        for many in matrices.LENGTHS:
            x = Vector(matrices.letters("x", many))
            back = zip(m.restored(m.hashed(x, seed), seed), x, strict=True)
            yield Obligation(f"back again, {many} by {seed}", matrices.ANY, every(True, *(v == w for v, w in back)))
            yield from matrices.additive(f"restored by {seed}", partial(m.restored, seed=seed), many)


def volume(m: Any) -> Iterator[Obligation]:
    """State what is pushed and pulled: ``a`` entries, whose bits ``e`` bytes have room for."""
    pushed, pulled = m.PUSH, m.PULL
    more = pulled.octets(a, w) - w * a
    fits = (a >= 0, e >= 0, a <= 8 * e)
    yield Obligation("pushed", (a >= 0,), pushed.octets(a, w) == 4 + a * (4 + w))
    yield Obligation("bits of all", (a >= 0,), a <= 8 * more)
    yield Obligation("no byte more", fits, both(more >= 0, more <= e))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/zen.py``, which has neighbours, parts and sizes of its own."""
    impl: Any = alltoall
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    m: Any = page.module
    for width in WIDTHS:
        pushed, pulled = m.PUSH.octets(a, width), m.PULL.octets(a, width)
        yield Obligation(f"pushed sizes, {width} bytes", (a >= 0,), nonzero_pairs.room(a, width) == pushed)
        yield Obligation(f"pulled sizes, {width} bytes", (a >= 0,), nonzero_blocks.room(a, 1, width) == pulled)
