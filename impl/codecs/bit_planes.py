"""Codes of a few bits as bytes, in planes of 8, 4, 2 and 1 bits: bit splitting, as in Flash Communication V2 [FC2]_.

A code of ``bits`` bits is the sum of parts whose widths are those powers of two of which ``bits`` is made;
the widest part is the code's lowest bits.  Each plane holds one part of all codes, the first code in the
lowest bits of the first byte, and is padded to whole bytes.

Codes come as an array of uint8, eight of which fill whole bytes in every plane.  Parts of 4 and 2 bits are
moved together in words of 2 and 4 codes: shifts and masks of whole arrays.

.. [FC2] Q. Li, B. Zhang, S. Kang, L. Xu, X. Qian, Y. Xie and L. Ma, "Flash Communication V2",
   arXiv:2508.03760, 2025.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.wire import Bytes

EIGHT = 8
"""So many codes begin a byte anew in every plane."""
SHIFTS = {4: (4,), 2: (6, 12, 18)}
"""By width, by how much a little-endian word of its codes is shifted so that each falls into the lowest byte."""


def widths(bits: int) -> list[int]:
    """Of a code's parts, from its lowest bits up.  Raises InputError for a code that has no 1 to 8 bits."""
    if not 1 <= bits <= EIGHT:
        raise InputError(f"a code of {bits} bits: it must have 1 to {EIGHT}")
    return [width for width in (8, 4, 2, 1) if bits & width]


def octets(c: int, width: int) -> int:
    """How many bytes a plane of ``c`` codes takes."""
    return (c * width + 7) // 8


def size(c: int, bits: int) -> int:
    """How many bytes all planes of ``c`` codes take."""
    return sum(octets(c, width) for width in widths(bits))


def begins(c: int, bits: int) -> list[int]:
    """Where each plane of ``c`` codes begins, and the end of the last."""
    return [*accumulate((octets(c, width) for width in widths(bits)), initial=0)]


def room(planes: Bytes, spare: Bytes, first: int, bits: int) -> Bytes:
    """Where as many codes as ``spare`` has bytes are one a byte: there, or in ``planes`` from the ``first``-th on.

    Codes of eight bits are their own plane.
    """
    return planes[first : first + spare.size] if bits == EIGHT else spare


def pack(codes: Bytes, out: Bytes, c: int, first: int, bits: int) -> None:
    """Puts ``codes``, in their :func:`room`, into the planes ``out`` of ``c``, from the ``first``-th on.

    Eight divides ``first`` and, unless they are the last, the number of codes, which are overwritten.
    """
    for begin, width in zip(begins(c, bits), widths(bits)):
        if width < EIGHT:
            at = begin + first * width // EIGHT
            out[at : at + octets(codes.size, width)] = squeezed(codes & np.uint8((1 << width) - 1), width)
            np.right_shift(codes, width, out=codes)


def unpack(planes: Bytes, out: Bytes, c: int, first: int, bits: int) -> None:
    """Fills ``out``, the :func:`room` of some codes, with what :func:`pack` put there, from the ``first``-th on."""
    done = 0
    for begin, width in zip(begins(c, bits), widths(bits)):
        if width < EIGHT:
            at = begin + first * width // EIGHT
            part = spread(planes[at : at + octets(out.size, width)], width)[: out.size]
            if done:
                out |= np.left_shift(part, done, out=part)
            else:
                out[...] = part
            done += width


def squeezed(parts: Bytes, width: int) -> Bytes:
    """Numbers below ``2**width``, one a byte, in as many bits each."""
    if width == 1:
        return np.packbits(parts, bitorder="little")
    each = EIGHT // width
    if parts.size % each:
        parts = np.concatenate([parts, np.zeros(-parts.size % each, np.uint8)])
    words = parts.view(word(width))
    found = words.copy()
    for shift in SHIFTS[width]:
        found |= words >> shift
    return found.astype(np.uint8)


def spread(buffer: Bytes, width: int) -> Bytes:
    """The numbers that :func:`squeezed` put there, and those that fill the last byte."""
    if width == 1:
        return np.unpackbits(buffer, bitorder="little")
    words = buffer.astype(word(width))
    found = words.copy()
    for shift in SHIFTS[width]:
        found |= words << shift
    found &= mask(width)
    return found.view(np.uint8)


def word(width: int) -> np.dtype[np.unsignedinteger]:
    """As many bytes as a byte holds numbers of this width."""
    return np.dtype(f"<u{EIGHT // width}")


def mask(width: int) -> int:
    """The lowest ``width`` bits of each byte of a word."""
    return int.from_bytes(bytes([(1 << width) - 1]) * (EIGHT // width), "little")
