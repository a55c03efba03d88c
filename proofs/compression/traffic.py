"""How many bytes ranks send of coded vectors: exactly, and in closed form where groups and bytes are full.

Of ``c`` entries of ``w`` bytes a message has ``ceil(c b / 8)`` bytes of codes, where ``b`` is a power of two, and
``2 w`` for each of ``ceil(c / g)`` groups: 8 bits in groups of 128 are 8.5 bits an entry of float32.  With the 16
bits that steps and zeros have in the public accounts, without a bound on the error by the range, it would
be ``4 ceil(c / g)``, and 8.25 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from sparring.spec.core.groups import Grouped
from sparring.spec.core.model import Page, bound
from sparring.spec.core.runner import run
from sparring.spec.core.schedule import number

p, n = sympy.symbols("p n", integer=True, positive=True)


class Coding(NamedTuple):
    """Groups of ``g``, with spikes or without, of entries of ``width`` bytes."""

    g: int
    spikes: int
    width: int

    def octets(self, c: int, bits: int) -> int:
        """How many bytes the message of ``c`` entries has."""
        return number(Grouped(bits, self.g, self.spikes).octets(c, self.width))

    def per_entry(self, bits: int) -> Fraction:
        """Bits an entry, where groups and bytes are full; each eight groups fill bytes."""
        return Fraction(8 * self.octets(8 * self.g, bits), 8 * self.g)


def of(page: Page, width: int) -> Coding:
    """That of a page."""
    return Coding(page.params["g"], page.params["spikes"], width)


def sent(page: Page, r: int, ranks: int, entries: int, width: int) -> int:
    """How many bytes rank ``r`` sends in a call: all others' chunks, then its own to each of them."""
    if ranks == 1:
        return 0
    coding, b1, b2 = of(page, width), page.params["b1"], page.params["b2"]
    sizes = [number(bound(c + 1, entries, ranks)) - number(bound(c, entries, ranks)) for c in range(ranks)]
    others = sum(coding.octets(size, b1) for c, size in enumerate(sizes) if c != r)
    return others + (ranks - 1) * coding.octets(sizes[r], b2)


def closed(page: Page, width: int) -> Any:
    """The same in letters, for vectors that ``8 p g`` divides: ``(p - 1) n / p`` entries in each step."""
    coding = of(page, width)
    bits = coding.per_entry(page.params["b1"]) + coding.per_entry(page.params["b2"])
    return sympy.Rational(bits.numerator, bits.denominator) / 8 * (p - 1) * n / p


def counted(page: Page, xs: Sequence[Any]) -> list[int]:
    """By rank the bytes of all messages of a run."""
    found = [0] * len(xs)
    for wire in run(page, xs).trace:
        for src, _, entries in wire:
            found[src] += entries.nbytes
    return found
