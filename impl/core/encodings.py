"""Finds the encoding in which a chunk takes the fewest bytes on the wire, and how many these are.

A chunk of ``length`` entries holds ``m`` of them, each of ``w`` bytes.  All are plain Python
integers, exact at any size.

| encoding  | bytes beside the header and ``m w`` | what tells the positions                      |
|-----------|-------------------------------------|-----------------------------------------------|
| dense     | 0, since ``m == length``            | nothing: all are held                         |
| pairs     | ``4 m``; ``8 m`` beyond 2^32        | the position of each entry                    |
| offsets16 | ``2 m + 4 (blocks - 1)``            | its low 16 bits, and how many each block of   |
|           |                                     | 65536 positions holds, but for the last block |
| bitmap    | ``ceil(length / 8)``                | a bit for each of the ``length``              |

A chunk that is not full becomes so before it goes dense.  Hence the cheapest never takes more than
``length w`` bytes.  That these are the four to choose from is our own choice.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

BLOCK: Final = 1 << 16
"""Positions that 16 bits tell apart."""


class Encoding(IntEnum):
    """The codes in the header.  Of equally cheap encodings the first is taken.  No code is 0, as blank memory is."""

    DENSE = 1
    PAIRS = 2
    OFFSETS16 = 3
    BITMAP = 4


def size(encoding: Encoding, m: int, length: int, w: int) -> int:
    """Bytes after the header."""
    match encoding:
        case Encoding.DENSE:
            return length * w
        case Encoding.PAIRS:
            return m * (w + position(length))
        case Encoding.OFFSETS16:
            return m * (w + 2) + table(length)
        case Encoding.BITMAP:
            return m * w + ceil(length, 8)


def cheapest(m: int, length: int, w: int) -> Encoding:
    """The encoding of the fewest bytes; dense whenever ``m == length``."""
    return min(Encoding, key=lambda encoding: size(encoding, m, length, w))


def threshold(length: int, w: int) -> int:
    """The smallest ``m`` for which dense is the cheapest; it stays so for every larger one.

    Below it the bitmap is smaller; from it on nothing is, since the other encodings, which take 2
    bytes and more for each entry, have passed dense before.
    """
    return length - ceil(length, 8) // w


def position(length: int) -> int:
    """Bytes of a position among ``length``."""
    return 4 if length <= 1 << 32 else 8


def table(length: int) -> int:
    """Bytes of the table of blocks."""
    return 4 * (max(1, ceil(length, BLOCK)) - 1)


def ceil(a: int, b: int) -> int:
    """``a / b``, rounded up."""
    return -(-a // b)
