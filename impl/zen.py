"""ZEN's balanced parallelism on mpi4py: sparse vectors, whose indices a hash deals out among the ranks [WZ25]_.

Indices are put into an order that all ranks draw alike, and cut into ``p`` parts; rank ``r`` adds up what lies at the
indices of part ``r``.  In *push* all ranks send each other the entries of each other's parts that are not zero, with
their places (:mod:`sparring.impl.codecs.nonzero_pairs`), and each adds up what it reads, its own included, in the order
of the ranks.  In *pull* it sends its sums that are not zero to all others, with a bit for each of its indices
(:mod:`sparring.impl.codecs.nonzero_blocks`).

The paper's hash gives each index its owner; that ours gives an order, and parts of one length, is our own.  All ranks
hold the same bits, and zeros of a result are +0.0.

.. [WZ25] Z. Wang, Z. Xu, J. Xi, Y. Wang, A. Shrivastava and T. S. E. Ng, "ZEN: empowering
   distributed training with sparsity-driven data synchronization", OSDI 2025, arXiv:2309.13254.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.codecs import nonzero_blocks, nonzero_pairs
from sparring.impl.core.alltoall import begin, exchanged
from sparring.impl.core.arguments import opened
from sparring.impl.core.counter_rng import permuted
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def allreduce(
    comm: Intracomm, x: Vector, /, *, seed: int = 0, out: Vector | None = None, validate: bool = True
) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length, also shorter than there are
    ranks; integers wrap around.  ``seed``: of the hash.  ``out``: where the result goes, ``x`` itself included; by
    default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.  A part has at most 2^32 entries.

    Raises InputError for other vectors and parameters.  Every rank must have the same dtype, length and ``seed``.
    With ``validate``, two exchanges of a few integers a rank make sure of that first, and a fault on one rank raises
    InputError on all; without it each rank's arguments are still checked, but ranks that differ hang or compute
    nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    settle(private(comm), {"seed": (seed, 0)}, validate)
    own, y = opened(comm, x, out, validate)
    p, order = own.Get_size(), permuted(int(seed), x.size)
    parts = [order[begin(c, x.size, p) : begin(c + 1, x.size, p)] for c in range(p)]
    sums = pulled(own, reduce(np.add, pushed(own, [x[part] for part in parts])), [part.size for part in parts])
    for part, entries in zip(parts, sums):
        y[part] = entries
    return y


def pushed(comm: Intracomm, given: list[Vector]) -> list[Vector]:
    """By rank, what it has at this rank's indices; ``given``: by rank, what this one has at those of that one."""
    r, going = comm.Get_rank(), [nonzero_pairs.encode(one) for one in given]
    most = nonzero_pairs.room(given[r].size, given[r].itemsize)
    coming = [going[r] if q == r else np.empty(most, np.uint8) for q in range(len(given))]
    return [nonzero_pairs.decode(coming[q], given[r]) for q in exchanged(comm, going, coming)]


def pulled(comm: Intracomm, mine: Vector, sizes: list[int]) -> list[Vector]:
    """By rank, its sums, of which ``mine`` are this rank's; ``sizes``: how many each has."""
    r, message = comm.Get_rank(), nonzero_blocks.encode(mine, 1)
    most = [nonzero_blocks.room(size, 1, mine.itemsize) for size in sizes]
    coming = [message if q == r else np.empty(most[q], np.uint8) for q in range(len(sizes))]
    whom = exchanged(comm, [message] * len(sizes), coming)
    return [nonzero_blocks.decode(coming[q], np.empty_like(mine, shape=sizes[q]), 1) for q in whom]
