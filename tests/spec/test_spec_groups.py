"""The quantiser keeps its bound on all small vectors, and has defined ends for everything else; codes are bytes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.spec.codecs import bit_planes, group_quantiser
from sparring.spec.codecs.group_quantiser import decode, encode, levels, written

SMALL = [[Fraction(v) for v in row] for c in range(1, 5) for row in itertools.product((-3, 0, 1, 4, 11), repeat=c)]


def read(x, *args):
    return decode(encode(x, *args))


def others(x):
    """A group without its first least and its first greatest entry."""
    gone = {x.index(min(x)), x.index(max(x))}
    return [v for i, v in enumerate(x) if i not in gone]


@pytest.mark.parametrize("bits", range(1, 9))
def test_an_entry_is_off_by_half_a_step_at_most(bits):
    """In exact arithmetic, for all small vectors; the least and the greatest are exact, and so is the range."""
    for x in SMALL:
        y, most = read(x, bits, 4), levels(bits)
        assert max(abs(u - v) for u, v in zip(x, y)) <= Fraction(max(x) - min(x), 2 * most)
        assert (min(y), max(y)) == (min(x), max(x))


@pytest.mark.parametrize("bits", range(1, 9))
def test_with_spikes_the_range_is_that_of_the_others(bits):
    """And both spikes are exact."""
    for x in SMALL:
        y, rest = read(x, bits, 4, True), others(x)
        bound = Fraction(max(rest) - min(rest), 2 * levels(bits)) if rest else 0
        assert max(abs(u - v) for u, v in zip(x, y)) <= bound
        assert all(y[i] == x[i] for i in (x.index(min(x)), x.index(max(x))))


LARGEST = np.float64(np.finfo(np.float32).max)


@example([0.0, float(LARGEST)], 5, False)  # a step that is rounded up, 31 times
@example([0.0, -float(LARGEST)], 5, False)  # which is read as infinity where all of it is added to the least entry
@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20),
    st.integers(1, 8),
    st.booleans(),
)
def test_in_float32_the_bound_holds_but_for_rounding(values, bits, spikes):
    """Four roundings of numbers of the size of the entries, and as many steps of the smallest numbers as codes.

    Where a range so large leads beyond the largest number there is an infinity.
    """
    x = np.array(values, np.float32)
    with np.errstate(all="ignore"):
        y = np.array(read(x, bits, 7, spikes), np.float32)
        for i in range(0, len(x), 7):
            some = x[i : i + 7].astype(np.float64)
            if not np.isfinite(x[i : i + 7].max() - x[i : i + 7].min()):
                assert np.isnan(y[i : i + 7]).all()
                continue
            span, size = some.max() - some.min(), abs(some).max()
            bound = span / (2 * levels(bits)) + 4 * size * 2.0**-23 + 2.0**-149 * 2 * levels(bits)
            beyond = np.isinf(y[i : i + 7]) & (span + bound > LARGEST)
            assert np.all(beyond | (abs(y[i : i + 7] - some) <= bound))


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_entry_makes_its_group_nan(bad, spikes):
    """And no other; what is told of it is NaN with the same bits, whatever the entry was."""
    x = np.arange(9, dtype=np.float32)
    x[4] = bad
    with np.errstate(all="ignore"):
        y, message = read(x, 8, 3, spikes), bytes(written(encode(x, 8, 3, spikes)))
    assert np.isnan(y[3:6]).all() and not np.isnan(y[:3]).any() and not np.isnan(y[6:]).any()
    assert message[4:8] == message[16:20] == np.float32("nan").tobytes()
    assert [*message[-6:-3]] == [0, 0, 0]


@pytest.mark.parametrize("spikes", [False, True])
def test_equal_entries_are_exact(spikes):
    """And zeros are +0.0."""
    for value in (0.1, -1e-45, 3e38, -0.0):
        y = np.array(read(np.full(5, value, np.float32), 2, 3, spikes), np.float32)
        assert (y == np.float32(value)).all() and not (np.signbit(y) & (y == 0)).any()


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("g", [1, 2, 3, 256, 257, 65536, 65537])
def test_sizes(g, spikes):
    """As many bytes as are told, empty vectors and groups that are not full included."""
    for c in (0, 1, 2, 5):
        for bits in (1, 3, 8):
            for dtype in ("float32", "float64"):
                x = np.arange(c).astype(dtype)
                assert len(written(encode(x, bits, g, spikes))) == group_quantiser.octets(
                    c, bits, g, spikes, x.itemsize
                )


@pytest.mark.parametrize("g", [0, -1, (1 << 32) + 1])
def test_groups_of_no_size_are_refused(g):
    with pytest.raises(InputError, match="a group must have 1 to"):
        encode([1.0], 8, g)


def test_a_zero_of_16_bits_would_break_the_bound():
    """Why steps and zeros have the vector's type: the nearest of half precision is far off, however small the range."""
    x = [Fraction(1000) + Fraction(1, 8), Fraction(1000) + Fraction(1, 4)]
    low = Fraction(float(np.float16(float(x[0]))))
    bound = (x[1] - x[0]) / (2 * levels(8))
    assert abs(low - x[0]) > 200 * bound
    assert read(x, 8, 2) == x


BITS = range(1, 9)


@pytest.mark.parametrize("bits", BITS)
def test_a_plane_is_what_numpy_packs(bits):
    """Bit by bit: each plane has its bits of all codes, the first code's in the lowest place."""
    some = np.random.default_rng(bits).integers(0, 1 << bits, 37).astype(np.uint8)
    rows = np.unpackbits(some[:, None], axis=1, bitorder="little")
    planes, done = [], 0
    for width in bit_planes.widths(bits):
        planes.append(np.packbits(rows[:, done : done + width].ravel(), bitorder="little"))
        done += width
    assert bit_planes.packed(some.tolist(), bits) == np.concatenate(planes).tobytes()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("c", [0, 1, 2, 7, 8, 9, 100])
def test_sizes_of_codes(bits, c):
    """As many bytes as are told; no more than the bits need but for a byte each after the first plane."""
    size = bit_planes.octets(c, bits)
    assert len(bit_planes.packed([0] * c, bits)) == size
    least = -(-c * bits // 8)
    assert size in range(least, least + len(bit_planes.widths(bits)))


def test_widths_are_those_of_the_paper_s_example_and_of_quick_reduce():
    """6 bits are 4 and 2: of 2048 codes 1024 and 512 bytes, as in vLLM's kernel."""
    assert [bit_planes.widths(bits) for bits in (2, 3, 5, 6, 7)] == [[2], [2, 1], [4, 1], [4, 2], [4, 2, 1]]
    assert len(bit_planes.packed([0] * 2048, 6)) == 1024 + 512
    assert all(sum(bit_planes.widths(bits)) == bits for bits in BITS)


@pytest.mark.parametrize("bits", [-1, 0, 9])
def test_other_widths_are_refused(bits):
    with pytest.raises(InputError, match=rf"^a code of {bits} bits: it must have 1 to 8$"):
        bit_planes.widths(bits)
