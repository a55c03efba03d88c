"""Inputs to judge an implementation on, drawn and shrunk by hypothesis: p, n and values together.

Values are small integers, all kinds of them in one vector, so that a chunk that ends in the wrong
place is seen; as floats they are tenths, so that the order of addition is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparring.proofs.core.refinement import sizes

Vector = NDArray[np.number]


DTYPES = ("int64", "int32", "float64", "float32")
"""From the simplest to look at on: the first that fails is kept."""


class Example(NamedTuple):
    """One vector a rank, and the property that a wrong sum of it falsifies."""

    xs: list[Vector]
    prop: str

    @property
    def p(self) -> int:
        return len(self.xs)

    @property
    def n(self) -> int:
        return int(self.xs[0].size)

    @property
    def place(self) -> str:
        """Which example it is, in words."""
        dtype = self.xs[0].dtype
        return f"p={self.p} n={self.n}" + ("" if dtype == np.int64 else f" {dtype}")

    @property
    def size(self) -> tuple[int, int, int, float]:
        """By what one example is smaller than another."""
        weight = float(sum(np.abs(x.astype(np.float64)).sum() for x in self.xs))
        return self.p, self.n, DTYPES.index(str(self.xs[0].dtype)), weight


KINDS = ("result", "edge sizes", "dtypes")


@st.composite
def examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Examples of one kind: n >= p, or at the edge, or over all dtypes."""
    p = draw(st.sampled_from(sorted(ranks)))
    if kind == "edge sizes":
        n = draw(st.sampled_from([n for n in sizes(p) if n < p or p == 1]))
        dtype = "int64"
    else:
        n = draw(st.integers(p, 2 * p + 3))
        dtype = draw(st.sampled_from(DTYPES if kind == "dtypes" else ("int64", "float64")))
    values = draw(st.lists(st.integers(0, 99), min_size=p * n, max_size=p * n))
    return Example(vectors(values, p, n, dtype), kind)


def vectors(values: Sequence[int], p: int, n: int, dtype: str) -> list[Vector]:
    """The drawn integers as one vector a rank."""
    table = np.array(values, np.int64).reshape(p, n)
    scaled = table / 10 if dtype.startswith("float") else table
    return list(scaled.astype(dtype))
