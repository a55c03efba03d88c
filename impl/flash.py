"""Flash Communication on mpi4py: dense allreduce of coded vectors, in two steps [FC]_.

Every vector is cut into ``p`` blocks; rank ``r`` adds up block ``r``.  All ranks send each other codes of
``b1`` bits of their copies of each other's blocks, and a rank adds up what it reads from these, its own
codes included, in the order of ranks.  Then each sends codes of ``b2`` bits of its sum to all others, and
takes what is read from them itself, so that all ranks hold the same bits.  What a message holds, and what
NaN and infinities do, is told in :mod:`sparring.impl.codecs.group_quantiser`.

A block for one rank is under way while that for the next is coded.  The sum is formed and coded piece
by piece, and never lies in memory as a whole.  A rank that is alone keeps its vector.

A rank sends ``p - 1`` messages in each step, with eight bits and groups of 128 float32 about a quarter of
the bytes that a ring sends.

.. [FC] Q. Li, B. Zhang, L. Ye, Y. Zhang, W. Wu, Y. Sun, L. Ma and Y. Xie, "Flash Communication",
   arXiv:2412.04964, 2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparring.errors import InputError
from sparring.impl.codecs.group_quantiser import Quantiser
from sparring.impl.core.arguments import alike, result
from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector, finish, private
from sparring.impl.core.wire import Bytes

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm, Request

BITS, GROUP = 8, 1 << 32
"""A code has at most so many bits, a group at most so many entries."""
ALIGNED = 64
"""A message begins with a multiple of so many bytes."""


def above(r: int, d: int, p: int) -> int:
    """The rank ``d`` further, to which rank ``r`` sends."""
    return (r + d) % p


def below(r: int, d: int, p: int) -> int:
    """The rank ``d`` before, from which rank ``r`` receives."""
    return (r - d) % p


def cut(c: int, n: int, p: int) -> int:
    """Where block ``c`` of ``n`` entries begins; it ends where block ``c + 1`` begins."""
    return c * n // p


def allreduce(
    comm: Intracomm, x: Vector, /, *, b1: int = 8, b2: int = 8, g: int = 128, spikes: int = 0,
    out: Vector | None = None, validate: bool = True,
) -> Vector:
    """About the sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32 or float64, of any length, also shorter than there are ranks.
    ``b1``, ``b2``: bits of a code in the first and in the second step, 1 to 8; ``g``: entries of a group;
    ``spikes``: 1 where the least and the greatest entry of each group are sent as they are, else 0.
    ``out``: where the result goes, ``x`` itself included; by default a new array of ``x``'s class.
    Unless it is ``out``, ``x`` stays as it is.  Beside it a rank needs room for all coded blocks, twice.

    Where the ranks' entries of a group have ranges that add up to ``R``, an entry is off by at most
    ``R / 2 * (1 / (2**b1 - 1) + 1 / (2**b2 - 1))``, but for rounding.

    Raises InputError for other vectors and parameters.  Every rank must have the same dtype, length and
    parameters.  With ``validate``, two exchanges of a few integers a rank make sure of that first, and a
    fault on one rank raises InputError on all; without it each rank's arguments are still checked, but
    ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    settle(own, {"b1": (b1, 1), "b2": (b2, 1), "g": (g, 1), "spikes": (spikes, 0)}, validate)
    limited({"b1": (b1, BITS), "b2": (b2, BITS), "g": (g, GROUP), "spikes": (spikes, 1)})
    y = admitted(own, x, out, validate)
    p, r = own.Get_size(), own.Get_rank()
    if p == 1:
        np.add(x, x.dtype.type(0), out=y)
        return y
    first, second = (Quantiser(x.dtype, bits=int(b), g=int(g), spikes=bool(spikes)) for b in (b1, b2))
    blocks = [slice(cut(c, x.size, p), cut(c + 1, x.size, p)) for c in range(p)]
    coming, going = rooms(p, max(made.size(-(-x.size // p)) for made in (first, second)))
    copies, waiting = scattered(own, [x[block] for block in blocks], first, coming, going)
    first.encode(x[blocks[r]], copies[r])  # while the others are under way
    mine = going[r][: second.size(x[blocks[r]].size)]
    finish(waiting)
    summed(copies, x[blocks[r]], first, second, mine)
    finish(gathered(own, mine, [y[block] for block in blocks], second, coming))
    return y


def rooms(p: int, size: int) -> tuple[Sequence[Bytes], Sequence[Bytes]]:
    """Room for so many bytes from each rank and for each: one stretch of memory, which is cheaper than many."""
    every = np.empty((2 * p, -(-size // ALIGNED) * ALIGNED), np.uint8)
    return [*every[:p]], [*every[p:]]


def limited(numbers: Mapping[str, tuple[int, int]]) -> None:
    """Raises InputError for a number that is larger than it may be."""
    for name, (value, most) in numbers.items():
        if value > most:
            raise InputError(f"{name} = {value}: it must be at most {most}")


def admitted(comm: Intracomm, x: Vector, out: Vector | None, validate: bool) -> Vector:
    """The array that the result goes to; raises InputError for a vector that no call may have, on all ranks."""
    try:
        y, refusal = result(x, out), None
        if x.dtype.kind != "f":
            refusal = InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which codes are made of")
    except InputError as error:
        y, refusal = x, error
    if validate:
        alike(comm, x, refusal)
    elif refusal:
        raise refusal
    return y


def scattered(
    comm: Intracomm, pieces: list[Vector], made: Quantiser, coming: Sequence[Bytes], going: Sequence[Bytes]
) -> tuple[list[Bytes], list[Request]]:
    """By rank room for the codes of its copy of this rank's block, which are there once all requests are waited for.

    ``pieces``: of this rank's vector, one for each rank; those of its own are still to be made.
    """
    p, r = comm.Get_size(), comm.Get_rank()
    copies = [room[: made.size(pieces[r].size)] for room in coming]
    receiving = [comm.Irecv(copies[below(r, d, p)], below(r, d, p)) for d in range(1, p)]
    sending = []
    for to in (above(r, d, p) for d in range(1, p)):
        message = going[to][: made.size(pieces[to].size)]
        made.encode(pieces[to], message)
        sending.append(comm.Isend(message, to))
    return copies, [*receiving, *sending]


def summed(copies: list[Bytes], like: Vector, read: Quantiser, made: Quantiser, out: Bytes) -> None:
    """Writes codes of the sum of what is read from ``copies``, in this order, of a block such as ``like``."""
    for block in made.blocks(like.size):
        total, one = np.empty_like(like[block]), np.empty_like(like[block])
        read.decode_block(copies[0], total, like.size, block.start)
        for copy in copies[1:]:
            read.decode_block(copy, one, like.size, block.start)
            np.add(total, one, out=total)
        made.encode_block(total, out, like.size, block.start)


def gathered(
    comm: Intracomm, mine: Bytes, pieces: list[Vector], read: Quantiser, coming: Sequence[Bytes]
) -> list[Request]:
    """Fills each of the pieces with what is read from its rank's codes, of which ``mine`` are this rank's.

    The requests of the sends, for the caller to wait for.
    """
    p, r = comm.Get_size(), comm.Get_rank()
    messages = {q: coming[q][: read.size(pieces[q].size)] for q in (below(r, d, p) for d in range(1, p))}
    receiving = {q: comm.Irecv(message, q) for q, message in messages.items()}
    sending = [comm.Isend(mine, above(r, d, p)) for d in range(1, p)]
    for q, message in {r: mine, **messages}.items():
        if q != r:
            receiving[q].Wait()
        read.decode(message, pieces[q])
    return sending
