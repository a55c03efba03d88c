"""Planes hold codes, block by block, beside ``numpy.packbits`` of all their bits."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.impl.core import planes

BITS = range(1, 9)


def kept(codes, bits, block):
    """All codes in planes, and what comes back, put there and read in blocks of so many."""
    c, out = codes.size, np.full(planes.size(codes.size, bits), 255, np.uint8)
    back = np.empty_like(codes)
    for i in range(0, c, block):
        some = planes.room(out, codes[i : i + block].copy(), i, bits)
        some[...] = codes[i : i + block]
        planes.pack(some, out, c, i, bits)
    for i in range(0, c, block):
        some = planes.room(out, np.empty_like(codes[i : i + block]), i, bits)
        planes.unpack(out, some, c, i, bits)
        back[i : i + block] = some
    return out, back


@pytest.mark.parametrize("block", [8, 24, 1000])
@pytest.mark.parametrize("bits", BITS)
def test_codes_come_back(bits, block):
    for c in (*range(20), 999, 1000):
        codes = (np.arange(c) * 37 % (1 << bits)).astype(np.uint8)
        out, back = kept(codes, bits, block)
        assert (back == codes).all()
        rows, done, expected = np.unpackbits(codes[:, None], axis=1, bitorder="little"), 0, b""
        for width in planes.widths(bits):
            expected += np.packbits(rows[:, done : done + width].ravel(), bitorder="little").tobytes()
            done += width
        assert out.tobytes() == expected


@pytest.mark.parametrize("bits", [0, 9])
def test_other_widths_are_refused(bits):
    with pytest.raises(InputError, match="it must have 1 to 8"):
        planes.widths(bits)
