"""What the tests of allgathers of lists run on every rank; ``name``: which one is meant."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.lists import agreed


def module(name: str) -> Any:
    """The implementation, imported by the rank that is running: each has its own."""
    return import_module(f"sparring.impl.{name}")


def kept(comm: Any, x: Any, *, name: str) -> Any:
    """The sum, having seen that what was passed is as it was."""
    indices, values = x.indices.tobytes(), x.values.tobytes()
    x.values.flags.writeable = False
    y = module(name).allreduce(comm, x)
    assert (x.indices.tobytes(), x.values.tobytes()) == (indices, values)
    assert not np.shares_memory(x.values, y.values)
    return y


def largest(comm: Any, x: Any, *, name: str, k: int) -> Any:
    """The sum of the ranks' ``k`` largest entries, all of it."""
    return module(name).allreduce(comm, x, k=k).dense()


def beside_allgatherv(comm: Any, x: Any, *, name: str) -> Any:
    """1 if every rank's list is what MPI's own ``Allgatherv`` brings of it, bit for bit; else 0."""
    mine, counts = agreed(comm, x, None, True)
    indices, values = np.empty(sum(counts), np.int64), np.empty(sum(counts), mine.dtype)
    comm.Allgatherv(mine.indices.astype(np.int64), (indices, counts))
    comm.Allgatherv(np.ascontiguousarray(mine.values), (values, counts))
    ends = np.cumsum(counts)
    lists = module(name).allgather(comm, mine, counts)
    pairs = zip(lists, np.split(indices, ends), np.split(values, ends))
    return np.array([a.tolist() == i.tolist() and v.tobytes() == w.tobytes() for (a, v), i, w in pairs], np.int64)


def refusal(comm: Any, _: Any, *, name: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone has indices in no order."""
    at = [2, 1] if comm.Get_rank() == bad else [1, 2]
    try:
        module(name).allreduce(comm, (at, [1.0, 1.0], 5))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)
