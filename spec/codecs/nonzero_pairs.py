"""Vectors as their entries that are not zero, each with its place: the COO format in which ZEN pushes them [WZ25]_.

A message has the number of these entries, their places in the piece, ascending, and then the entries themselves: places
and the number take 4 bytes each.  NaN is not zero.  What is read is what was there, but that zeros come back as +0.0,
and every NaN as the same one.

The paper has pairs of 32 bits and says nothing of a number before them; that it is told, and that a place is counted
from where the piece begins, are this module's own.  Where vectors are arrays a message is bytes, else a list.

>>> NonzeroPairs().written(Vector([0, 0, 5, 0, 7]))
[2, 2, 4, 5, 7]

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025, arXiv:2309.13254.
"""

from dataclasses import dataclass
from typing import Any

from sparring.spec.codecs.nonzero_blocks import settled
from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Plain

PLACE = 4
"""Bytes of a place, and of the number."""


@dataclass(frozen=True)
class NonzeroPairs(Plain):
    """Vectors that travel so."""

    @property
    def period(self) -> int:
        """So many entries more take always as many bytes more."""
        return 1

    def written(self, coded: Vector) -> Any:
        places = [i for i, v in enumerate(coded) if v != 0]
        told, entries = [len(places), *places], [settled(coded[i], coded.zero) for i in places]
        if hasattr(coded.zero, "tobytes"):
            bits = b"".join(one.to_bytes(PLACE, "little") for one in told)
            return memoryview(bits + b"".join(v.tobytes() for v in entries))
        return [*told, *entries]

    def sample(self, x: Vector) -> Vector:
        """A vector of which all entries are sent, as long as this one."""
        return x.having([x.zero + 1] * len(x))

    def octets(self, c: Int, width: int) -> Int:
        return PLACE + c * (PLACE + width)
