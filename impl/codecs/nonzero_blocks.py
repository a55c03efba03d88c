"""Vectors as those of their blocks that hold anything but zeros: the form in which OmniReduce sends them [FH21]_.

| bytes            | what                                                                                 |
|------------------|--------------------------------------------------------------------------------------|
| ``ceil(m / 8)``  | of ``m`` blocks: bit ``i % 8``, from the lowest, of byte ``i // 8`` is set if ``i``   |
|                  | is sent                                                                              |
| the rest         | the entries of the blocks that are sent, in the machine's byte order, zeros as +0.0, |
|                  | and every NaN as numpy's own                                                         |

No length is told: both sides know how many entries there are, and of what type.

.. [FH21] J. Fei, C.-Y. Ho, A. N. Sahu, M. Canini and A. Sapio, "Efficient sparse collective communication and its
   application to accelerate distributed deep learning", SIGCOMM 2021, doi:10.1145/3452296.3472904.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.transport import Vector
from sparring.impl.core.wire import Bytes


def table(c: Any, block: int) -> Any:
    """Bytes that tell which blocks of ``c`` entries are sent."""
    return ((c + block - 1) // block + 7) // 8


def room(c: Any, block: int, width: int) -> Any:
    """The most bytes of a message of ``c`` entries of ``width`` bytes."""
    return table(c, block) + c * width


def encode(x: Vector, block: int) -> Bytes:
    """The message of ``x``."""
    begins = np.arange(0, x.size, block)
    sent = np.logical_or.reduceat(x != 0, begins) if x.size else np.zeros(0, np.bool_)
    entries = x[within(sent, begins, x.size)]
    np.add(entries, x.dtype.type(0), out=entries)  # -0.0 becomes +0.0
    if x.dtype.kind == "f":
        entries[np.isnan(entries)] = np.nan  # which of two NaN a sum has, is the processor's own matter
    return np.concatenate([np.packbits(sent, bitorder="little"), entries.view(np.uint8)])


def decode(message: Bytes, like: Vector, block: int) -> Vector:
    """What is read from the front of ``message``, of as many entries as ``like`` has, of its type."""
    begins, start = np.arange(0, like.size, block), table(like.size, block)
    sent = np.unpackbits(message[:start], count=begins.size, bitorder="little").astype(np.bool_)
    here = within(sent, begins, like.size)
    end = start + np.count_nonzero(here) * like.itemsize
    y = np.zeros_like(like)
    y[here] = np.frombuffer(message[start:end].tobytes(), like.dtype)
    return y


def within(sent: NDArray[np.bool_], begins: NDArray[np.int64], c: int) -> NDArray[np.bool_]:
    """By entry, of ``c``, whether its block is sent."""
    return np.repeat(sent, np.diff(begins, append=c))
