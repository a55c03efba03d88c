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
    """Room for lists of ``counts`` entries each, of vectors like ``x``, of which the list number ``i`` is ``x`` itself.

    Values are of the dtype and class of ``x``'s, lists of its length.
    """

    def __init__(self, counts: Sequence[int], x: Sparse, i: int) -> None:
        self.kind = np.dtype([("index", wire.width(x.n)), ("value", x.dtype)])
        self.values = type(x.values)
        self.begins = [self.kind.itemsize * b for b in accumulate(counts, initial=0)]
        self.memory = np.empty(self.begins[-1], np.uint8)
        mine = self.piece(i, i + 1).view(self.kind)
        mine["index"], mine["value"] = x.indices, x.values

    def piece(self, i: int, j: int) -> wire.Bytes:
        """The lists from ``i`` on and before ``j``, as a message."""
        return self.memory[self.begins[i] : self.begins[j]]

    def entries(self, i: int) -> tuple[NDArray[Any], Vector]:
        """Indices and values of a list, as views."""
        held = self.piece(i, i + 1).view(self.kind)
        return held["index"], held["value"].view(self.values)
