"""Hierarchical allreduce on mpi4py: inside nodes, across nodes, inside nodes again [MSU18]_.

Each node has ``m`` ranks, one after the other.  Inside a node each rank adds up one of ``m`` blocks; those with the
same place in their nodes make the sum of their block across all nodes; then the ranks of a node send each other what
they have.  Where ``m`` does not divide the number of ranks, each rank is a node of its own.

Messages go on the communicator of all ranks: levels need none of their own.  Blocks are added in the same order
wherever that is done, so all ranks hold the same bits.  Zeros of a result are +0.0, never -0.0.

.. [MSU18] H. Mikami, H. Suganuma, P. U-chupala, Y. Tanaka and Y. Kageyama, "Massively distributed SGD:
   ImageNet/ResNet-50 training in a flash", 2018, arXiv:1811.05233.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from sparring.impl import ring
from sparring.impl.core.arguments import opened
from sparring.impl.core.lines import Line
from sparring.impl.core.residual_state import place, settle
from sparring.impl.core.transport import Vector, private
from sparring.impl.ring import block
from sparring.impl.two_shot import above, below, shot, summed

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

INSIDE, ACROSS = ("direct", "ring"), ("ring", "two_shot")


def allreduce(
    comm: Intracomm, x: Vector, /, *, m: int = 2, inside: str = "direct", across: str = "ring",
    out: Vector | None = None, validate: bool = True,
) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap around.  ``m``: the
    ranks of a node, at least 1.  ``inside``: how those of a node send, ``"direct"`` to each other or in a ``"ring"``;
    ``across``: how nodes do, in a ``"ring"`` or in ``"two_shot"``s to each other.  ``out``: where the result goes,
    ``x`` itself included; by default a new array of ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype, length and parameters.  With ``validate``, two exchanges of a few integers
    a rank make sure of that first, and a fault on one rank raises InputError on all; without it each rank's arguments
    are still checked, but ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    words = {"inside": (inside, INSIDE), "across": (across, ACROSS)}
    odd = [f"{name} = {word!r}: it must be one of {', '.join(known)}"
           for name, (word, known) in words.items() if word not in known]
    numbers = {name: place(*one) for name, one in words.items()}
    settle(private(comm), {"m": (m, 1), **numbers}, validate, next(iter(odd), ""))
    own, y = opened(comm, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    m = int(m) if p % m == 0 else 1
    near, far = levels(m, p // m)
    node, rail = line(own, *near, turn=1 if inside == "ring" else 0), line(own, *far)
    laps, steps = (ring.reduce_scatter, ring.allgather), (scattered, gathered)
    scatter, gather = laps if inside == "ring" else steps
    summed_up, shown = laps if across == "ring" else steps
    scatter(node, x, y)
    mine = y[block(r % m, y.size, m)]
    summed_up(rail, mine, mine)
    shown(rail, mine)
    gather(node, y)
    return y


def levels(m: int, nodes: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Of a node, and of those with one place in their nodes, how far apart ranks are and how many there are."""
    return (1, m), (m, nodes)


def line(comm: Intracomm, stride: int, size: int, turn: int = 0) -> Intracomm:
    """A line as a communicator: of these no more is asked here than that they send and receive."""
    return cast("Intracomm", Line(comm, stride, size, turn))


def scattered(comm: Intracomm, x: Vector, y: Vector) -> None:
    """Block ``r`` of rank ``r``'s ``y`` becomes the sum over all ranks' ``x``, in their order."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    mine = block(r, n, p)
    copies = {below(r, d, p): np.empty_like(x[mine]) for d in range(1, p)}
    shot(comm, {q: x[block(q, n, p)] for q in (above(r, d, p) for d in range(1, p))}, copies)
    np.add(summed([copies.get(q, x[mine]) for q in range(p)], r), x.dtype.type(0), out=y[mine])


def gathered(comm: Intracomm, y: Vector) -> None:
    """All ranks send all others their own blocks."""
    p, r, n = comm.Get_size(), comm.Get_rank(), y.size
    ranks = [(above(r, d, p), below(r, d, p)) for d in range(1, p)]
    shot(comm, {to: y[block(r, n, p)] for to, _ in ranks}, {q: y[block(q, n, p)] for _, q in ranks})
