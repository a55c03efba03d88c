"""Sparse vectors one after the other in one buffer, each entry an index and its value; no pickle.

Neighbouring lists are one piece of the buffer, so that a message of several is sent from where they
lie and received where they are needed, without a copy.  Indices are as wide as in ``wire``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core import wire
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse


class Row:
    """Room for lists of ``counts`` entries each, of vectors of ``n``, with values of ``like``'s dtype and class."""

    def __init__(self, counts: Sequence[int], like: Vector, n: int) -> None:
        self.kind = np.dtype([("index", wire.width(n)), ("value", like.dtype)])
        self.values = type(like)
        self.begins = [self.kind.itemsize * b for b in accumulate(counts, initial=0)]
        self.memory = np.empty(self.begins[-1], np.uint8)

    def put(self, i: int, x: Sparse) -> None:
        """Make ``x`` the list number ``i``, which has as many entries."""
        mine = self.piece(i, i + 1).view(self.kind)
        mine["index"], mine["value"] = x.indices, x.values

    def piece(self, i: int, j: int) -> wire.Bytes:
        """The lists from ``i`` on and before ``j``, as a message."""
        return self.memory[self.begins[i] : self.begins[j]]

    def entries(self, i: int) -> tuple[NDArray[Any], Vector]:
        """Indices and values of a list, as views."""
        held = self.piece(i, i + 1).view(self.kind)
        return held["index"], held["value"].view(self.values)


def row_with(counts: Sequence[int], x: Sparse, i: int) -> Row:
    """Room for lists of ``counts`` entries each, like ``x``, which is the list number ``i``."""
    row = Row(counts, x.values, x.n)
    row.put(i, x)
    return row
