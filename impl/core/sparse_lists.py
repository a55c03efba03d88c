"""Sparse vectors of all ranks: agreed on beforehand, added in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import DTYPES, REFUSED, compare
from sparring.impl.core.selection import top
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

DENSE = 9
"""Where the lists have more than ``n / DENSE`` entries together, adding in a dense vector is the faster way.

Measured with 2 to 8 lists and ``n`` of 10^5 to 10^7: at a sixteenth the other way takes 0.2 to 1.0
of the dense vector's time, at a ninth 0.3 to 1.3, at a sixth 0.5 to 4.7.
"""


def taken(x: object, k: int | None, allow_nan: bool) -> Sparse:
    """``x`` as a Sparse: as it is, made of ``(indices, values, n)``, or the ``k`` largest entries of a vector.

    Raises InputError for what is none of these.
    """
    if k is not None and not isinstance(k, (int, np.integer)):
        raise InputError(f"k = {k!r}: it must be a whole number, 0 or more")
    if k is not None:
        return top(x, k, allow_nan=allow_nan)  # type: ignore[arg-type]  # top refuses what is no vector
    if isinstance(x, Sparse):
        return x
    if isinstance(x, tuple) and len(x) == 3:
        return Sparse(*x)
    raise InputError(f"x is a {type(x).__name__}: it must be a sparring.Sparse, or a vector together with k")


def agreed(
    comm: Intracomm, x: object, k: int | None, allow_nan: bool, also: Mapping[str, object] | None = None
) -> tuple[Sparse, list[int]]:
    """``x`` as :func:`taken`, and how many entries each rank has.  ``also``: numbers as :func:`small`, by name.

    Collective: one ``Allgather`` of three integers a rank, and of these numbers.  If a rank's arguments are
    refused, or its dtype, length or one of these differs from rank 0's, every rank raises InputError and
    none is left waiting.
    """
    names = [*(also or {})]
    told = np.empty((comm.Get_size(), 3 + len(names)), np.int64)
    try:
        mine = taken(x, k, allow_nan)
        numbers = [small(name, value) for name, value in (also or {}).items()]
        row = np.array([DTYPES.index(mine.dtype), mine.n, len(mine), *numbers], np.int64)
    except Exception as error:  # whatever it is, the other ranks must hear of it
        comm.Allgather(np.array([REFUSED, *(0 for _ in told[0, 1:])], np.int64), told)
        raise InputError(f"rank {comm.Get_rank()}: {error}") from error
    comm.Allgather(row, told)
    compare(told[:, :2])
    if names:
        compare(told[:, 3:], lambda *row: ", ".join(f"{name}={x}" for name, x in zip(names, row)), "value of each")
    return mine, told[:, 2].tolist()


def small(name: str, value: object) -> int:
    """``value`` as a whole number; raises InputError for another, a negative one, or one of 2^31 and more."""
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise InputError(f"{name} is {value!r}: it must be a whole number, 0 or more")
    if value > np.iinfo(np.int32).max:
        raise InputError(f"{name} is {value}: it must be below 2^31")
    return int(value)


Lists = Sequence[tuple[NDArray[Any], Vector]]


def added(lists: Lists, like: Sparse) -> Sparse:
    """The sum of all (indices, values), in their order, with every -0.0 turned into +0.0; of ``like``'s dtypes."""
    many = sum(indices.size for indices, _ in lists) * DENSE > like.n
    support, values = (densely if many else sparsely)(lists, like)
    np.add(values, like.dtype.type(0), out=values)
    return Sparse.made(support.astype(like.indices.dtype, copy=False), values, like.n)


def densely(lists: Lists, like: Sparse) -> tuple[NDArray[Any], Vector]:
    """Support and sums by way of a vector of all ``n`` entries: absent ones are -0.0, which adds nothing."""
    present = np.zeros(like.n, np.bool_)
    sums = np.full_like(like.values, -0.0, shape=like.n)
    for indices, values in lists:
        present[indices] = True
        sums[indices] += values
    support = np.flatnonzero(present)
    return support, sums[support]


def sparsely(lists: Lists, like: Sparse) -> tuple[NDArray[Any], Vector]:
    """Support and sums in time and memory of the lists alone, whatever ``n`` is."""
    every = np.concatenate([indices for indices, _ in lists])
    order = np.argsort(every, kind="stable")  # merges the runs that are there
    every = every.take(order)
    first = np.ones(every.size, np.bool_)
    np.not_equal(every[1:], every[:-1], out=first[1:])
    support = every.take(np.flatnonzero(first))
    places = np.empty(every.size, np.int64)
    places[order] = np.cumsum(first) - 1
    sums = np.full_like(like.values, -0.0, shape=support.size)
    ends = np.cumsum([indices.size for indices, _ in lists])
    for here, (_, values) in zip(np.split(places, ends), lists):
        sums[here] += values
    return support, sums
