"""Checks what a caller passes, before anything of the algorithm is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.transport import Vector, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

DTYPES = tuple(map(np.dtype, ("float32", "float64", "int32", "int64")))
REFUSED = -1


def opened(comm: Intracomm, x: Vector, out: Vector | None, validate: bool) -> tuple[Intracomm, Vector]:
    """What an allreduce of whole vectors begins with: a communicator for its messages and the result's array.

    With ``validate`` as :func:`agreed`, else as :func:`result`.
    """
    own = private(comm)
    return own, agreed(own, x, out) if validate else result(x, out)


def result(x: Vector, out: Vector | None) -> Vector:
    """The array that the result goes to: ``out``, or a new one like ``x``.

    Raises InputError unless ``x`` is a contiguous vector of one of ``DTYPES`` and ``out`` is
    another of the same length and dtype, writable, and either ``x``'s own memory or apart from it.
    """
    check_vector("x", x)
    if out is None:
        return np.empty_like(x)
    check_vector("out", out)
    if (out.size, out.dtype) != (x.size, x.dtype):
        raise InputError(f"out has {out.size} entries of {out.dtype}, x {x.size} of {x.dtype}: they must be alike")
    if not out.flags.writeable:
        raise InputError("out is read-only: it must be writable")
    if same_memory(x, out) and out.ctypes.data != x.ctypes.data:
        raise InputError("out overlaps x in part: it must be x itself or memory of its own")
    return out


def same_memory(x: Vector, y: Vector) -> bool:
    """Whether two contiguous vectors share memory: of a vector and its result, all of it or none."""
    return np.may_share_memory(x, y)


def check_vector(name: str, x: object) -> None:
    """Raises InputError unless ``x`` is a contiguous, aligned vector of one of ``DTYPES``, without a mask."""
    if not isinstance(x, np.ndarray):
        raise InputError(f"{name} is a {type(x).__name__}: it must be a numpy array")
    if isinstance(x, np.ma.MaskedArray):
        raise InputError(f"{name} is a masked array: it must be a plain one; {name}.filled(0) is")
    if x.ndim != 1:
        raise InputError(f"{name} has {x.ndim} dimensions: it must have 1; {name}.reshape(-1) flattens it")
    if x.dtype not in DTYPES:
        raise InputError(f"{name} has dtype {x.dtype}: it must be {', '.join(map(str, DTYPES[:-1]))} or {DTYPES[-1]}")
    if not x.flags.c_contiguous:
        raise InputError(f"{name} has gaps between its entries: it must be contiguous; {name}.copy() is")
    if not x.flags.aligned:
        raise InputError(f"{name} begins at an odd address for {x.dtype}: it must be aligned; {name}.copy() is")


def agreed(comm: Intracomm, x: Vector, out: Vector | None) -> Vector:
    """As :func:`result`, once all ranks agree, as :func:`alike` has it."""
    y, refusal = checked(x, out)
    alike(comm, x, refusal)
    return y


def checked(x: Vector, out: Vector | None) -> tuple[Vector, InputError | None]:
    """The array that the result goes to, and no error; or ``x`` and why the arguments are refused."""
    try:
        return result(x, out), None
    except InputError as error:
        return x, error


def alike(comm: Intracomm, x: Vector, refusal: InputError | None) -> None:
    """One exchange in which every rank tells its vector's dtype and length, or that it is refused.

    Collective: one ``Allgather`` of two integers a rank.  If a rank's arguments are refused, or
    its dtype or length differs from rank 0's, every rank raises InputError and none is left waiting.
    """
    told = np.empty((comm.Get_size(), 2), np.int64)
    comm.Allgather(np.array([REFUSED, 0] if refusal else [DTYPES.index(x.dtype), x.size], np.int64), told)
    if refusal:
        raise refusal
    compare(told)


Rows = np.ndarray[Any, np.dtype[np.int64]]


def kind_and_length(kind: int, n: int) -> str:
    """A row of what ranks tell, in words."""
    return f"{DTYPES[kind]} and {n} entries"


def compare(told: Rows, words: Callable[..., str] = kind_and_length, needed: str = "dtype and length") -> None:
    """Raises InputError unless all rows, by default (dtype's place in ``DTYPES``, length) by rank, are alike."""
    if told[0, 0] != REFUSED and told.tobytes() == told[0].tobytes() * len(told):  # a tenth of the time of what follows
        return
    r = int(np.flatnonzero((told != told[0]).any(axis=1) | (told[:, 0] == REFUSED))[0])
    if told[r, 0] == REFUSED:
        raise InputError(f"rank {r}'s arguments are refused, as its own error says; nothing was computed")
    has, first = (words(*row) for row in told[[r, 0]].tolist())
    raise InputError(f"rank {r} has {has}, rank 0 {first}: all ranks need one {needed}")
