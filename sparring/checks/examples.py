"""Inputs to judge an implementation on, drawn and shrunk by hypothesis: p, n and values together.

Values are small integers, all kinds of them in one vector, so that a chunk that ends in the wrong
place is seen; as floats they are tenths, so that the order of addition is seen.  Of sparse vectors
the supports are drawn too: any, all alike, disjoint, full, empty, or with entries on one rank alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sparring.checks import vectors
from sparring.checks.vectors import Vector
from sparring.proofs.core.refinement import sizes
from sparring.sparse import Sparse

DTYPES = ("int64", "int32", "float64", "float32")
"""From the simplest to look at on: the first that fails is kept."""
WIDTHS = ("int64", "int32")
"""What indices may be."""


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
        x = self.xs[0]
        width = ", indices of int32" if isinstance(x, Sparse) and x.indices.dtype == np.int32 else ""
        return f"p={self.p} n={self.n}" + ("" if x.dtype == np.int64 else f" {x.dtype}") + width

    @property
    def size(self) -> tuple[float, ...]:
        """By what one example is smaller than another."""
        parts = (sum(part) for part in zip(*map(vectors.size, self.xs)))
        return self.p, self.n, DTYPES.index(str(self.xs[0].dtype)), *parts


KINDS = ("result", "edge sizes", "dtypes")

Mask = NDArray[np.bool_]
SUPPORTS: Mapping[str, Callable[[Mask], Mask]] = {
    "any": lambda drawn: drawn,
    "alike": lambda drawn: np.broadcast_to(drawn[:1], drawn.shape),
    "disjoint": lambda drawn: drawn & (np.arange(drawn.shape[1]) % len(drawn) == np.arange(len(drawn))[:, None]),
    "full": np.ones_like,
    "empty": np.zeros_like,
    "alone": lambda drawn: drawn & (np.arange(len(drawn)) == len(drawn) - 1)[:, None],
}
"""Which entries are present, by rank and index, made of what was drawn."""
EDGES = ("full", "empty", "alone")


def examples(ranks: Sequence[int], kind: str, *, sparse: bool = False) -> st.SearchStrategy[Example]:
    """Examples of one kind: n >= p, or at the edge, or over all dtypes; of arrays, or of sparse vectors."""
    return sparse_examples(ranks, kind) if sparse else dense_examples(ranks, kind)


@st.composite
def dense_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Examples of arrays."""
    p = draw(st.sampled_from(sorted(ranks)))
    n = draw(lengths(p, kind, [n for n in sizes(p) if n < p or p == 1]))
    dtype = draw(dtypes(kind))
    values = draw(st.lists(st.integers(0, 99), min_size=p * n, max_size=p * n))
    return Example(list(scaled(values, p, n, dtype)), kind)


@st.composite
def sparse_examples(draw: st.DrawFn, ranks: Sequence[int], kind: str) -> Example:
    """Examples of sparse vectors, at the edge also full and empty ones.  Some values are zeros, some sums cancel."""
    p = draw(st.sampled_from(sorted(ranks)))
    n = draw(lengths(p, kind, sizes(p)))
    edge = kind == "edge sizes"
    shape = draw(st.sampled_from(EDGES if edge and n >= p > 1 else list(SUPPORTS)[: len(SUPPORTS) if edge else -3]))
    dtype, width = draw(dtypes(kind)), draw(st.sampled_from(WIDTHS[: 1 + (kind == "dtypes")]))
    values = draw(st.lists(st.integers(-9, 9), min_size=p * n, max_size=p * n))
    present = draw(st.lists(st.booleans(), min_size=p * n, max_size=p * n))
    supports = SUPPORTS[shape](np.array(present, np.bool_).reshape(p, n))
    table = scaled(values, p, n, dtype)
    return Example([Sparse(np.flatnonzero(s).astype(width), x[s], n) for s, x in zip(supports, table)], kind)


def lengths(p: int, kind: str, edges: Sequence[int]) -> st.SearchStrategy[int]:
    """How long the vectors are."""
    return st.sampled_from(edges) if kind == "edge sizes" else st.integers(p, 2 * p + 3)


def dtypes(kind: str) -> st.SearchStrategy[str]:
    """What the values are."""
    return st.sampled_from({"edge sizes": DTYPES[:1], "dtypes": DTYPES}.get(kind, ("int64", "float64")))


def scaled(values: Sequence[int], p: int, n: int, dtype: str) -> NDArray[np.number]:
    """The drawn integers as a table, one row a rank; as floats they are tenths."""
    table = np.array(values, np.int64).reshape(p, n)
    return (table / 10 if dtype.startswith("float") else table).astype(dtype)
