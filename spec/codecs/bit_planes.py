"""Numbers of a few bits as bytes, in planes: the bit splitting of Flash Communication V2 [FC2]_.

A code of ``bits`` bits is cut into parts of 8, 4, 2 and 1 bits, each at most once, as ``bits`` is written
in the binary system: 3 is 2 + 1, 6 is 4 + 2, 7 is 4 + 2 + 1.  A plane holds one part of every code, the
widest plane the lowest bits; in a byte the first of its codes has the lowest bits.  Each plane begins
with a byte of its own, so that a plane is padded by less than a byte.

The paper's abstract says that irregular widths are decomposed into basic units, no more; how they lie is
this module's own.  A plane of 4 bits beside one of 2 is what vLLM's quick reduce has for 6 bits.

>>> list(packed([1, 2, 15], 4)), list(packed([5, 2, 7], 3))
([33, 15], [57, 5])
>>> unpacked(packed([5, 2, 7], 3), 3, 3)
[5, 2, 7]

.. [FC2] Q. Li, B. Zhang, S. Kang, L. Xu, X. Qian, Y. Xie and L. Ma, "Flash Communication V2",
   arXiv:2508.03760, 2025.
"""

from collections.abc import Sequence

from sparring.errors import InputError
from sparring.spec.core.numbers import Int

WIDTHS = (8, 4, 2, 1)
"""Of a part of a code, in bits; a code has at most as many bits as the first of these."""


def widths(bits: int) -> list[int]:
    """Of a code's parts, from its lowest bits up."""
    if not 1 <= bits <= WIDTHS[0]:
        raise InputError(f"a code of {bits} bits: it must have 1 to {WIDTHS[0]}")
    return [width for width in WIDTHS if bits & width]


def octets(c: Int, bits: int) -> Int:
    """How many bytes ``c`` codes take."""
    nothing: Int = 0
    return sum(((c * width + 7) // 8 for width in widths(bits)), nothing)


def plane(parts: Sequence[int], width: int) -> list[int]:
    """These numbers, each below ``2**width``, in bytes."""
    each = 8 // width
    rows = [parts[i : i + each] for i in range(0, len(parts), each)]
    return [sum(part << width * i for i, part in enumerate(row)) for row in rows]


def packed(codes: Sequence[int], bits: int) -> bytes:
    """All planes of these codes, one after the other."""
    found: list[int] = []
    done = 0
    for width in widths(bits):
        found += plane([code >> done & (1 << width) - 1 for code in codes], width)
        done += width
    return bytes(found)


def unpacked(buffer: bytes, c: int, bits: int) -> list[int]:
    """The ``c`` codes that :func:`packed` put there."""
    codes, done, begin = [0] * c, 0, 0
    for width in widths(bits):
        each = 8 // width
        for i in range(c):
            codes[i] |= (buffer[begin + i // each] >> width * (i % each) & (1 << width) - 1) << done
        begin += -(-c // each)
        done += width
    return codes
