"""Dense two-shot allreduce on mpi4py [QR]_: direct reduce-scatter, direct allgather.

Every vector is cut into ``p`` blocks; rank ``r`` adds up block ``r``.  All ranks send each other
their copies of each other's blocks at once, then each sends its finished block to all others.

All messages of a step are sent without blocking, before any is waited for.  Blocks are added in the
order of their ranks, each at one rank only, so all ranks hold the same bits.  Zeros of a result are
+0.0, never -0.0.

.. [QR] ``AllReduceTwoshot`` in vllm-project/vllm, which is at csrc/quickreduce/quick_reduce_impl.cuh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened
from sparring.impl.core.transport import Vector, finish

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def above(r: int, d: int, p: int) -> int:
    """The rank ``d`` further, to which rank ``r`` sends."""
    return (r + d) % p


def below(r: int, d: int, p: int) -> int:
    """The rank ``d`` before, from which rank ``r`` receives."""
    return (r - d) % p


def cut(c: int, n: int, p: int) -> int:
    """Where block ``c`` of ``n`` entries begins; it ends where block ``c + 1`` begins."""
    return c * n // p


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length, also shorter
    than there are ranks; integers wrap around.  ``out``: where the result goes, ``x`` itself
    included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.
    Beside it a rank needs room for ``p - 1`` blocks.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all.  It costs a
    few microseconds; without it each rank's arguments are still checked, but ranks that differ
    hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    blocks = [slice(cut(c, x.size, p), cut(c + 1, x.size, p)) for c in range(p)]
    copies = {below(r, d, p): np.empty_like(x[blocks[r]]) for d in range(1, p)}
    shot(own, {above(r, d, p): x[blocks[above(r, d, p)]] for d in range(1, p)}, copies)
    total = summed([copies.get(q, x[blocks[r]]) for q in range(p)], r)
    np.add(total, x.dtype.type(0), out=y[blocks[r]])  # -0.0 becomes +0.0
    shot(own, {above(r, d, p): y[blocks[r]] for d in range(1, p)}, {s: y[blocks[s]] for s in copies})
    return y


def shot(comm: Intracomm, outgoing: dict[int, Vector], incoming: dict[int, Vector]) -> None:
    """Send to each rank what is for it, and fill what comes from each, all at once."""
    receives = [comm.Irecv(block, source) for source, block in incoming.items()]
    finish([*receives, *(comm.Isend(block, to) for to, block in outgoing.items())])


def summed(parts: Sequence[Vector], own: int) -> Vector:
    """Their sum in this order, formed in the memory of any but ``parts[own]``, or that part if it is alone."""
    total, rest = parts[0], list(enumerate(parts))[1:]
    for i, part in rest:
        into = part if i == 1 and own == 0 else total
        np.add(total, part, out=into)
        total = into
    return total
