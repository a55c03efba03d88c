"""BlueConnect on mpi4py: rings of reduce-scatter level by level, then rings of allgather level by level back [CFS19]_.

There are ``m`` ranks a node and ``g`` nodes a rack.  On each level those meet who differ in their place there alone,
and cut the block that they have so far.  Where ``m g`` does not divide the number of ranks, all are one level.

Messages go on the communicator of all ranks: levels need none of their own.  Each block is added up by one rank of a
level, so all ranks hold the same bits.  Zeros of a result are +0.0, never -0.0.

.. [CFS19] M. Cho, U. Finkler, M. Serrano, D. Kung and H. Hunter, "BlueConnect: decomposing all-reduce for deep learning
   on heterogeneous network hierarchy", SysML 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sparring.impl import ring
from sparring.impl.core.arguments import opened
from sparring.impl.core.lines import place
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, private
from sparring.impl.hierarchical import line

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

Levels: TypeAlias = "Sequence[tuple[int, int]]"


def allreduce(
    comm: Intracomm, x: Vector, /, *, m: int = 2, g: int = 2, out: Vector | None = None, validate: bool = True
) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap around.  ``m``: the
    ranks of a node; ``g``: the nodes of a rack; each at least 1.  ``out``: where the result goes, ``x`` itself
    included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype, length and parameters.  With ``validate``, two exchanges of a few integers
    a rank make sure of that first, and a fault on one rank raises InputError on all; without it each rank's arguments
    are still checked, but ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    settle(private(comm), {"m": (m, 1), "g": (g, 1)}, validate)
    own, y = opened(comm, x, out, validate)
    m, g, p = int(m), int(g), own.Get_size()
    if p % (m * g):
        ring.reduce_scatter(own, x, y)
        ring.allgather(own, y)
        return y
    np.copyto(y, x)
    add_up(own, y, levels(m, g, p // (m * g)))
    return y


def levels(m: int, g: int, racks: int) -> Levels:
    """Of each level, how far apart ranks are that meet, and how many do."""
    return (1, m), (m, g), (m * g, racks)


def add_up(comm: Intracomm, y: Vector, some: Levels) -> None:
    """``y`` becomes the sum over all ranks that meet on these levels."""
    if not some:
        return
    (stride, size), *others = some
    level = line(comm, stride, size, turn=1)
    ring.reduce_scatter(level, y, y)
    add_up(comm, y[ring.block(place(comm.Get_rank(), stride, size), y.size, size)], others)
    ring.allgather(level, y)
