"""Dense allreduce along double binary trees on mpi4py [SST09]_: each tree reduces and broadcasts one half.

The first tree has the ranks in order: a number ``v`` whose lowest bit that is 1 is worth ``d`` has its parent ``d``
away, and its children half as far.  The second tree is the first with ranks numbered from rank 1 on: its leaves are
inside the first one.  Both roots get the sum of a half, which then goes down the same ways.

A rank posts its receives from children without blocking; what has come is added in the order of ranks.  All ranks hold
the same bits.  Zeros of a result are +0.0, never -0.0.

.. [SST09] P. Sanders, J. Speck and J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and
   scan", Parallel Computing 35(12), 2009; as ``ncclGetDtree`` in NVIDIA/nccl, src/graph/trees.cc, for odd ``p``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.arguments import opened
from sparring.impl.core.transport import Vector, finish

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def rounds(p: int) -> int:
    """How many levels the trees have below their roots."""
    return (2 * p - 1).bit_length() - 1


def multiple(v: int, i: int) -> bool:
    """Whether number ``v`` is a multiple of ``2^i``: it is on level ``i`` or above."""
    return (v >> i) << i == v


def number(r: int, half: int, p: int) -> int:
    """The number that rank ``r`` has in the tree of a half."""
    return (r + p - half) % p


def ranked(v: int, half: int, p: int) -> int:
    """The rank of number ``v``."""
    return (v + half) % p


def before(v: int, i: int) -> int:
    """The number ``2^i`` less."""
    return v - (1 << i)


def after(v: int, i: int) -> int:
    """The number ``2^i`` more."""
    return v + (1 << i)


def rising(v: int, i: int, p: int) -> bool:
    """Whether a number of level ``i`` has the greater parent: that is on the next level, and exists."""
    return multiple(before(v, i), i + 2) and after(v, i) < p


def lesser(v: int, i: int) -> bool:
    """Whether number ``v`` has a lesser child on level ``i``: it is itself on the next one."""
    return multiple(v, i + 1) and not multiple(v, i + 2)


def greater(v: int, i: int, p: int) -> bool:
    """Whether number ``v`` has a greater child on level ``i``."""
    return multiple(v, i + 1) and after(v, i) < p and (not multiple(v, i + 2) or after(v, i + 1) >= p)


def allreduce(comm: Intracomm, x: Vector, /, *, out: Vector | None = None, validate: bool = True) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap
    around.  ``out``: where the result goes, ``x`` itself included; by default a new array of ``x``'s
    class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype and length.  With ``validate``, one exchange of two integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all.  It costs a few
    microseconds; without it each rank's arguments are still checked, but ranks that differ hang or
    compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, y = opened(comm, x, out, validate)
    np.add(x, x.dtype.type(0), out=y)  # -0.0 becomes +0.0
    halves = y[: y.size // 2], y[y.size // 2 :]
    levels = range(rounds(own.Get_size()))
    for i in levels:
        up(own, halves, i)
    for i in reversed(levels):
        down(own, halves, i)
    return y


def parent(comm: Intracomm, half: int, i: int) -> int | None:
    """This rank's parent in the tree of a half, if it is on level ``i`` there."""
    p = comm.Get_size()
    v = number(comm.Get_rank(), half, p)
    if not multiple(v, i) or multiple(v, i + 1):
        return None
    return ranked(after(v, i) if rising(v, i, p) else before(v, i), half, p)


def children(comm: Intracomm, half: int, i: int) -> list[int]:
    """Its children there on level ``i``."""
    p = comm.Get_size()
    v = number(comm.Get_rank(), half, p)
    found = [before(v, i)] * lesser(v, i) + [after(v, i)] * greater(v, i, p)
    return [ranked(u, half, p) for u in found]


def up(comm: Intracomm, halves: tuple[Vector, Vector], i: int) -> None:
    """Level ``i`` sends its sums to parents, which add them."""
    come: list[Mapping[int, Vector]] = []
    requests = []
    for half, y in enumerate(halves):
        come.append({child: np.empty_like(y) for child in children(comm, half, i)})
        requests += [comm.Irecv(box, child) for child, box in come[half].items()]
    for half, y in enumerate(halves):
        if (to := parent(comm, half, i)) is not None:
            requests.append(comm.Isend(y, to))
    finish(requests)
    for y, boxes in zip(halves, come):
        add(y, {**boxes, comm.Get_rank(): y} if boxes else {})


def add(y: Vector, parts: Mapping[int, Vector]) -> None:
    """Put the sum of all parts, in the order of ranks, into ``y``, which is one of them."""
    ordered = [part for _, part in sorted(parts.items())]
    total = ordered[0] + ordered[1] if ordered else y
    for part in ordered[2:]:
        np.add(total, part, out=total)
    y[:] = total


def down(comm: Intracomm, halves: tuple[Vector, Vector], i: int) -> None:
    """Level ``i`` gets the sums from its parents."""
    requests = []
    for half, y in enumerate(halves):
        if (source := parent(comm, half, i)) is not None:
            requests.append(comm.Irecv(y, source))
        requests += [comm.Isend(y, child) for child in children(comm, half, i)]
    finish(requests)
