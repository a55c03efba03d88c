"""Vectors in blocks of ``g`` entries, each entry a code of a few bits with a sign: the quantiser of qgZ [ZPP]_.

A block has a step, its greatest magnitude over ``2**(bits - 1) = L``.  Entry ``v`` has the code ``v / step``, rounded
to the nearest whole number, ties to the even one, and not above ``L - 1``: codes go from ``-L`` to ``L - 1``, so that
the greatest magnitude itself is a step too small where it is above 0.  A code is read as ``step * code``.  A block of
zeros, or with a step that is too small for a number, has a step of 0 and is read as zeros.

A block that holds NaN or an infinity comes out as NaN in all of its entries.

A message has the steps of all blocks, in the type of the vector, then the codes of each block, in two's complement
(:mod:`~sparring.spec.codecs.bit_planes`).  A block that is not full is filled up with zeros.  Steps and codes are those
of public code, whose vectors have 16 bits an entry and whose steps have 32; how they lie is this module's own.

In exact arithmetic an entry is read within a step of what it was; within half of one, where its code is not cut off.

>>> coded = encode([16, -16, 3, 1, 0], bits=4, g=4)
>>> coded.steps, list(coded.planes), decode(coded)
([2.0, 0.0], [135, 2, 0, 0], [14.0, -16.0, 4.0, 0.0, 0.0])

.. [ZPP] G. Wang, H. Qin, S. A. Jacobs, C. Holmes, S. Rajbhandari, O. Ruwase, F. Yan, L. Yang and Y. He, "ZeRO++:
   Extremely efficient collective communication for giant model training", arXiv:2306.10209, 2023.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from sparring.spec.codecs import bit_planes
from sparring.spec.core.numbers import Int, where
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Coding


class Coded(NamedTuple):
    """A coded vector: of ``c`` entries, in blocks of ``g``, each with a step."""

    c: int
    bits: int
    g: int
    steps: list[Any]
    planes: bytes


def half(bits: int) -> int:
    """The steps of a block's greatest magnitude: there are so many codes below 0."""
    return 1 << (bits - 1)


def bounded(q: Int, bits: int) -> Int:
    """The code of so many steps; of tiny numbers these may be more than there are codes, since steps are rounded."""
    return where(q < half(bits), where(q < -half(bits), -half(bits), q), half(bits) - 1)


def octets(c: Int, bits: int, g: int, width: int) -> Int:
    """How many bytes a message of ``c`` entries has, each of ``width`` bytes where it is told as it is."""
    return (width + bit_planes.octets(g, bits)) * ((c + g - 1) // g)


def step(values: Sequence[Any], bits: int) -> Any:
    """The step of a block; NaN where a value is no finite number."""
    most = max(map(abs, values)) / half(bits)
    return most if all(map(isfinite, values)) else type(values[0])("nan")


def encode(x: Any, bits: int, g: int) -> Coded:
    """``x`` in blocks, of which the last may have fewer entries."""
    blocks = [x[i : i + g] for i in range(0, len(x), g)]
    steps = [step(block, bits) for block in blocks]
    return Coded(len(x), bits, g, steps, b"".join(packed(*one, bits, g) for one in zip(blocks, steps)))


def packed(values: Sequence[Any], step: Any, bits: int, g: int) -> bytes:
    """The codes of a block, filled up."""
    codes: list[Any] = [bounded(round(v / step), bits) if step > 0 else 0 for v in values]
    return bit_planes.packed([q & 2 * half(bits) - 1 for q in codes] + [0] * (g - len(codes)), bits)


def decode(coded: Coded) -> list[Any]:
    """What is read from these codes."""
    low, size = half(coded.bits), bit_planes.octets(coded.g, coded.bits)
    blocks = [coded.planes[i * size : (i + 1) * size] for i in range(len(coded.steps))]
    numbers = [bit_planes.unpacked(block, coded.g, coded.bits) for block in blocks]
    return [step * ((q ^ low) - low) for step, some in zip(coded.steps, numbers) for q in some][: coded.c]


def written(coded: Coded) -> Any:
    """The message: bytes where the entries have any, else a list of the steps and of the bytes after them."""
    if all(hasattr(value, "tobytes") for value in coded.steps):
        return memoryview(b"".join(value.tobytes() for value in coded.steps) + coded.planes)
    return [*coded.steps, *coded.planes]


@dataclass(frozen=True)
class Symmetric(Coding):
    """These codes as a form in which vectors travel."""

    bits: int
    g: int

    @property
    def period(self) -> int:
        """So many entries fill a block."""
        return self.g

    @property
    def half(self) -> int:
        """The steps of a block's greatest magnitude."""
        return half(self.bits)

    def bounded(self, q: Int) -> Int:
        """The code of so many steps."""
        return bounded(q, self.bits)

    def encode(self, x: Vector) -> Coded:
        return encode(x, self.bits, self.g)

    def decode(self, coded: Coded) -> Vector:
        return Vector(decode(coded))

    def written(self, coded: Coded) -> Any:
        return written(coded)

    def octets(self, c: Int, width: int) -> Int:
        return octets(c, self.bits, self.g, width)
