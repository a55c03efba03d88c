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

from sparring.impl.core.agreement import Messages, agreed_call
from sparring.impl.core.arguments import same_memory
from sparring.impl.core.transport import Vector

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

    Every rank must have the same dtype and length.  With ``validate``, a fault on one rank raises
    InputError on all: one exchange of two integers a rank makes sure of that first, unless ranks
    agreed in an earlier call.  Then ``x`` is as it was, also in place, and another ``out`` may hold
    anything.  Without it each rank's arguments are still checked, but ranks that differ hang or
    compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    return agreed_call(comm, x, out, validate, add_up)


def add_up(messages: Messages, x: Vector, y: Vector) -> None:
    """``y`` becomes the sum over all ranks."""
    p, r = messages.comm.Get_size(), messages.comm.Get_rank()
    folded = r < 2 * beyond(p)
    if folded and r < neighbour(r):
        messages.send(x, neighbour(r))
        messages.receive(y, neighbour(r))
        return
    inside, often = same_memory(x, y), rounds(p)
    sums, here = x, np.empty_like(x) if inside else y  # x must stay until no rank can ask any more
    spare = np.empty_like(x) if inside or often + folded > 1 else y
    if folded and messages.receive(spare, neighbour(r)):
        sums = np.add(spare, x, out=here)
    for i in range(often):
        if messages.exchange(sums, spare, partner(r, i, p)):
            sums = np.add(spare, sums, out=here)
    if not messages.asking:
        np.add(sums, x.dtype.type(0), out=y)  # -0.0 becomes +0.0
    if folded:
        messages.send(y, neighbour(r))
