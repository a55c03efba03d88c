"""Whole numbers as differences from one to the next, in blocks that are each as wide as their largest needs [HZ24]_.

Each number is told as what it has more than the one before, the first as it is.  A difference ``d`` has the code
``2 d``, or ``-2 d - 1`` where it is below 0, so that small ones of either sign have few bits.  Codes are cut into
blocks of 32; the last one is filled up with zeros.  All codes of a block take as many bits as the greatest needs: none
where all are 0.  So numbers of which neighbours are alike make short messages.

A message has one byte for each block, its bits, then the codes block by block
(:mod:`~sparring.spec.codecs.integer_bytes`).  That neighbours are subtracted, and that a block has its own width, is
the paper's; the length of a block and how codes lie are this module's own.  Where vectors are arrays a message is
bytes, else a list.

>>> Differences(20).written(Vector([5, 5, 4]))
[4, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

.. [HZ24] J. Huang, S. Di, X. Yu, Y. Zhai, J. Liu, Z. Jian, X. Liang, K. Zhao, X. Lu, Z. Chen, F. Cappello, Y. Guo and
   R. Thakur, "hZCCL: Accelerating collective communication with co-designed homomorphic compression", SC 2024,
   doi:10.1109/SC41406.2024.00110.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sparring.spec.codecs import integer_bytes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Plain

SIZE = 32
"""The numbers of a block."""


def folded(d: int) -> int:
    """The code of a difference."""
    return 2 * d if d >= 0 else -2 * d - 1


def codes(numbers: Sequence[int]) -> list[list[int]]:
    """Those of all differences, in blocks."""
    found = [folded(v - before) for before, v in zip([0, *numbers], numbers)]
    found += [0] * (-len(found) % SIZE)
    return [found[i : i + SIZE] for i in range(0, len(found), SIZE)]


def octets(c: Int, bits: Int) -> Int:
    """The most bytes of a message of ``c`` numbers whose codes have at most so many bits."""
    blocks = (c + SIZE - 1) // SIZE
    return blocks + SIZE // 8 * (bits * blocks)


@dataclass(frozen=True)
class Differences(Plain):
    """Whole numbers that travel so; ``bits``: of their codes, at most.

    So a number has two fewer: the difference of two may be twice as far from 0, and its sign takes a bit.
    """

    signed: ClassVar[bool] = True
    by_values: ClassVar[bool] = True
    """The numbers decide how long a message is: the most bytes need not be reached."""
    bits: Any
    """A number; where a text is read, a term."""

    @property
    def room(self) -> Any:
        """The bits of a number without its sign."""
        return self.bits - 2

    @property
    def period(self) -> int:
        """So many entries fill a block."""
        return SIZE

    def written(self, coded: Vector) -> Any:
        blocks = codes(coded.entries)
        widths = [max(block).bit_length() for block in blocks]
        message = bytes(widths) + b"".join(integer_bytes.packed(*one) for one in zip(blocks, widths))
        return memoryview(message) if hasattr(coded.zero, "tobytes") else [*message]

    def sample(self, x: Vector) -> Vector:
        """A vector as long as this one in which all differences take all bits."""
        far = (1 << self.bits - 1) - 1
        return x.having([0 if i % 2 else -far for i in range(len(x))])

    def octets(self, c: Int, width: int) -> Int:
        return octets(c, self.bits)
