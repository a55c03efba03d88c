"""Chunks for hypothesis, and what they hold."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring.impl.core.chunks import Chunk

DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 5e-324, 1e-310, 3e38, 1.7e308, np.inf, -np.inf, np.nan]


def values(dtype, size):
    """Any values, among them many that arithmetic treats apart; of NaN one alone, since sums of two may be either."""
    if np.dtype(dtype).kind == "i":
        return hnp.arrays(dtype, size)
    with np.errstate(over="ignore", under="ignore"):  # float32 has no 1e308: infinity will do
        special = [np.array(x).astype(dtype).item() for x in SPECIAL]
    numbers = st.floats(width=32 if dtype == "float32" else 64, allow_nan=False)
    return hnp.arrays(dtype, size, elements=st.sampled_from(special) | numbers)


def bits(dtype, size):
    """Any bits at all, every NaN included."""
    return hnp.arrays(f"u{np.dtype(dtype).itemsize}", size).map(lambda x: x.view(dtype))


@st.composite
def chunks(draw, length=None, dtype=None, values=values):
    """Of any density, the empty and the full one included."""
    length = draw(st.integers(0, 60)) if length is None else length
    dtype = draw(st.sampled_from(DTYPES)) if dtype is None else dtype
    held = draw(hnp.arrays(bool, length, elements=st.booleans(), fill=st.booleans()))
    return of(np.flatnonzero(held), draw(values(dtype, int(held.sum()))), length)


def of(positions, entries, length):
    """The chunk; a full one has no positions."""
    return Chunk(None if positions.size == length else positions.astype(np.int64), entries, length)


def held(chunk):
    """Which positions the chunk holds, with their values' bytes."""
    positions = range(chunk.length) if chunk.positions is None else chunk.positions.tolist()
    return dict(zip(positions, [np.array(v).tobytes() for v in np.asarray(chunk.values)], strict=True))
