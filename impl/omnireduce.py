"""OmniReduce on mpi4py: allreduce that sends only blocks with something in them [FH21]_.

Every vector is cut into ``p`` parts; rank ``r`` adds up part ``r``.  All ranks send each other those blocks of each
other's parts that are not all zero, and each adds up what it reads, its own included, in the order of the ranks.  Then
it sends those blocks of its sum that are not all zero to all others.  What a message holds is told in
:mod:`sparring.impl.codecs.nonzero_blocks`.

The paper's workers stream blocks to aggregators, each with the place of its next one; here a rank sends all blocks of a
part in one message.  All ranks hold the same bits, and zeros of a result are +0.0.

.. [FH21] J. Fei, C.-Y. Ho, A. N. Sahu, M. Canini and A. Sapio, "Efficient sparse collective communication and its
   application to accelerate distributed deep learning", SIGCOMM 2021, doi:10.1145/3452296.3472904.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs.nonzero_blocks import decode, encode, room
from sparring.impl.core.alltoall import begin, exchanged
from sparring.impl.core.arguments import opened
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = 1 << 32
"""A block has at most so many entries."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, block: int = 256, out: Vector | None = None, validate: bool = True
) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length, also shorter than there are
    ranks; integers wrap around.  ``block``: how many entries are sent together, or not at all.  ``out``: where the
    result goes, ``x`` itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as
    it is.  Beside it a rank needs room for two messages of each part.

    Raises InputError for other vectors and parameters.  Every rank must have the same dtype, length and ``block``.
    With ``validate``, two exchanges of a few integers a rank make sure of that first, and a fault on one rank raises
    InputError on all; without it each rank's arguments are still checked, but ranks that differ hang or compute
    nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    settle(private(comm), {"block": (block, 1)}, validate)
    if block > MOST:
        raise InputError(f"block = {block}: it must be at most {MOST}")
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    parts = [slice(begin(c, x.size, p), begin(c + 1, x.size, p)) for c in range(p)]
    mine = reduce(np.add, shown(own, [x[part] for part in parts], [x[parts[r]]] * p, block))
    for part, sums in zip(parts, shown(own, [mine] * p, [x[part] for part in parts], block)):
        y[part] = sums
    return y


def shown(comm: Intracomm, given: list[Vector], like: list[Vector], block: int) -> list[Vector]:
    """By rank, what is read of its message, which is as long as in ``like``; rank ``q`` is sent ``given[q]``."""
    messages = {id(one): encode(one, block) for one in given}
    going = [messages[id(one)] for one in given]
    r = comm.Get_rank()
    coming = [going[r] if q == r else np.empty(room(x.size, block, x.itemsize), np.uint8) for q, x in enumerate(like)]
    return [decode(coming[q], like[q], block) for q in exchanged(comm, going, coming)]
