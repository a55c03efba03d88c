"""What the sparse ring's theorems need beyond the ring's."""

from __future__ import annotations

from collections.abc import Iterator

from sparring.impl.core.encodings import BLOCK, Encoding, cheapest
from sparring.impl.core.encodings import size as taken
from sparring.impl.core.messages import HEADER
from sparring.proofs import ring
from sparring.proofs.logic.obligations import Obligation, every, iff, implies, p, some
from sparring.proofs.ring import contention, same
from sparring.spec import ring_sparse
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, where

__all__ = ["contention", "same"]  # the ring's own: it has the ring's schedule

m, more, size = (Sym.var(name) for name in ("m", "more", "size"))


def contributions(t: Int, p: Int) -> Int:
    """In step ``t`` the message with chunk ``c`` holds those of ranks ``c``, ``c + 1``, ... (mod p): so many."""
    return where(t < p - 1, t + 1, p)


LENGTHS = (0, 1, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 1, 2**32 - 1, 2**32, 2**32 + 1)
"""Of chunks: where an encoding takes a byte more, a table more, or longer positions."""


def peers(page: Page) -> Iterator[Obligation]:
    """State that hops are the dense ring's; and a message is as long as the page says, however many entries it has."""
    yield from ring.peers(page)
    yield from encodings(page)


def encodings(page: Page) -> Iterator[Obligation]:
    """A message is as long as the page says, in the encoding that the page names, and the same chunks are full."""
    for length in LENGTHS:
        for w in (4, 8):
            says = page.octets(m, length, w)
            costs: list[Int] = [HEADER + taken(e, m, length, w) for e in Encoding]  # type: ignore[arg-type]  # m is a symbol
            least = every(*(says <= cost for cost in costs), some(*(says == cost for cost in costs)))
            box = (p >= 1, m >= 0, m <= length)
            yield Obligation(f"bytes of {length} places, {w}-byte values", box, least)
            dense = every(*(costs[0] <= cost for cost in costs))  # which is the first, so that of equals it is taken
            yield Obligation(
                f"full of {length} places, {w}-byte values", box, iff(page.module.full(m, length, w), dense)
            )
            yield Obligation(f"names for {length} places, {w}-byte values", (p >= 1,), named(page, length, w))


def named(page: Page, length: int, w: int) -> bool:
    """Return whether the page calls encodings what the implementation takes, for few entries, many, and all."""
    entries = (0, 1, length // 64, length // 9, length // 2, length - 1, length)
    ours = {encoding: encoding.name.lower().rstrip("16") for encoding in Encoding}
    return all(page.encoded(k, length, w) == ours[cheapest(k, length, w)] for k in entries if 0 <= k <= length)


def sizes(page: Page) -> Iterator[Obligation]:
    """State that sizes are header and cheapest encoding, for values of 4 and of 8 bytes."""
    box = (p >= 1, m >= 0, m <= more, more <= size)
    for w in (4, 8):
        longest = ring_sparse.HEADER + size * w
        full = page.module.full
        yield Obligation(f"never above dense, {w}-byte values", box, page.octets(m, size, w) <= longest)
        yield Obligation(f"full stays full, {w}-byte values", box, implies(full(m, size, w), full(more, size, w)))
        yield Obligation(f"what has all is full, {w}-byte values", box, full(size, size, w))
