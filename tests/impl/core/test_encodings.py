"""Sizes, the choice among them, and where a chunk becomes full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.impl.core.encodings import Encoding, cheapest, size, threshold

DENSE, PAIRS, OFFSETS16, BITMAP = Encoding
EDGES = (0, 1, 2, 7, 8, 9, 65536, 65537, 131072, 131073, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 33)


@pytest.mark.parametrize(
    ("encoding", "m", "length", "w", "expected"),
    [
        (DENSE, 3, 10, 4, 40),
        (PAIRS, 3, 1 << 32, 8, 36),
        (PAIRS, 3, (1 << 32) + 1, 8, 48),
        (OFFSETS16, 0, 0, 4, 0),
        (OFFSETS16, 3, 65536, 4, 18),
        (OFFSETS16, 3, 65537, 4, 22),
        (OFFSETS16, 3, 200_000, 8, 42),
        (BITMAP, 3, 8, 4, 13),
        (BITMAP, 3, 9, 4, 14),
        (PAIRS, (1 << 33) - 1, 1 << 33, 8, (1 << 37) - 16),
        (OFFSETS16, 1 << 31, 1 << 33, 4, 6 * (1 << 31) + 4 * ((1 << 17) - 1)),
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
        (1, 9, 4, OFFSETS16),
        (2, 8, 4, BITMAP),
        (1, 1, 8, DENSE),
        (2, 65537, 4, PAIRS),
        (3, 65537, 4, OFFSETS16),
        (1 << 32, 1 << 33, 8, BITMAP),
        (1 << 25, 1 << 33, 8, OFFSETS16),
    ],
)
def test_choices(m, length, w, expected):
    """Worked by hand; of 2 in 65537, pairs and offsets16 take 16 bytes each, and pairs come first."""
    assert cheapest(m, length, w) is expected


@given(st.data(), st.integers(0, 300) | st.integers(0, 1 << 40) | st.sampled_from(EDGES), st.sampled_from([4, 8]))
def test_the_cheapest_is_the_first_of_the_smallest(data, length, w):
    """Dense for exactly the m that reach the threshold, which is the smallest of them."""
    m, least = data.draw(st.integers(0, length)), threshold(length, w)
    sizes = [size(encoding, m, length, w) for encoding in Encoding]

    assert cheapest(m, length, w) is [*Encoding][sizes.index(min(sizes))]
    assert (cheapest(m, length, w) is DENSE) == (m >= least)
    assert least == 0 or cheapest(least - 1, length, w) is not DENSE
