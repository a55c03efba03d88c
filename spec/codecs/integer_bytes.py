"""Whole numbers of any width as bytes: a plane of codes for each eight of their bits, the lowest first.

A plane of the rest, fewer than eight bits, comes last.  How codes lie in a plane is told in
:mod:`~sparring.spec.codecs.bit_planes`.

>>> list(packed([1, 515, 1023], 10))
[1, 3, 255, 56]
>>> unpacked(packed([1, 515, 1023], 10), 3, 10)
[1, 515, 1023]
"""

from collections.abc import Sequence

from sparring.spec.codecs import bit_planes
from sparring.spec.core.numbers import Int

BYTE = 8


def widths(bits: int) -> list[int]:
    """Of a number's parts, from its lowest bits up."""
    return [BYTE] * (bits // BYTE) + ([bits % BYTE] if bits % BYTE else [])


def octets(c: Int, bits: Int) -> Int:
    """How many bytes ``c`` numbers take; where ``bits`` is a term, at most: for every eight numbers as many as bits."""
    if not isinstance(bits, int):
        return bits * ((c + 7) // 8)
    nothing: Int = 0
    return sum((bit_planes.octets(c, width) for width in widths(bits)), nothing)


def packed(numbers: Sequence[int], bits: int) -> bytes:
    """Numbers, each below ``2**bits``, as bytes."""
    parts = enumerate(widths(bits))
    return b"".join(
        bit_planes.packed([number >> BYTE * i & (1 << width) - 1 for number in numbers], width) for i, width in parts
    )


def unpacked(message: bytes, c: int, bits: int) -> list[int]:
    """The ``c`` numbers that :func:`packed` put there."""
    found, begin = [0] * c, 0
    for i, width in enumerate(widths(bits)):
        end = begin + len(bit_planes.packed([0] * c, width))
        found = [a | b << BYTE * i for a, b in zip(found, bit_planes.unpacked(message[begin:end], c, width))]
        begin = end
    return found
