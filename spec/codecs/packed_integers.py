"""Whole numbers of a few bits each, and numbers as they are, as forms in which vectors travel: both are exact.

Where vectors are arrays, a message is bytes, else a list.  How whole numbers lie in bytes is told in
:mod:`~sparring.spec.codecs.integer_bytes`.

>>> [*Packed(2).pieces(Vector([3, 1, 2]), [slice(0, 1), slice(1, 3)])], Packed(2).written(Vector([3, 1, 2]))
([[3], [1, 2]], [39])
>>> Raw().written(Vector([0.5, 2.0]))
[0.5, 2.0]
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from sparring.spec.codecs import integer_bytes
from sparring.spec.core.numbers import Int, either
from sparring.spec.core.vectors import Vector, local
from sparring.spec.core.wire_forms import Plain


@local
def wide(bits: int, p: Int) -> Any:
    """How many bits the sum of ``p`` numbers of so many bits has room in: ``bits`` and ``ceil(log2(p))``."""
    return bits + (p - 1).bit_length()


@local(known=lambda found, bits: either(bits < 0, found >= bits))
def most(bits: int) -> int:
    """The greatest whole number of so many bits."""
    return (1 << bits) - 1


@dataclass(frozen=True)
class Packed(Plain):
    """Whole numbers below ``2**bits``: from 0 to ``most(bits)``, which is proved of what travels so."""

    signed: ClassVar[bool] = False
    bits: Any
    """A number; where a text is read, a term."""

    @property
    def room(self) -> Any:
        """The bits of a number without its sign, here of all of it."""
        return self.bits

    def written(self, coded: Vector) -> Any:
        message = integer_bytes.packed([*coded], self.bits)
        return memoryview(message) if hasattr(coded.zero, "tobytes") else [*message]

    def sample(self, x: Vector) -> Vector:
        """A vector that travels so, as long as this one."""
        return x.having([i % 2 for i in range(len(x))])

    def octets(self, c: Int, width: int) -> Int:
        return integer_bytes.octets(c, self.bits)


@dataclass(frozen=True)
class Raw(Plain):
    """Numbers as they are."""

    def written(self, coded: Vector) -> Any:
        as_bytes = all(hasattr(v, "tobytes") for v in coded)
        return memoryview(b"".join(v.tobytes() for v in coded)) if as_bytes else [*coded]
