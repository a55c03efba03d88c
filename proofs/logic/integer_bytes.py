"""Proves how many bytes whole numbers of any width take: see :mod:`sparring.spec.codecs.integer_bytes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sparring.proofs.logic.obligations import Obligation
from sparring.spec.core.numbers import Int, Sym

a, b, e = (Sym.var(name) for name in ("a", "b", "e"))

PLANES = (8, 4, 2, 1)
"""Bits of a plane's numbers."""


def planes(bits: int) -> Sequence[int]:
    """Return the widths of a number's planes, of which the last ones make up less than eight."""
    return [8] * (bits // 8) + [width for width in PLANES[1:] if bits & width]


def sizes(octets: Callable[[Int, int], Int], bits: int) -> Iterator[Obligation]:
    """Yield the obligations about the bytes of a plane."""
    yield Obligation(f"none, {bits} bits", (), octets(0, bits) == 0)
    yield Obligation(f"room for all, {bits} bits", (a >= 0,), 8 * octets(a, bits) >= bits * a)
    yield Obligation(f"and no more, {bits} bits", (a >= 0,), 8 * octets(a, bits) <= bits * a + 7)
    yield Obligation(f"fewer entries, {bits} bits", (a >= 0, b >= a), octets(a, bits) <= octets(b, bits))
    yield Obligation(f"full bytes, {bits} bits", (e >= 0,), octets(8 * e, bits) == bits * e)
