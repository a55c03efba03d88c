"""Dense allreduce by parallel aggregated trees, PAT, on mpi4py [J25]_.

Every vector is cut into ``p`` blocks, and rank ``r`` has the sum of block ``r`` after the reduce-scatter.  In leaps of
1, 2, 4, ... ranks, while there are more, each rank sends its sums of the blocks that are an odd number of leaps behind
it, to the rank one leap behind.  The allgather sends finished blocks the other way, the longest leap first.

A sum is *received + own*, and each block is summed along one tree, so all ranks hold the same bits.  Zeros of a result
are +0.0, never -0.0.

.. [J25] S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", 2025,
   arXiv:2506.20252.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened
from sparring.impl.core.transport import Vector, exchange

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def rounds(p: int) -> int:
    """How often a leap is doubled until it is at least ``p``."""
    return (2 * p - 1).bit_length() - 1


def behind(r: int, leap: int, p: int) -> int:
    """The rank one leap behind rank ``r``."""
    return (r - leap) % p


def ahead(r: int, leap: int, p: int) -> int:
    """The rank one leap ahead of rank ``r``."""
    return (r + leap) % p


def cut(c: int, n: int, p: int) -> int:
    """Where block ``c`` of ``n`` entries begins; it ends where block ``c + 1`` begins."""
    return c * n // p


def odd(r: int, leap: int, p: int) -> list[int]:
    """The blocks that are an odd number of leaps behind rank ``r``, in their order."""
    return sorted(behind(r, distance, p) for distance in range(leap, p, 2 * leap))


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length, also shorter
    than there are ranks; integers wrap around.  ``out``: where the result goes, ``x`` itself
    included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.
    Beside it a rank needs room for two messages, each of about half a vector.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all.  It costs a
    few microseconds; without it each rank's arguments are still checked, but ranks that differ
    hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    np.copyto(y, x)
    p, r = own.Get_size(), own.Get_rank()
    blocks = [y[cut(c, y.size, p) : cut(c + 1, y.size, p)] for c in range(p)]
    for i in range(rounds(p)):
        to, source = behind(r, 1 << i, p), ahead(r, 1 << i, p)
        for block, part in swap(own, blocks, odd(r, 1 << i, p), to, odd(source, 1 << i, p), source):
            np.add(part, block, out=block)
    np.add(blocks[r], y.dtype.type(0), out=blocks[r])  # -0.0 becomes +0.0
    for i in reversed(range(rounds(p))):
        to, source = ahead(r, 1 << i, p), behind(r, 1 << i, p)
        for block, part in swap(own, blocks, odd(to, 1 << i, p), to, odd(r, 1 << i, p), source):
            block[:] = part
    return y


def swap(
    comm: Intracomm, blocks: list[Vector], sent: list[int], to: int, received: list[int], source: int
) -> list[tuple[Vector, Vector]]:
    """Send blocks in one message while others come in one; of each that comes, the rank's own and what came."""
    inbox = np.empty_like(blocks[to], shape=sum(blocks[c].size for c in received))
    exchange(comm, np.concatenate([blocks[c] for c in sent]), to, inbox, source)
    ends = np.cumsum([blocks[c].size for c in received])
    return [(blocks[c], part) for c, part in zip(received, np.split(inbox, ends[:-1]))]
