"""Dense allreduce by Swing on mpi4py [DBS24]_: few steps, with partners nearby on a ring.

In round ``i`` even numbers exchange their whole vectors with those ``1, -1, 3, -5, 11, ...`` further on and odd ones
with those as far back, around, and add.  Where ``p`` is no power of two, each even rank among the first ``2 beyond``
gives its vector to the next one, which numbers the two as one, and has the sum from it in the end.

Ranks add in different orders: from eight of them on the bits of rounded sums may differ from rank to rank.
Zeros of a result are +0.0, never -0.0.

.. [DBS24] D. De Sensi, T. Bonato, D. Saam and T. Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce",
   NSDI 2024, arXiv:2401.09356.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened
from sparring.impl.core.transport import Vector, exchange
from sparring.impl.rabenseifner import joined, number
from sparring.impl.recursive_doubling import beyond, doubled, neighbour, raised, rounds

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def reach(i: int) -> int:
    """How far apart partners are in round ``i``."""
    return ((1 << (i + 1)) + 1) // 3


def ahead(v: int, i: int) -> int:
    """The number with which ``v`` exchanges in round ``i`` if both are even or both odd, before the ring is closed."""
    return v + reach(i)


def back(v: int, i: int) -> int:
    """The same if one is odd alone."""
    return v - reach(i)


def partner(r: int, i: int, p: int) -> int:
    """With whom rank ``r`` exchanges in round ``i``."""
    v = number(r, p)
    v = (ahead(v, i) if v % 2 == i % 2 else back(v, i)) % (1 << rounds(p))
    return doubled(v) if v < beyond(p) else raised(v, p)


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``; floating-point sums may differ from rank to rank by rounding.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap around.  ``out``: where
    the result goes, ``x`` itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays
    as it is.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers a rank makes sure
    of that first, and a fault on one rank raises InputError on all; without it each rank's arguments are still checked,
    but ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    folded = r < 2 * beyond(p)
    if folded and r < neighbour(r):
        own.Send(x, neighbour(r))
        own.Recv(y, neighbour(r))
        return y
    sums = joined(own, x, y) if folded else x
    for i in range(rounds(p)):
        part = np.empty_like(x)
        exchange(own, sums, partner(r, i, p), part, partner(r, i, p))
        sums = np.add(part, sums)
    np.add(sums, x.dtype.type(0), out=y)  # -0.0 becomes +0.0
    if folded:
        own.Send(y, neighbour(r))
    return y
