"""Vectors as their entries that are not zero, each with its place: the COO format in which ZEN pushes them [WZ25]_.

| bytes     | what                                                                                          |
|-----------|-----------------------------------------------------------------------------------------------|
| ``4``     | how many such entries there are, ``m``                                                        |
| ``4 * m`` | their places, ascending                                                                       |
| the rest  | the entries in the machine's byte order, every NaN as numpy's own                             |

Numbers have their lowest byte first.  NaN is not zero.

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025, arXiv:2309.13254.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes

PLACE = np.dtype("<u4")
"""What the number and the places are told as."""


def room(c: Any, width: int) -> Any:
    """The most bytes of a message of ``c`` entries of ``width`` bytes."""
    return PLACE.itemsize * (c + 1) + c * width


def encode(x: Vector) -> Bytes:
    """The message of ``x``."""
    places = np.flatnonzero(x)
    entries = x[places]
    if x.dtype.kind == "f":
        entries[np.isnan(entries)] = np.nan  # which of two NaN a sum has, is the processor's own matter
    return np.concatenate([np.array([places.size, *places], PLACE).view(np.uint8), entries.view(np.uint8)])


def decode(message: Bytes, like: Vector) -> Vector:
    """What is read from the front of ``message``, of as many entries as ``like`` has, of its type."""
    m = int(message[: PLACE.itemsize].view(PLACE)[0])
    start = PLACE.itemsize * (m + 1)
    y = np.zeros_like(like)
    places = message[PLACE.itemsize : start].view(PLACE)
    y[places] = np.frombuffer(message[start : start + m * like.itemsize].tobytes(), like.dtype)
    return y
