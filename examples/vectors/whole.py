"""What the algorithms on whole vectors have in common: rounded numbers, chunks, bits as bytes, numbers by hash.

As test-vectors.md tells it.  A vector is a list of numbers; a message is a list of numbers, or bytes.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

Vector = list[float]
Step = list[tuple[int, int, Any]]  # who sends to whom what
WORD = (1 << 64) - 1


class Malformed(Exception):
    """A file is not what it should be."""


class Wrong(Exception):
    """A test does not hold."""


class Played(NamedTuple):
    """A call: its steps, by rank what it has in the end, and by name what is kept."""

    steps: list[Step]
    results: list[Vector]
    state: dict[str, Any]


class Numbers:
    """Numbers of one type, and what is made of two of them.

    Rounding a double's result once more does no harm: it has more than twice the digits.
    """

    def __init__(self, dtype: str) -> None:
        self.format = {"float32": "f", "float64": "d"}[dtype]
        self.width = struct.calcsize(self.format)
        self.rounded: Callable[[float], float] = (lambda v: ctypes.c_float(v).value) if dtype == "float32" else float

    def number(self, bits: str) -> float:
        found: float = struct.unpack(f">{self.format}", bytes.fromhex(bits))[0]
        return found

    def bits(self, v: float) -> str:
        return struct.pack(f">{self.format}", math.nan if math.isnan(v) else v).hex()

    def octets(self, values: Sequence[float]) -> bytes:
        """Numbers as they are sent."""
        return b"".join(struct.pack(f"<{self.format}", math.nan if math.isnan(v) else v) for v in values)

    def add(self, a: float, b: float) -> float:
        return self.rounded(a + b)

    def sub(self, a: float, b: float) -> float:
        return self.rounded(a - b)

    def mul(self, a: float, b: float) -> float:
        return self.rounded(a * b)

    def div(self, a: float, b: float) -> float:
        if b != 0:
            return self.rounded(a / b)
        return math.copysign(math.inf, a) * math.copysign(1, b) if a and not math.isnan(a) else math.nan

    def total(self, values: Sequence[float]) -> float:
        """From the first to the last, of at least one."""
        found, *others = values
        for v in others:
            found = self.add(found, v)
        return found

    def halved(self, values: Sequence[float]) -> float:
        """The later half, the shorter one if they differ, is added to the earlier, until one number is left."""
        now = [*values]
        while len(now) > 1:
            half = (len(now) + 1) // 2
            now = [self.add(now[i], now[half + i]) if half + i < len(now) else now[i] for i in range(half)]
        return now[0]


def cuts(n: int, p: int) -> list[slice]:
    """Where chunks lie."""
    return [slice(a, b) for a, b in pairwise(c * n // p for c in range(p + 1))]


def everybody(p: int, content: Callable[[int, int], Any]) -> Step:
    """Each rank sends to each other, to those after it in turn."""
    return [(r, d, content(r, d)) for r in range(p) for d in ((r + j) % p for j in range(1, p))]


def mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def drawn(seed: int, *counters: int) -> int:
    """64 bits by hash."""
    found = mixed(seed + 0x9E3779B97F4A7C15 & WORD)
    for counter in counters:
        found = mixed((found ^ counter) + 0x9E3779B97F4A7C15 & WORD)
    return found


def packed(codes: Sequence[int], bits: int) -> bytes:
    """Codes in planes, the lowest bits first: of 8 bits while there are so many, then of 4, 2 and 1, as there are."""
    found = bytearray()
    while bits:
        width = next(w for w in (8, 4, 2, 1) if w <= bits)
        plane = bytearray(-(-len(codes) * width // 8))
        for i, code in enumerate(codes):
            plane[i * width // 8] |= code % (1 << width) << i * width % 8
        found += plane
        codes, bits = [code >> width for code in codes], bits - width
    return bytes(found)
