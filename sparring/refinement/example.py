"""What a target is run on: a vector for each rank, or several, one a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.refinement import vectors
from sparring.refinement.vectors import Vector
from sparring.sparse import Sparse

DTYPES = ("int64", "int32", "float64", "float32")
"""The dtypes, the simplest to look at first: the first that fails is kept."""


class Example(NamedTuple):
    """One vector a rank, and the property that a wrong sum of them falsifies.

    A stateful target gets several vectors: the rows of an array.  ``params``: its other arguments;
    ``scene``: what ranks do with the rows, see :mod:`sparring.checks.ranks.scenes`.
    """

    xs: Sequence[Any]
    prop: str
    params: Mapping[str, Any] = {}
    scene: str = ""

    @property
    def p(self) -> int:
        return len(self.xs)

    @property
    def n(self) -> int:
        return int(self.calls[0][0].size)

    @property
    def calls(self) -> list[list[Vector]]:
        """The vectors by call, then by rank."""
        rows = [[x] if isinstance(x, Sparse) or x.ndim == 1 else list(x) for x in self.xs]
        return [list(call) for call in zip(*rows)]

    @property
    def iterated(self) -> bool:
        """True if each rank has several vectors: the rows of an array, one for each call."""
        return not isinstance(self.xs[0], Sparse) and self.xs[0].ndim > 1

    @property
    def place(self) -> str:
        """The example in words: ranks, entries, parameters, dtypes and calls."""
        x = self.xs[0]
        params = "".join(f" {name}={value}" for name, value in self.params.items())
        width = ", indices of int32" if isinstance(x, Sparse) and x.indices.dtype == np.int32 else ""
        calls = f", {len(self.calls)} calls" if len(self.calls) > 1 and not self.scene else ""
        return f"p={self.p} n={self.n}{params}" + ("" if x.dtype == np.int64 else f" {x.dtype}") + width + calls

    @property
    def size(self) -> tuple[float, ...]:
        """The key that orders examples, the smallest first."""
        parts = (sum(part) for part in zip(*map(vectors.size, self.xs)))
        dtype = DTYPES.index(str(self.xs[0].dtype))
        return self.p, self.n, len(self.calls), dtype, *parts, *self.params.values()

    def first(self, calls: int) -> Example:
        """Return the example with its first ``calls`` calls, if it has more."""
        return self if calls >= len(self.calls) else self._replace(xs=list(self.rows[:, :calls]))

    @property
    def rows(self) -> NDArray[Any]:
        """The vectors of a stateful target by rank, call and index."""
        return np.stack(self.xs)
