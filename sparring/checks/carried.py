"""Sparse vectors to and from a group of real ranks, whose lines carry one array a rank.

A sparse vector travels as bytes: three integers (the dtypes' places and ``n``), values, indices.
Several travel one after the other, each after its number of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.checks import target as targets
from sparring.errors import InputError
from sparring.proofs.core.iterations import Case, Done, iterate
from sparring.sparse import INDICES, VALUES, Sparse

if TYPE_CHECKING:
    from sparring.checks.group import Group

HEAD = 24
"""Bytes of the three integers."""


def run(group: Group, target: str, xs: Sequence[Any]) -> list[Any]:
    """As ``group.run(target, xs)``, where the vectors may be sparse."""
    if not isinstance(xs[0], Sparse):
        return group.run(target, xs)
    ys = group.run(f"{__name__}:rank", [octets(x) for x in xs], function=targets.absolute(target))
    return [sparse(y) for y in ys]


def rank(comm: Any, x: NDArray[np.uint8], *, function: str) -> NDArray[np.uint8]:
    """What each rank does: call the function, whose module:name is given, on the vector."""
    y = targets.load(function)(comm, sparse(x))
    if not isinstance(y, Sparse):
        raise InputError(f"{function} returned {type(y).__name__}: it must return a Sparse")
    return octets(y)


def octets(x: Sparse) -> NDArray[np.uint8]:
    """The vector as bytes."""
    head = np.array([VALUES.index(x.dtype.name), INDICES.index(x.indices.dtype.name), x.n], np.int64)
    return np.concatenate([part.view(np.uint8) for part in (head, x.values, x.indices)])


def sparse(octets: NDArray[np.uint8]) -> Sparse:
    """The vector again."""
    kind, width, n = octets[:HEAD].view(np.int64).tolist()
    values, indices = np.dtype(VALUES[kind]), np.dtype(INDICES[width])
    count = (octets.size - HEAD) // (values.itemsize + indices.itemsize)
    cut = HEAD + count * values.itemsize
    return Sparse(octets[cut:].view(indices), octets[HEAD:cut].view(values), n)


def iterated(group: Group, target: str, case: Case) -> list[list[Done]]:
    """What a stateful target has after each call, by rank."""
    ys = group.run(f"{__name__}:calls", case.xs, function=targets.absolute(target), k=case.k)
    return [[Done(result, residual.values) for result, residual in several(y)] for y in ys]


def calls(comm: Any, xs: NDArray[Any], *, function: str, k: int) -> NDArray[np.uint8]:
    """What each rank does: make the target, whose module:name is given, and call it on each row."""
    parts = []
    for result, residual in iterate(targets.load(function), comm, xs, k=k):
        for x in (result, Sparse(np.arange(residual.size), residual, residual.size)):
            parts += [np.array([octets(x).size]).view(np.uint8), octets(x)]
    return np.concatenate(parts)


def several(octets: NDArray[np.uint8]) -> list[tuple[Sparse, Sparse]]:
    """The pairs of vectors that :func:`calls` has sent."""
    found = []
    while octets.size:
        end = 8 + int(octets[:8].view(np.int64)[0])
        found.append(sparse(octets[8:end].copy()))
        octets = octets[end:]
    return [*zip(found[::2], found[1::2])]
