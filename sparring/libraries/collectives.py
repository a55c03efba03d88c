"""The collectives of an MPI library, each as a target of ``check``: it returns the sum of all vectors on every rank.

Nothing but the collective itself may be at fault where a sum is wrong.  So what one rank has of the result is shown
to the others by plain messages, and what is only gathered is added here, in the order of the ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

Vector = NDArray[Any]
Call = Callable[..., object]
"""Calls its first argument with the others: a hook for what happens in the collective alone."""


def plainly(function: Callable[..., object], *arguments: object) -> object:
    """Call the function."""
    return function(*arguments)


def begins(n: int, p: int) -> list[int]:
    """Return where ``p`` chunks of ``n`` entries begin, and where the last ends; they need not be equal.

    >>> begins(7, 3)
    [0, 2, 4, 7]
    """
    return [c * n // p for c in range(p + 1)]


def shown(comm: MPI.Comm, mine: Vector, at: Sequence[int]) -> Vector:
    """Return the vector of which each rank has the chunk ``mine``, by messages from everybody to everybody."""
    y = np.empty(at[-1], mine.dtype)
    waiting = [comm.Irecv(y[a:b], source) for source, (a, b) in enumerate(pairwise(at))]
    waiting += [comm.Isend(mine, dest) for dest in range(comm.Get_size())]
    MPI.Request.Waitall(waiting)
    return y


def added(rows: Vector, x: Vector) -> Vector:
    """Return the sum of all rows, in their order; as long as ``x``, and of its dtype."""
    y = np.array(rows[0])
    for row in rows[1:]:
        y += row
    return y.astype(x.dtype, copy=False)


def allreduce(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allreduce``."""
    y = np.empty_like(x)
    call(comm.Allreduce, x, y)
    return y


