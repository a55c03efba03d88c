"""What the tests of reduce-scatter and allgather run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import rabenseifner
from sparring.impl.rabenseifner import above, below, block, cut, low, number, pieces
from sparring.impl.recursive_doubling import beyond, neighbour, partner, rounds


def three_ways(comm: Any, x: Any) -> Any:
    """The sum, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = rabenseifner.allreduce(comm, x)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert rabenseifner.allreduce(comm, x, out=given) is given
    own = x.copy()
    assert rabenseifner.allreduce(comm, own, out=own, validate=False) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def allreduce(comm: Any, x: Any, low: Any = low, shown: Any = None, fold: bool = True, backwards: bool = True) -> Any:
    """The algorithm once more, with parts to be planted."""
    p, r, n, y, spare = comm.Get_size(), comm.Get_rank(), x.size, x.copy(), np.empty_like(x)
    folded = fold and r < 2 * beyond(p)
    if r < 2 * beyond(p) and r % 2 == 0:
        if folded:
            comm.Send(y, neighbour(r))
        comm.Recv(y, neighbour(r))
        return y
    if folded:
        comm.Recv(spare, neighbour(r))
        np.add(spare, y, out=y)
    first, v = 0, number(r, p)
    for i in range(rounds(p)):
        other = above(first, i, p)
        if not low(v, i):
            first, other = other, first
        here, there, peer = block(first, i, n, p), block(other, i, n, p), partner(r, i, p)
        comm.Sendrecv(y[there], peer, 0, spare[here], peer, 0)
        np.add(spare[here], y[here], out=y[here])
    done = slice(cut(first, n, pieces(p)), cut(first + 1, n, pieces(p)))
    np.add(y[done], x.dtype.type(0), out=y[done])
    for i in reversed(range(rounds(p))):
        other = above(first, i, p) if low(v, i) else below(first, i, p)
        here, there, peer = block(other, i, n, p), block(first, i, n, p), partner(r, i, p)
        comm.Sendrecv(y[shown(first, other, i, n, p) if shown else there].copy(), peer, 0, y[here], peer, 0)
        first = min(first, other)
    if r < 2 * beyond(p):
        comm.Send(y, neighbour(r))
    return y


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def wrong_half(comm: Any, x: Any) -> Any:
    """From the second round on every number keeps the half that its neighbour should."""
    return allreduce(comm, x, low=lambda v, i: low(v, 0))


def wrong_block(comm: Any, x: Any) -> Any:
    """In the allgather, the half that the rank lacks."""
    return allreduce(comm, x, shown=lambda first, other, i, n, p: block(other, i, n, p))


def no_fold(comm: Any, x: Any) -> Any:
    """The ranks beyond a power of two are forgotten, and then given the result."""
    return allreduce(comm, x, fold=False)


def other_halves(comm: Any, x: Any) -> Any:
    """The right sum by other messages: the lower number keeps the upper half."""
    p, r, n, y, spare = comm.Get_size(), comm.Get_rank(), x.size, x.copy(), np.empty_like(x)
    first, v = 0, number(r, p)
    for i in range(rounds(p)):
        other = above(first, i, p)
        if low(v, i):
            first, other = other, first
        here, there, peer = block(first, i, n, p), block(other, i, n, p), partner(r, i, p)
        comm.Sendrecv(y[there], peer, 0, spare[here], peer, 0)
        np.add(spare[here], y[here], out=y[here])
    for i in reversed(range(rounds(p))):
        other = below(first, i, p) if low(v, i) else above(first, i, p)
        here, there, peer = block(other, i, n, p), block(first, i, n, p), partner(r, i, p)
        comm.Sendrecv(y[there], peer, 0, y[here], peer, 0)
        first = min(first, other)
    return np.add(y, x.dtype.type(0))
