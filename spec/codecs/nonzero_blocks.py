"""Vectors as those of their blocks that hold anything but zeros: the form in which OmniReduce sends them [FH21]_.

A vector is cut into blocks of ``block`` entries; the last one may be shorter.  A block is sent if any of its entries is
not zero, NaN included, and whoever hears nothing of a block has zeros there.  So what is read is what was there, but
that zeros travel as +0.0, and every NaN as the same one.

A message has one bit for each block, set where the block is sent, then the entries of these blocks: bit ``i % 8``, from
the lowest, of byte ``i // 8`` is that of block ``i``.  The paper tells of a block where it begins; bits are this
module's own.  Where vectors are arrays a message is bytes, else a list.

>>> NonzeroBlocks(2).written(Vector([0, 0, 5, 0, 7]))
[6, 5, 0, 7]

.. [FH21] J. Fei, C.-Y. Ho, A. N. Sahu, M. Canini and A. Sapio, "Efficient sparse collective communication and its
   application to accelerate distributed deep learning", SIGCOMM 2021, doi:10.1145/3452296.3472904.
"""

from dataclasses import dataclass
from itertools import chain, compress
from math import isnan
from typing import Any

from sparring.spec.codecs import bit_planes
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Plain


def settled(v: Any, zero: Any) -> Any:
    """An entry as it travels."""
    return type(zero)("nan") if isnan(v) else v + zero


def room(c: Int, block: int, width: int) -> Int:
    """The most bytes of a message of ``c`` entries: it has so many if no block is left out."""
    bits = 8 * block
    return c * width + (c + bits - 1) // bits


@dataclass(frozen=True)
class NonzeroBlocks(Plain):
    """Vectors that travel so; ``block``: how many entries a block has."""

    block: int

    @property
    def period(self) -> int:
        """So many entries more take always as many bytes more."""
        return 8 * self.block

    def written(self, coded: Vector) -> Any:
        blocks = [coded.entries[i : i + self.block] for i in range(0, len(coded), self.block)]
        sent = [any(v != 0 for v in one) for one in blocks]
        bits = bit_planes.packed([*map(int, sent)], 1)
        entries = [settled(v, coded.zero) for v in chain(*compress(blocks, sent))]
        if hasattr(coded.zero, "tobytes"):
            return memoryview(bits + b"".join(v.tobytes() for v in entries))
        return [*bits, *entries]

    def sample(self, x: Vector) -> Vector:
        """A vector of which all blocks are sent, as long as this one."""
        return x.having([x.zero + 1] * len(x))

    def octets(self, c: Int, width: int) -> Int:
        return room(c, self.block, width)
