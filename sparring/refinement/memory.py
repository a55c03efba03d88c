"""Says where calls share memory: what one of them returned or was given is changed by a later one, or may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.sparse import Sparse

NEAR = 20
"""How many calls before it a result's memory is compared with."""


class Made(NamedTuple):
    """One call: its input, a copy of what the input must stay, its result, and a copy of the result.

    ``before`` is None where the input's memory is used for the next one, too.
    """

    x: Any
    before: Any
    y: Any
    copy: Any


def remarks(made: Sequence[Made]) -> Iterator[str]:
    """Yield a sentence for each result or input that was changed later, and for each memory shared by two calls."""
    for i, one in enumerate(made, start=1):
        if not isinstance(one.y, np.ndarray | Sparse):
            continue
        if unlike(one.y, one.copy):
            yield f"the result of call {i} was {one.copy} and is {one.y} in the end"
        if one.before is not None and unlike(one.x, one.before):
            yield f"the input of call {i} was {one.before} and is {one.x} in the end"
        for j in range(max(1, i - NEAR), i + 1):
            other = made[j - 1]
            if overlap(one.y, other.x):
                yield f"the result of call {i} lies in the memory of the input of call {j}"
            if j < i and overlap(one.y, other.y):
                yield f"the result of call {i} lies in the memory of that of call {j}"


def parts(x: Any) -> Sequence[NDArray[Any]]:
    """Return the arrays of a vector; an empty sequence if ``x`` is no vector."""
    return (x.indices, x.values) if isinstance(x, Sparse) else (x,) if isinstance(x, np.ndarray) else ()


def unlike(x: Any, y: Any) -> bool:
    """Return whether two vectors differ in their entries."""
    return any(not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in zip(parts(x), parts(y)))


def overlap(x: Any, y: Any) -> bool:
    """Return whether two vectors share memory, so that a write to one changes the other."""
    return any(np.shares_memory(a, b) for a in parts(x) for b in parts(y) if a.flags.writeable or b.flags.writeable)
