"""Levels with a unit, whole numbers in a few bits and numbers as they are, as forms in which vectors travel."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.spec.core.levels import Levels, leveled, unit, width
from sparring.spec.core.packed import Packed, Raw, wide
from sparring.spec.core.vectors import Vector


@pytest.mark.parametrize("levels", [1, 3, 4, 255, 256])
def test_what_is_read_is_what_was_coded(levels):
    """And a message has as many bytes as it says."""
    x = Vector.of(np.array([0.5, -1.0, 0.0, 2.0, -2.0], np.float32))
    one = unit(x, levels, 1)
    v = leveled(one, [levels, 1, 0, levels, levels], x)
    assert [*v] == [levels * one, -one, 0, levels * one, -(levels * one)]
    code = Levels(levels)
    (whole,), halves = code.pieces(v, [slice(0, 5)]), code.pieces(v, [slice(0, 2), slice(2, 5)])
    assert [*code.decode(whole)] == [*v] == [y for one in halves for y in code.decode(one)]
    assert len(code.written(whole)) == code.octets(5, 4)
    assert code.written(whole) != code.written(code.pieces(leveled(one, [0] * 5, x), [slice(0, 5)])[0])


def test_widths():
    assert [width(levels) for levels in (1, 3, 4, 127)] == [2, 3, 4, 8]
    assert [wide(4, p) for p in (1, 2, 3, 4, 5, 8, 9)] == [4, 5, 6, 6, 7, 7, 8]


def test_whole_numbers_and_numbers_as_they_are():
    x = Vector([1, 2, 3], np.float64(0))
    assert (bytes(Packed(2).written(x)), Packed(2).octets(3, 8)) == (bytes([0b111001]), 1)
    assert [*Packed(2).decode(Packed(2).pieces(x, [slice(1, 3)])[0])] == [2, 3]
    y = Vector.of(np.array([1.5, -2.0]))
    assert (bytes(Raw().written(y)), Raw().octets(2, 8)) == (np.array([1.5, -2.0]).tobytes(), 16)
    assert Raw().written(Vector([1.5])) == [1.5]