def reduce_scatter(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Reduce_scatter`` into chunks that differ by an entry at most, shown to all."""
    at = begins(len(x), comm.Get_size())
    counts = np.diff(at).tolist()
    mine = np.empty(counts[comm.Get_rank()], x.dtype)
    call(comm.Reduce_scatter, x, mine, counts)
    return shown(comm, mine, at)


def reduce_scatter_block(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Reduce_scatter_block`` of a vector with zeros behind it, so that all chunks are as long, shown to all."""
    p = comm.Get_size()
    size = -(-len(x) // p)
    padded = np.concatenate([x, np.zeros(p * size - len(x), x.dtype)])
    mine = np.empty(size, x.dtype)
    call(comm.Reduce_scatter_block, padded, mine)
    return shown(comm, mine, [c * size for c in range(p + 1)])[: len(x)]


def allgather(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allgather`` of all vectors, which each rank adds."""
    rows = np.empty((comm.Get_size(), len(x)), x.dtype)
    call(comm.Allgather, x, rows)
    return added(rows, x)


def allgatherv(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allgatherv`` of all vectors, rank ``r``'s with ``r`` zeros behind it, which each rank adds.

    Raises ValueError if the zeros do not come as such.
    """
    counts = [len(x) + r for r in range(comm.Get_size())]
    everything = np.empty(sum(counts), x.dtype)
    call(comm.Allgatherv, np.concatenate([x, np.zeros(comm.Get_rank(), x.dtype)]), (everything, counts))
    return behind_zeros(everything, counts, x)


def behind_zeros(everything: Vector, counts: Sequence[int], x: Vector) -> Vector:
    """Return the sum of blocks that begin with a vector like ``x``; raises ValueError if not all else is zero."""
    blocks = np.split(everything, np.cumsum(counts)[:-1])
    for r, block in enumerate(blocks):
        if block[len(x) :].any():
            raise ValueError(f"rank {r} sent {r} zeros behind its vector, which come as {block[len(x) :]}")
    return added(np.stack([block[: len(x)] for block in blocks]), x)


def alltoall(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Alltoall`` of chunks, of which each rank adds those that it got and shows the sum to all."""
    p = comm.Get_size()
    size = -(-len(x) // p)
    padded = np.concatenate([x, np.zeros(p * size - len(x), x.dtype)])
    rows = np.empty((p, size), x.dtype)
    call(comm.Alltoall, padded, rows)
    return shown(comm, added(rows, rows[0]), [c * size for c in range(p + 1)])[: len(x)]


def bcast(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Bcast`` of each rank's vector in turn, which each rank adds."""
    rows = np.empty((comm.Get_size(), len(x)), x.dtype)
    rows[comm.Get_rank()] = x
    for root, row in enumerate(rows):
        call(comm.Bcast, row, root)
    return added(rows, x)


def reduce(comm: MPI.Comm, x: Vector, call: Call = plainly, root: int | None = None) -> Vector:
    """``MPI_Reduce`` to rank ``root``, by default one that depends on the vector's length, and shown to all."""
    p = comm.Get_size()
    root = len(x) % p if root is None else root
    y = np.empty_like(x) if comm.Get_rank() == root else np.empty(0, x.dtype)
    call(comm.Reduce, x, y if comm.Get_rank() == root else None, MPI.SUM, root)
    return shown(comm, y, [0] * (root + 1) + [len(x)] * (p - root))


def allreduce_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allreduce`` with ``MPI_IN_PLACE``."""
    y = np.array(x)
    call(comm.Allreduce, MPI.IN_PLACE, y)
    return y


def reduce_scatter_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Reduce_scatter`` with ``MPI_IN_PLACE``: the chunk lies where the vector began."""
    at, y = begins(len(x), comm.Get_size()), np.array(x)
    counts = np.diff(at).tolist()
    call(comm.Reduce_scatter, MPI.IN_PLACE, y, counts)
    return shown(comm, y[: counts[comm.Get_rank()]], at)


def reduce_scatter_block_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Reduce_scatter_block`` with ``MPI_IN_PLACE``."""
    p = comm.Get_size()
    size = -(-len(x) // p)
    y = np.concatenate([x, np.zeros(p * size - len(x), x.dtype)])
    call(comm.Reduce_scatter_block, MPI.IN_PLACE, y)
    return shown(comm, y[:size], [c * size for c in range(p + 1)])[: len(x)]


def reduce_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Reduce`` with ``MPI_IN_PLACE`` on the root."""
    p, root, y = comm.Get_size(), len(x) % comm.Get_size(), np.array(x)
    here = comm.Get_rank() == root
    call(comm.Reduce, MPI.IN_PLACE if here else y, y if here else None, MPI.SUM, root)
    return shown(comm, y if here else y[:0], [0] * (root + 1) + [len(x)] * (p - root))


def allgatherv_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allgatherv`` with ``MPI_IN_PLACE``, of vectors with zeros behind them; raises as without."""
    n, r = len(x), comm.Get_rank()
    counts = [n + q for q in range(comm.Get_size())]
    everything = np.zeros(sum(counts), x.dtype)
    begin = sum(counts[:r])
    everything[begin : begin + n] = x
    call(comm.Allgatherv, MPI.IN_PLACE, (everything, counts))
    return behind_zeros(everything, counts, x)


def allgather_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Allgather`` with ``MPI_IN_PLACE``."""
    rows = np.empty((comm.Get_size(), len(x)), x.dtype)
    rows[comm.Get_rank()] = x
    call(comm.Allgather, MPI.IN_PLACE, rows)
    return added(rows, x)


def alltoall_in_place(comm: MPI.Comm, x: Vector, call: Call = plainly) -> Vector:
    """``MPI_Alltoall`` with ``MPI_IN_PLACE``."""
    p = comm.Get_size()
    size = -(-len(x) // p)
    rows = np.concatenate([x, np.zeros(p * size - len(x), x.dtype)]).reshape(p, size)
    call(comm.Alltoall, MPI.IN_PLACE, rows)
    return shown(comm, added(rows, rows[0]), [c * size for c in range(p + 1)])[: len(x)]


COLLECTIVES: Mapping[str, Callable[..., Vector]] = {
    function.__name__: function
    for function in (
        allreduce, reduce_scatter, reduce_scatter_block, allgather, allgatherv, alltoall, bcast, reduce,
    )
}  # fmt: skip
IN_PLACE: Mapping[str, Callable[..., Vector]] = {
    "allreduce": allreduce_in_place,
    "reduce_scatter": reduce_scatter_in_place,
    "reduce_scatter_block": reduce_scatter_block_in_place,
    "allgather": allgather_in_place,
    "allgatherv": allgatherv_in_place,
    "alltoall": alltoall_in_place,
    "reduce": reduce_in_place,
}
"""The collectives that MPI has in place, too: all but the broadcast."""
