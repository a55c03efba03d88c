"""Ranks that do the same up to rotation: peers and chunks are counted from each rank's own number, modulo the ranks.

In a ring every rank does what the rank before it does, with all numbers one higher.  So the formulas are evaluated
once, for any rank, and the text of rank 0 serves all: it has holes, which take each rank's own numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from sparring.schedules.messages import Sized


class Turn:
    """The number ``r + k``, or, ``around``, ``(r + k) % p``, of any rank ``r`` of ``p``.

    It is no ``int``: a comparison that is true of some ranks only raises TypeError, and so does other arithmetic.
    """

    def __init__(self, k: int, p: int, *, around: bool) -> None:
        self.k, self.p, self.around = k, p, around

    def __add__(self, other: int) -> Turn:
        return Turn(self.k + other, self.p, around=False) if isinstance(other, int) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: int) -> Turn:
        return self + -other if isinstance(other, int) else NotImplemented

    def __mod__(self, other: int) -> Turn:
        if not isinstance(other, int) or other != self.p:
            return NotImplemented
        return Turn(self.k % self.p, self.p, around=True)

    __hash__ = None  # type: ignore[assignment]  # nor can it be looked up

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, Turn) and self.around and other.around):
            raise TypeError("true of some ranks, perhaps")
        return self.k == other.k

    def __ge__(self, other: int) -> bool:
        return True if self.around and isinstance(other, int) and other <= 0 else NotImplemented

    def __lt__(self, other: int) -> bool:
        return True if self.around and isinstance(other, int) and other >= self.p else NotImplemented

    def __bool__(self) -> NoReturn:
        raise TypeError("true of some ranks")


class Hole(int):
    """A number of rank 0 that stands for each rank's own."""

    def __str__(self) -> str:
        return f"@{int(self)}@"


class Span(NamedTuple):
    """A number of bytes that depends on the rank: of ``length`` chunks, from chunk ``first`` on, which is a hole."""

    first: Hole
    length: int

    def __str__(self) -> str:
        return f"@{int(self.first)},{self.length}@"


HOLES = re.compile(rb"@(\d+)(?:,(\d+))?@")


def spans(sized: Sized) -> Sized:
    """Return how to count the bytes of chunks: ``sized``, with a span where each rank has its own number."""
    return lambda first, count: Span(first, count) if isinstance(first, Hole) else sized(first, count)


def turned(x: Any, r: int, p: int, sized: Sized) -> Any:
    """Return what rank ``r`` has in the place of ``x``."""
    if isinstance(x, Span):
        return sized((x.first + r) % p, x.length)
    return (x + r) % p if isinstance(x, Hole) else x


def filled(text: str, p: int, sized: Sized) -> Iterator[bytes]:
    """Yield the text of each rank."""
    whole = HOLES.split(text.encode())
    lengths = list(dict.fromkeys(whole[2::3]))
    kinds = [[b"%d" % (sized(c, int(length)) if length else c) for c in range(p)] for length in lengths]
    places = [int(x) + p * lengths.index(length) for x, length in zip(whole[1::3], whole[2::3])]
    del whole[2::3]  # what is left: text, hole, text, ..., hole, text
    for r in range(p):
        words = [word for kind in kinds for word in (*kind[r:], *kind[:r])]
        whole[1::2] = map(words.__getitem__, places)
        yield b"".join(whole)
