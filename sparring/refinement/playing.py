"""Plays one rank's part: a call of a target, or several calls of one instance, with copies of all that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.refinement.memory import Made
from sparring.refinement.vectors import Vector
from sparring.sparse import Sparse

RESIDUAL = ("residual",)
"""The attributes that are noted of a stateful target, unless its page names others."""


class Played(NamedTuple):
    """One rank's part of an example: its results by call, and its input after the last call.

    ``kept``: what a stateful target shows of what it keeps, after each call, by the attribute's name; empty for a
    function; ``remarks``: sentences on what else went wrong.
    """

    ys: list[Any]
    kept: list[Mapping[str, Any]]
    given: Vector
    remarks: Sequence[str] = ()


def iterated(
    function: Any, comm: Any, xs: NDArray[Any], shown: Sequence[str] = RESIDUAL, made: list[Made] | None = None, /,
    **params: Any,
) -> Played:  # fmt: skip
    """Call one new instance of a class on the rows of ``xs`` in turn, all of them in the same memory.

    After each call its attributes ``shown`` are noted, and the call is added to ``made``.  A function keeps nothing,
    and gets the first row alone.
    """
    made = [] if made is None else made
    if not isinstance(function, type):
        given = xs[:1].copy()
        return Played([noted(made, given[0], function(comm, given[0], **params))], [], given)
    instance = function(comm, xs.shape[1], **params)
    buffer, given = np.empty_like(xs[0]), np.empty_like(xs)
    ys: list[Any] = []
    kept: list[Mapping[str, Any]] = []
    for i, x in enumerate(xs):
        buffer[:] = x
        ys.append(noted(made, buffer, instance(buffer)))
        kept.append({name: copy_result(getattr(instance, name, None)) for name in shown})
        given[i] = buffer
    return Played(ys, kept, given)


def noted(made: list[Made], x: Any, y: Any, before: Any = None) -> Any:
    """Note a call, and return a copy of its result."""
    made.append(Made(x, before, y, copy_result(y)))
    return made[-1].copy


def copy_result(y: Any) -> Any:
    """Copy a vector, since the next call may overwrite it; return anything else as it is."""
    return y.copy() if isinstance(y, (np.ndarray, Sparse)) else y
