"""qgZ on mpi4py: the quantised reduce-scatter of ZeRO++, in one hop, and an allgather of the sums [ZPP]_.

Every vector is cut into ``p`` blocks; rank ``r`` adds up block ``r``.  All ranks send each other codes of ``bits`` bits
of their copies of each other's blocks, and a rank adds up what it reads from these, its own codes included, in the
order of ranks.  Then each sends its sum, as it is, to all others.  What a coded message holds is told in
:mod:`sparring.impl.codecs.symmetric_quantiser`.  A rank that is alone keeps its vector.

With four bits and blocks of 128 float32 the first step moves about an eighth of the bytes that a ring's first half
does.

.. [ZPP] G. Wang, H. Qin, S. A. Jacobs, C. Holmes, S. Rajbhandari, O. Ruwase, F. Yan, L. Yang and Y. He, "ZeRO++:
   Extremely efficient collective communication for giant model training", arXiv:2306.10209, 2023.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs.symmetric_quantiser import Quantiser
from sparring.impl.core.alltoall import begin, exchanged
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, private
from sparring.impl.flash import admitted, limited, rooms

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

BITS, LONGEST = (4, 8), 1 << 16
"""A code has so many bits, a block at most so many entries."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, bits: int = 4, g: int = 128, out: Vector | None = None, validate: bool = True
) -> Vector:
    """About the sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32 or float64, of any length, also shorter than there are ranks.
    ``bits``: of a code, 4 or 8; ``g``: entries of a block, at most 65,536.  ``out``: where the result goes, ``x``
    itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Where the ranks' greatest magnitudes in a block add up to ``M``, an entry is off by at most
    ``M / 2**(bits - 1)``, but for rounding.

    Raises InputError for other vectors and parameters.  Every rank must have the same dtype, length and
    parameters.  With ``validate``, two exchanges of a few integers a rank make sure of that first, and a
    fault on one rank raises InputError on all; without it each rank's arguments are still checked, but
    ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    settle(own, {"bits": (bits, min(BITS)), "g": (g, 1)}, validate)
    if bits not in BITS:
        raise InputError(f"bits = {bits}: it must be 4 or 8")
    limited({"g": (g, LONGEST)})
    y = admitted(own, x, out, validate)
    p = own.Get_size()
    if p == 1:
        np.add(x, x.dtype.type(0), out=y)
        return y
    blocks = [slice(begin(c, x.size, p), begin(c + 1, x.size, p)) for c in range(p)]
    shown(own, summed(own, x, blocks, Quantiser(x.dtype, bits=int(bits), g=int(g))), y, blocks)
    return y


def summed(comm: Intracomm, x: Vector, blocks: list[slice], coded: Quantiser) -> Vector:
    """The sum of this rank's block, of what is read from all ranks' codes."""
    p, r = comm.Get_size(), comm.Get_rank()
    coming, going = rooms(p, coded.size(-(-x.size // p)))
    going = [room[: coded.size(x[block].size)] for room, block in zip(going, blocks)]
    coming = [going[r] if q == r else room[: going[r].size] for q, room in enumerate(coming)]
    for room, block in zip(going, blocks):
        coded.encode(x[block], room)
    total, one = np.zeros_like(x[blocks[r]]), np.empty_like(x[blocks[r]])
    for q in exchanged(comm, going, coming):
        coded.decode(coming[q], one)
        np.add(total, one, out=total)
    return total


def shown(comm: Intracomm, mine: Vector, y: Vector, blocks: list[slice]) -> None:
    """Fills each block of ``y`` with its rank's sum, of which ``mine`` is this rank's."""
    p, r = comm.Get_size(), comm.Get_rank()
    sums = [mine if q == r else y[block] for q, block in enumerate(blocks)]
    coming = [one.view(np.uint8) for one in sums]
    for _ in exchanged(comm, [coming[r]] * p, coming):
        pass
    y[blocks[r]] = mine
