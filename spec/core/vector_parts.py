"""Parts of whole vectors, which are lists or arrays: read, written, added."""

from __future__ import annotations

from typing import Any, TypeAlias

Places: TypeAlias = slice | list[int]
"""Where in a vector chunks lie: in a row, or one by one."""


def copy(x: Any) -> Any:
    """A copy of a vector, of its own class."""
    return x[:] if isinstance(x, list) else x.copy()


def part(x: Any, cut: Places) -> Any:
    """What a vector has there."""
    return x[cut] if isinstance(cut, slice) or not isinstance(x, list) else [x[i] for i in cut]


def put(x: Any, cut: Places, entries: Any) -> None:
    """Make this what a vector has there."""
    if isinstance(cut, slice) or not isinstance(x, list):
        x[cut] = entries
    else:
        for i, entry in zip(cut, entries):
            x[i] = entry


def plus(a: Any, b: Any) -> Any:
    """The elementwise sum of two vectors."""
    return [u + v for u, v in zip(a, b)] if isinstance(a, list) else a + b


def plain(x: Any) -> Any:
    """``x`` with every -0.0 turned into +0.0, which adding zero does; letters stay as they are."""
    if isinstance(x, list):
        return [v + 0.0 if isinstance(v, float) else v for v in x]
    return x + x.dtype.type(0)
