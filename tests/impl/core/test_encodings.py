"""Sizes, the choice among them, and where a chunk becomes full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.impl.core.encodings import Encoding, cheapest, size, threshold

DENSE, PAIRS, OFFSETS16, BITMAP = Encoding
WIDTHS = st.sampled_from([4, 8])
LENGTHS = st.integers(0, 300) | st.integers(0, 1 << 20) | st.integers(0, 1 << 40)
EDGES = (0, 1, 2, 7, 8, 9, 65536, 65537, 131072, 131073, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 33)


@st.composite
def counts(draw):
    """m of a length, and w."""
    length = draw(LENGTHS | st.sampled_from(EDGES))
    return draw(st.integers(0, length)), length, draw(WIDTHS)


@pytest.mark.parametrize(
    ("encoding", "m", "length", "w", "expected"),
    [
        (DENSE, 3, 10, 4, 40),
        (PAIRS, 3, 10, 4, 24),
        (PAIRS, 3, 1 << 32, 8, 36),
        (PAIRS, 3, (1 << 32) + 1, 8, 48),
        (OFFSETS16, 3, 10, 4, 18),
        (OFFSETS16, 0, 0, 4, 0),
        (OFFSETS16, 3, 65536, 4, 18),
        (OFFSETS16, 3, 65537, 4, 22),
        (OFFSETS16, 3, 200_000, 8, 42),
        (BITMAP, 3, 8, 4, 13),
        (BITMAP, 3, 9, 4, 14),
        (PAIRS, 1 << 31, 1 << 32, 4, 1 << 34),
        (PAIRS, (1 << 33) - 1, 1 << 33, 8, (1 << 37) - 16),
        (OFFSETS16, 1 << 31, 1 << 33, 4, 6 * (1 << 31) + 4 * ((1 << 17) - 1)),
        (BITMAP, 1 << 33, 1 << 33, 8, (1 << 36) + (1 << 30)),
        (DENSE, 1 << 33, 1 << 33, 8, 1 << 36),
    ],
)
def test_sizes(encoding, m, length, w, expected):
    """Worked by hand; no count is too large for them."""
    assert size(encoding, m, length, w) == expected


@pytest.mark.parametrize(
    ("m", "length", "w", "expected"),
    [
        (0, 0, 4, DENSE),
        (0, 10, 4, PAIRS),
        (1, 16, 4, OFFSETS16),
        (1, 9, 4, OFFSETS16),
        (2, 8, 4, BITMAP),
        (10, 10, 4, DENSE),
        (1, 1, 8, DENSE),
        (1, 65537, 4, PAIRS),
        (2, 65537, 4, PAIRS),
        (3, 65537, 4, OFFSETS16),
        (1, 2, 4, BITMAP),
        (1, (1 << 33), 8, PAIRS),
        (1 << 32, 1 << 33, 8, BITMAP),
        (1 << 25, 1 << 33, 8, OFFSETS16),
    ],
)
def test_choices(m, length, w, expected):
    """Worked by hand; of 2 in 65537, pairs and offsets16 take 16 bytes each, and pairs come first."""
    assert cheapest(m, length, w) is expected


@given(counts())
def test_the_cheapest_is_the_first_of_the_smallest(given):
    """And never more than dense, which a full chunk always is."""
    m, length, w = given
    sizes = [size(encoding, m, length, w) for encoding in (DENSE, PAIRS, OFFSETS16, BITMAP)]

    assert cheapest(m, length, w) is (DENSE, PAIRS, OFFSETS16, BITMAP)[sizes.index(min(sizes))]
    assert size(cheapest(m, length, w), m, length, w) <= length * w
    assert cheapest(length, length, w) is DENSE


@given(counts())
def test_dense_from_the_threshold_on(given):
    """Dense is the cheapest for exactly the m that reach it: monotone; and it is at least half the length."""
    m, length, w = given
    least = threshold(length, w)

    assert (cheapest(m, length, w) is DENSE) == (m >= least)
    assert length <= 2 * least <= 2 * length


@pytest.mark.parametrize("w", [4, 8])
@pytest.mark.parametrize("length", EDGES)
def test_the_threshold_is_the_smallest(length, w):
    """One entry fewer, and something else is cheaper."""
    least = threshold(length, w)

    assert cheapest(least, length, w) is DENSE
    assert least == 0 or cheapest(least - 1, length, w) is not DENSE


def test_every_short_length():
    """The whole table up to 200 entries: from the threshold on and nowhere else."""
    for w in (4, 8):
        for length in range(201):
            dense = [cheapest(m, length, w) is DENSE for m in range(length + 1)]
            assert dense.index(True) == threshold(length, w)
            assert all(dense[threshold(length, w) :])
