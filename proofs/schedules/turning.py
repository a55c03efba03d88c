"""Ranks that do the same, only turned: peers and chunks counted from each one's own number, around.

In a ring every rank does what the rank before it does, all numbers one up.  So what is written of one of them
is written of all: a text with holes, which take each rank's own numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from sparring.proofs.schedules.messages import Sized
from sparring.proofs.schedules.program import Block, Rank, Step
from sparring.proofs.schedules.rows import Move, Rows

PEER, CHUNK = 0, -1
"""What stands in a hole, a rank or a chunk; a number from 1 on says that it is the bytes of so many chunks."""
HOLES = re.compile(rb"@(\d+),(-?\d+)@")


def hole(number: int, what: int) -> Any:
    """A hole, and the number that the rank whose text this is has there."""
    return f"@{number},{what}@"


def holed(rank: Rank) -> Rank:
    """A rank with holes in the place of ranks and chunks."""
    return replace(rank, blocks=tuple(map(block, rank.blocks)))


def block(one: Block) -> Block:
    """A block with holes."""
    ends = {way: hole(x, PEER) for way in ("send", "recv") if (x := getattr(one, way)) >= 0}
    return replace(one, steps=tuple(map(step, one.steps)), **ends)


def step(one: Step) -> Step:
    """A step with holes."""
    return replace(one, **{side: (at[0], hole(at[1], CHUNK)) for side in ("src", "dst") if (at := getattr(one, side))})


def turns(rows: Rows) -> Iterator[tuple[int, int, list[Move] | None]]:
    """For each rank its number, the first in line that does the same, and, where that is itself, its moves."""
    view: list[Any] | None = None
    base = 0
    for r, row in enumerate(rows):
        seen = [
            (peer if peer < 0 else (peer - r) % rows.p, sends, adds, (first - r) % rows.chunks, *rest)
            for peer, sends, adds, first, *rest in row
        ]
        if new := seen != view:
            view, base = seen, r
        yield r, base, row if new else None


class Filler:
    """Fills the holes of texts, for ``p`` ranks and so many chunks."""

    def __init__(self, p: int, chunks: int, sized: Sized) -> None:
        self.p, self.chunks, self.sized = p, chunks, sized
        self.words: list[bytes] = []
        """What may stand in a hole: all ranks, or all chunks, or the bytes of so many from each chunk on."""
        self.begins: dict[int, int] = {}

    def take(self, text: str) -> None:
        """Take this text, in place of the one before."""
        parts: list[bytes] = HOLES.split(text.encode())
        self.whole = parts[0::3] + parts[1::3]
        self.whole[0::2], kinds = parts[0::3], [int(what) for what in parts[2::3]]
        self.numbers = np.array([int(x) for x in parts[1::3]], dtype=np.int64)
        self.around = np.array([self.chunks if what else self.p for what in kinds], dtype=np.int64)
        self.begin = np.array([self.known(what) for what in kinds], dtype=np.int64)

    def known(self, what: int) -> int:
        """Where the words for such holes begin."""
        if what not in self.begins:
            self.begins[what] = len(self.words)
            chunks = range(self.chunks)
            numbers = (
                range(self.p) if what == PEER else chunks if what == CHUNK else (self.sized(c, what) for c in chunks)
            )
            self.words += [b"%d" % x for x in numbers]
        return self.begins[what]

    def filled(self, by: int) -> bytes:
        """The text of the rank whose number is so much larger than that of the rank whose text was taken."""
        at = self.begin + (self.numbers + by) % self.around
        self.whole[1::2] = map(self.words.__getitem__, at.tolist())
        return b"".join(self.whole)
