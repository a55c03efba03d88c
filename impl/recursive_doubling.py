"""Dense allreduce by recursive doubling on mpi4py [TRG05]_.

In round ``i`` the ranks whose numbers differ in bit ``i`` exchange their whole vectors and add.
Where ``p`` is no power of two, each even rank among the first ``2 beyond`` gives its vector to the
next one, which numbers the two as one, and has the sum from it in the end.

A sum is *received + own*; as addition is commutative, all ranks hold the same bits.  Zeros of a
result are +0.0, never -0.0.

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Perform. Comput. Appl. 19(1), 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened, same_memory
from sparring.impl.core.transport import Vector, exchange

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def rounds(p: int) -> int:
    """How often the ranks exchange: the binary logarithm of ``p``, rounded down."""
    return p.bit_length() - 1


def beyond(p: int) -> int:
    """The ranks beyond the largest power of two in ``p``."""
    return p - (1 << rounds(p))


def neighbour(r: int) -> int:
    """With whom a rank below ``2 beyond`` shares a number."""
    return r ^ 1


def halved(r: int) -> int:
    """The number of a rank below ``2 beyond``."""
    return r // 2


def lowered(r: int, p: int) -> int:
    """The number of any other rank."""
    return r - beyond(p)


def flipped(v: int, i: int) -> int:
    """The number with which ``v`` exchanges in round ``i``."""
    return v ^ (1 << i)


def doubled(v: int) -> int:
    """The rank that exchanges as number ``v`` below ``beyond``."""
    return 2 * v + 1


def raised(v: int, p: int) -> int:
    """The rank with any other number."""
    return v + beyond(p)


def partner(r: int, i: int, p: int) -> int:
    """With whom rank ``r`` exchanges in round ``i``."""
    v = flipped(halved(r) if r < 2 * beyond(p) else lowered(r, p), i)
    return doubled(v) if v < beyond(p) else raised(v, p)


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap
    around.  ``out``: where the result goes, ``x`` itself included; by default a new array of
    ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all.  It costs a
    few microseconds; without it each rank's arguments are still checked, but ranks that differ
    hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    folded = r < 2 * beyond(p)
    if folded and r < neighbour(r):
        own.Send(x, neighbour(r))
        own.Recv(y, neighbour(r))
        return y
    add_up(own, x, y, folded)
    if folded:
        own.Send(y, neighbour(r))
    return y


def add_up(comm: Intracomm, x: Vector, y: Vector, folded: bool) -> None:
    """``y`` becomes the sum over all ranks, ``x`` and, where ``folded``, its neighbour's vector taken as one."""
    p, r = comm.Get_size(), comm.Get_rank()
    spare = np.empty_like(x) if same_memory(x, y) or rounds(p) + folded > 1 else y
    sums = x
    if folded:
        comm.Recv(spare, neighbour(r))
        sums = np.add(spare, x, out=y)
    for i in range(rounds(p)):
        exchange(comm, sums, partner(r, i, p), spare, partner(r, i, p))
        sums = np.add(spare, sums, out=y)
    np.add(sums, x.dtype.type(0), out=y)  # -0.0 becomes +0.0
