"""Dense ring allreduce on mpi4py [PY09]_.

Every vector is cut into ``p`` blocks.  On the first lap block ``c`` starts at rank ``c`` and each
rank that it visits adds its own entries; on the second lap the finished blocks go round once more.
Rank ``r`` sends one message, one block, in each of the ``2 (p - 1)`` hops.

A sum is *received + own* in ring order, so all ranks hold the same bits.  Zeros of a result are
+0.0, never -0.0.

.. [PY09] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for
   clusters of workstations", J. Parallel Distrib. Comput. 69(2), 2009.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened, same_memory
from sparring.impl.core.transport import Vector, exchange

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def right(r: int, p: int) -> int:
    """To whom rank ``r`` sends."""
    return (r + 1) % p


def left(r: int, p: int) -> int:
    """From whom rank ``r`` receives."""
    return (r - 1) % p


def given(r: int, i: int, p: int) -> int:
    """The block that rank ``r`` sends in hop ``i`` of the first lap."""
    return (r - i) % p


def passed(r: int, i: int, p: int) -> int:
    """The block that rank ``r`` sends in hop ``i`` of the second lap."""
    return (r + 1 - i) % p


def cut(c: int, n: int, p: int) -> int:
    """Where block ``c`` of ``n`` entries begins; it ends where block ``c + 1`` begins."""
    return c * n // p


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
    reduce_scatter(own, x, y)
    allgather(own, y)
    return y


def reduce_scatter(comm: Intracomm, x: Vector, y: Vector) -> None:
    """The first lap: block ``passed(r, 0, p)`` of rank ``r``'s ``y`` becomes the sum over all ranks."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    spare = np.empty_like(x[: n // p + 1]) if same_memory(x, y) else None
    sums = x
    for i in range(p - 1):
        here = block(given(left(r, p), i, p), n, p)
        inbox = y[here] if spare is None else spare[: here.stop - here.start]
        exchange(comm, sums[block(given(r, i, p), n, p)], right(r, p), inbox, left(r, p))
        np.add(inbox, x[here], out=y[here])
        sums = y
    done = block(passed(r, 0, p), n, p)
    np.add(sums[done], x.dtype.type(0), out=y[done])  # -0.0 becomes +0.0


def allgather(comm: Intracomm, y: Vector) -> None:
    """The second lap: each rank passes on the finished blocks, beginning with its own."""
    p, r, n = comm.Get_size(), comm.Get_rank(), y.size
    for i in range(p - 1):
        there, here = block(passed(r, i, p), n, p), block(passed(left(r, p), i, p), n, p)
        exchange(comm, y[there], right(r, p), y[here], left(r, p))


def block(c: int, n: int, p: int) -> slice:
    """Where block ``c`` lies."""
    return slice(cut(c, n, p), cut(c + 1, n, p))
