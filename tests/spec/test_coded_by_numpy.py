"""Pages that send codes beside what numpy makes of them, and how their sums, units and widths are made."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring.errors import InputError
from sparring.spec import qsgd, thc
from sparring.spec.codecs import integer_bytes, sign_codec
from sparring.spec.codecs.level_codec import unit
from sparring.spec.codecs.packed_integers import Packed, wide
from sparring.spec.core.vectors import Vector
from sparring.spec.library.counter_rng import FINE


def test_signs_roots_and_sums():
    """A zero has a plus; a root is exact where there is one, else refused; the later half is added to the earlier."""
    assert sign_codec.signed([0.0, -0.0, -1e-300], norm=1).signs == [1, 1, 0]
    assert sign_codec.signed([Fraction(1), Fraction(-7)], norm=2).scale == 5
    with pytest.raises(InputError, match="a mean square of 5/2 has no rational root: norm=1 needs none"):
        sign_codec.signed([Fraction(1), Fraction(2)], norm=2)
    assert sign_codec.folded(list("abcde")) == "adcbe"
    assert sign_codec.folded([1.0, 2.0**-53, 2.0**-53, -1.0]) == 2.0**-53


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_units_are_numpys(dtype):
    """The root of the sum of squares, and the greatest magnitude, over the levels."""
    for n in (1, 2, 5, 100, 1023):
        x = np.random.default_rng(n).standard_normal(n).astype(dtype)
        for by_max, size in ((0, np.linalg.norm(x.astype(float))), (1, np.abs(x).max())):
            found = unit(Vector.of(x), 3, by_max)
            assert found.dtype == dtype
            assert np.isclose(found, size / 3, rtol=4 * np.finfo(dtype).eps)


def test_a_chance_is_the_part_above_a_level():
    """Exactly so many of 2^53 numbers round up."""
    up = 3 << FINE - 3
    assert [qsgd.level(Fraction(11, 8), Fraction(1), u, 4) for u in (0, up - 1, up, (1 << FINE) - 1)] == [2, 2, 1, 1]
    assert [qsgd.level(np.float32(1.375), np.float32(1), u, 4) for u in (up - 1, up)] == [2, 1]


def test_on_the_grid_thc_is_exact():
    """Nothing is left to chance there, nor where the step is 0."""
    xs = [[Fraction(i) for i in (0, 15, 3, 8)], [Fraction(i) for i in (1, 2, 15, 0)]]
    assert sparring.run("thc", xs, bits=4).results == [[1, 17, 18, 8]] * 2
    assert sparring.run("thc", [np.full(3, 2.5)] * 4).results[0].tolist() == [10.0] * 3


@pytest.mark.parametrize(("bits", "g"), [(4, 5), (8, 3), (4, 128)])
def test_qgz_is_numpys_and_within_its_bound(bits, g):
    """By dense numpy: each chunk in blocks, steps of the greatest magnitude; an entry at that is off by the bound."""
    xs = np.random.default_rng(bits).standard_normal((3, 36))
    xs[:, 0] = 5, 6, 7
    low, read = 2 ** (bits - 1), np.zeros((3, 36))
    for first in (0, 12, 24):
        for i in range(first, first + 12, g):
            block = xs[:, i : min(i + g, first + 12)]
            step = np.abs(block).max(axis=1, keepdims=True) / low
            read[:, i : min(i + g, first + 12)] = np.clip(np.rint(block / step), -low, low - 1) * step
    (result, *_) = results = sparring.run("qgz", [*xs], bits=bits, g=g).results
    assert all(np.array_equal(y, read[0] + read[1] + read[2]) for y in results)
    off = np.abs(result - xs.sum(axis=0))
    assert off[0] == pytest.approx(18 / low) and off[1:12].max() < 18 / low


@pytest.mark.parametrize("bits", [*range(1, 10), 13, 16, 20])
def test_whole_numbers_come_back_and_sums_have_room(bits):
    """As bytes, of any width; of greatest codes, with a bit to spare at no power of two."""
    numbers = [i * 2654435761 % (1 << bits) for i in range(37)]
    for c in range(38):
        message = integer_bytes.packed(numbers[:c], bits)
        assert integer_bytes.unpacked(message, c, bits) == numbers[:c]
        assert len(message) == Packed(bits).octets(c, 0)
    if bits <= 8:
        assert all(thc.most(bits) * p < 1 << wide(bits, p) for p in range(1, 2000))
        assert bits == 1 or all(thc.most(bits) * p >= 1 << wide(bits, p) - 1 for p in (2, 4, 64, 1024))
