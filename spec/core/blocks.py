"""Says which chunks a message has: some in a row, around the end, where after the last comes the first, or any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


class Picked(tuple[int, ...]):
    """Chunks that lie here and there, in ascending order.

    >>> Picked((1, 3, 5, 6)).rows, Picked((1, 3)).start
    ([range(1, 2), range(3, 4), range(5, 7)], 1)
    """

    __slots__ = ()

    @property
    def start(self) -> int:
        """The first of them."""
        return self[0]

    @property
    def rows(self) -> list[range]:
        """Those that follow one another, row by row."""
        begins = [c for c in self if c - 1 not in self]
        ends = [c + 1 for c in self if c + 1 not in self]
        return [*map(range, begins, ends)]


Chunks: TypeAlias = range | Around | Picked


def block(first: int, count: int, of: int) -> Chunks:
    """``count`` of ``of`` chunks, from ``first`` on.

    >>> block(3, 2, 5), block(3, 3, 5)
    (range(3, 5), Around(start=3, count=3, of=5))
    """
    return range(first, first + count) if first + count <= of else Around(first, count, of)


def picked(chunks: Sequence[int]) -> Chunks:
    """Chunks in ascending order, as a row where they are one.

    >>> picked([2, 3, 4]), picked([0, 2]), picked([])
    (range(2, 5), (0, 2), range(0, 0))
    """
    row = range(chunks[0], chunks[-1] + 1) if chunks else range(0)
    return row if len(row) == len(chunks) else Picked(chunks)


def rows(chunks: Chunks) -> list[range]:
    """The chunks as rows of one or more, of which a vector has each in one piece.

    >>> rows(block(3, 3, 5)), rows(range(2, 2))
    ([range(3, 5), range(0, 1)], [])
    """
    return chunks.rows if not isinstance(chunks, range) else [chunks] if chunks else []


def named(chunks: Chunks) -> str:
    """What a message holds, in prose.

    >>> named(range(3, 4)), named(range(4, 8)), named(range(4, 4)), named(block(4, 3, 6)), named(picked([1, 3, 5]))
    ('chunk 3', 'chunks 4 to 7', 'no chunk', 'chunks 4 to 0 (mod 6)', 'chunks 1, 3, 5')
    """
    if len(chunks) < 2:
        return f"chunk {chunks[0]}" if chunks else "no chunk"
    if isinstance(chunks, Picked):
        return f"chunks {', '.join(map(str, chunks))}"
    return f"chunks {chunks[0]} to {chunks[-1]}" + ("" if isinstance(chunks, range) else f" (mod {chunks.of})")
