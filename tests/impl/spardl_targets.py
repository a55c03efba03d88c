"""What the tests of SparDL run on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.spardl import Allreduce, allreduce


def once(comm: Any, x: Any, *, k: int) -> Any:
    """One call, all of its result."""
    return allreduce(comm, x, k=k).dense()


def beside_mpi(comm: Any, x: Any) -> Any:
    """1 where the sum of all entries, of which none is left out, is MPI's own, else 0."""
    wanted = np.empty_like(x)
    comm.Allreduce(x, wanted)
    return (allreduce(comm, x, k=x.size).dense() == wanted).astype(np.int64)


def kept(comm: Any, x: Any) -> Any:
    """The residual after one call and after another with zeros, having seen that what was passed is as it was."""
    before, instance = x.tobytes(), Allreduce(comm, x.size, k=1)
    x.flags.writeable = False
    instance(x)
    assert x.tobytes() == before
    seen: Any = instance.residual
    first = seen.tolist()
    instance(np.zeros_like(x))
    return first, seen.tolist(), seen.flags.writeable


def refusal(comm: Any, _: Any, *, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone passes a vector that is too short; then it goes on."""
    tried, untouched = (Allreduce(comm, 5, k=2) for _ in range(2))
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    tried(good)
    untouched(good)
    text = ""
    try:
        tried(good[comm.Get_rank() == bad :])
    except InputError as error:
        text = str(error)
    if tried(good).values.tolist() != untouched(good).values.tolist():
        text = "the residual has changed"
    return np.frombuffer(text.encode(), np.uint8)
