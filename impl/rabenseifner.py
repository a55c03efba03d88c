"""Dense allreduce by reduce-scatter and allgather, Rabenseifner's algorithm, on mpi4py [TRG05]_.

In round ``i`` the ranks whose numbers differ in bit ``i`` halve what they have of the vector: each
sends the other's half and adds what it receives to its own.  In the end every rank has one piece of
the sum.  The same rounds backwards, in which each sends what it has finished, show it to all.

Where ``p`` is no power of two, each even rank among the first ``2 beyond`` gives its vector to the
next one, which numbers the two as one, and has the sum from it in the end.

A sum is *received + own*, and each piece is summed by one rank, so all ranks hold the same bits.
Zeros of a result are +0.0, never -0.0.

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened, same_memory
from sparring.impl.core.transport import Vector, exchange
from sparring.impl.recursive_doubling import beyond, flipped, halved, lowered, neighbour, partner, rounds

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def pieces(p: int) -> int:
    """Into how many pieces a vector is cut: the largest power of two in ``p``."""
    return 1 << rounds(p)


def cut(c: int, n: int, m: int) -> int:
    """Where piece ``c`` of the ``m`` of ``n`` entries begins; it ends where piece ``c + 1`` begins."""
    return c * n // m


def half(i: int, p: int) -> int:
    """How many pieces a rank keeps in round ``i``."""
    return 1 << (rounds(p) - 1 - i)


def low(v: int, i: int) -> bool:
    """Whether number ``v`` keeps the lower half in round ``i``."""
    return v < flipped(v, i)


def above(first: int, i: int, p: int) -> int:
    """Where the upper half begins, in round ``i``, of what begins at ``first``."""
    return first + half(i, p)


def below(first: int, i: int, p: int) -> int:
    """Where that begins of which the upper half, in round ``i``, begins at ``first``."""
    return first - half(i, p)


def number(r: int, p: int) -> int:
    """The number of a rank that exchanges."""
    return halved(r) if r < 2 * beyond(p) else lowered(r, p)


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length, also shorter
    than there are ranks; integers wrap around.  ``out``: where the result goes, ``x`` itself
    included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all.  It costs a
    few microseconds; without it each rank's arguments are still checked, but ranks that differ
    hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    add_up(own, x, y)
    return y


def add_up(comm: Intracomm, x: Vector, y: Vector) -> None:
    """``y`` becomes the sum over all ranks."""
    p, r = comm.Get_size(), comm.Get_rank()
    folded = r < 2 * beyond(p)
    if folded and r < neighbour(r):
        comm.Send(x, neighbour(r))
        comm.Recv(y, neighbour(r))
        return
    if folded:
        x = joined(comm, x, y)
    allgather(comm, y, reduce_scatter(comm, x, y))
    if folded:
        comm.Send(y, neighbour(r))


def joined(comm: Intracomm, x: Vector, y: Vector) -> Vector:
    """``y``, once it is the sum of the neighbour's vector and ``x``."""
    inbox = np.empty_like(x) if same_memory(x, y) else y
    comm.Recv(inbox, neighbour(comm.Get_rank()))
    return np.add(inbox, x, out=y)


def reduce_scatter(comm: Intracomm, x: Vector, y: Vector) -> int:
    """One piece of ``y`` becomes the sum over all ranks that exchange; which one is returned."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    spare = np.empty_like(x[n // 2 :]) if same_memory(x, y) or n == 1 else None
    sums, first, v = x, 0, number(r, p)
    for i in range(rounds(p)):
        other = above(first, i, p)
        if not low(v, i):
            first, other = other, first
        here, there = block(first, i, n, p), block(other, i, n, p)
        inbox = y[here] if spare is None else spare[: here.stop - here.start]
        exchange(comm, sums[there], partner(r, i, p), inbox, partner(r, i, p))
        np.add(inbox, sums[here], out=y[here])
        spare = y[there] if spare is None else spare  # what is given away is free for the next rounds
        sums = y
    done = slice(cut(first, n, pieces(p)), cut(first + 1, n, pieces(p)))
    np.add(sums[done], x.dtype.type(0), out=y[done])  # -0.0 becomes +0.0
    return first


def allgather(comm: Intracomm, y: Vector, first: int) -> None:
    """All of ``y`` becomes the sum, of which each rank that exchanges has the piece ``first`` of its own."""
    p, r, n = comm.Get_size(), comm.Get_rank(), y.size
    v = number(r, p)
    for i in reversed(range(rounds(p))):
        other = above(first, i, p) if low(v, i) else below(first, i, p)
        here, there = block(other, i, n, p), block(first, i, n, p)
        exchange(comm, y[there], partner(r, i, p), y[here], partner(r, i, p))
        first = min(first, other)


def block(first: int, i: int, n: int, p: int) -> slice:
    """Where the half of round ``i`` lies that begins with piece ``first``."""
    return slice(cut(first, n, pieces(p)), cut(first + half(i, p), n, pieces(p)))
