"""Codes of a few bits are bytes and come back, beside ``numpy.packbits``, which we did not write."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.errors import InputError
from sparring.spec.core import codes

BITS = range(1, 9)


@pytest.mark.parametrize("bits", BITS)
def test_a_plane_is_what_numpy_packs(bits):
    """Bit by bit: each plane has its bits of all codes, the first code's in the lowest place."""
    some = np.random.default_rng(bits).integers(0, 1 << bits, 37).astype(np.uint8)
    rows = np.unpackbits(some[:, None], axis=1, bitorder="little")
    planes, done = [], 0
    for width in codes.widths(bits):
        planes.append(np.packbits(rows[:, done : done + width].ravel(), bitorder="little"))
        done += width
    assert codes.packed(some.tolist(), bits) == np.concatenate(planes).tobytes()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("c", [0, 1, 2, 7, 8, 9, 100])
def test_sizes(bits, c):
    """As many bytes as are told; no more than the bits need but for a byte each after the first plane."""
    size = codes.octets(c, bits)
    assert len(codes.packed([0] * c, bits)) == size
    least = -(-c * bits // 8)
    assert size in range(least, least + len(codes.widths(bits)))


def test_widths_are_those_of_the_paper_s_example_and_of_quick_reduce():
    """6 bits are 4 and 2: of 2048 codes 1024 and 512 bytes, as in vLLM's kernel."""
    assert [codes.widths(bits) for bits in (2, 3, 5, 6, 7)] == [[2], [2, 1], [4, 1], [4, 2], [4, 2, 1]]
    assert len(codes.packed([0] * 2048, 6)) == 1024 + 512
    assert all(sum(codes.widths(bits)) == bits for bits in BITS)


@pytest.mark.parametrize("bits", [-1, 0, 9])
def test_other_widths_are_refused(bits):
    with pytest.raises(InputError, match=rf"^a code of {bits} bits: it must have 1 to 8$"):
        codes.widths(bits)
