"""What the sparse ring's theorems need beyond the ring's."""

from __future__ import annotations

from collections.abc import Iterator

from sparring.proofs.core.obligations import Obligation, implies, p
from sparring.proofs.ring import contention, peers, same
from sparring.spec import ring_sparse
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, where

__all__ = ["contention", "peers", "same"]  # the ring's own: it has the ring's schedule

m, more, size = (Sym.var(name) for name in ("m", "more", "size"))


def contributions(t: Int, p: Int) -> Int:
    """In step ``t`` the message with chunk ``c`` holds those of ranks ``c``, ``c + 1``, ... (mod p): so many."""
    return where(t < p - 1, t + 1, p)


def sizes(page: Page) -> Iterator[Obligation]:
    """Header and cheapest encoding, for values of 4 and of 8 bytes."""
    box = (p >= 1, m >= 0, m <= more, more <= size)
    for w in (4, 8):
        longest = ring_sparse.HEADER + size * w
        full = ring_sparse.full(m, size, w)
        yield Obligation(f"never above dense, {w}-byte values", box, page.octets(m, size, w) <= longest)
        yield Obligation(f"full stays full, {w}-byte values", box, implies(full, ring_sparse.full(more, size, w)))
        yield Obligation(f"what has all is full, {w}-byte values", box, ring_sparse.full(size, size, w))
