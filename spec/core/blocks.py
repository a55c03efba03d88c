"""Says which chunks a message has: some in a row, or around the end, where after the last comes the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Around:
    """``count`` of ``of`` chunks from ``start`` on, past the last one to the first; otherwise as a range.

    >>> [*Around(3, 4, 5)], Around(3, 4, 5)[-1], len(Around(3, 4, 5))
    ([3, 4, 0, 1], 1, 4)
    """

    start: int
    count: int
    of: int

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> int:
        return range(self.start, self.start + self.count)[i] % self.of

    def __iter__(self) -> Iterator[int]:
        return (self[i] for i in range(self.count))

    @property
    def rows(self) -> list[range]:
        """Those up to the last chunk, and those from the first on."""
        return [range(self.start, self.of), range(self.start + self.count - self.of)]


Chunks: TypeAlias = range | Around


def block(first: int, count: int, of: int) -> Chunks:
    """``count`` of ``of`` chunks, from ``first`` on.

    >>> block(3, 2, 5), block(3, 3, 5)
    (range(3, 5), Around(start=3, count=3, of=5))
    """
    return range(first, first + count) if first + count <= of else Around(first, count, of)


def rows(chunks: Chunks) -> list[range]:
    """The chunks as rows of one or more, of which a vector has each in one piece.

    >>> rows(block(3, 3, 5)), rows(range(2, 2))
    ([range(3, 5), range(0, 1)], [])
    """
    return chunks.rows if isinstance(chunks, Around) else [chunks] if chunks else []


def named(chunks: Chunks) -> str:
    """What a message holds, in prose.

    >>> named(range(3, 4)), named(range(4, 8)), named(range(4, 4)), named(block(4, 3, 6))
    ('chunk 3', 'chunks 4 to 7', 'no chunk', 'chunks 4 to 0 (mod 6)')
    """
    if len(chunks) < 2:
        return f"chunk {chunks[0]}" if chunks else "no chunk"
    return f"chunks {chunks[0]} to {chunks[-1]}" + ("" if isinstance(chunks, range) else f" (mod {chunks.of})")
