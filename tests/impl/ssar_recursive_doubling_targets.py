"""What the tests of the sparse recursive doubling run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring import Sparse
from sparring.impl.core.chunks import cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.recursive_doubling import beyond, neighbour, partner, rounds
from sparring.impl.ssar_recursive_doubling import buffer, come, encode


def allreduce(comm: Any, x: Any, order: Any = lambda i, p: i, shown: Any = lambda total: total) -> Any:
    """The algorithm once more, with parts to be planted."""
    p, r = comm.Get_size(), comm.Get_rank()
    total = settled(cut(x, [0, x.n])[0])
    box, folded, last = np.empty_like(buffer(total, x.n)), r < 2 * beyond(p), r % 2 == 1

    def told(chunk: Any) -> Any:
        out = buffer(chunk, x.n)
        return out[: encode(chunk, out)]

    if folded and not last:
        comm.Send(told(total), neighbour(r))
        total = come(comm, box, neighbour(r), total)
    else:
        if folded:
            total = add(come(comm, box, neighbour(r), total), total)
        for i in range(rounds(p)):
            other, theirs = partner(r, order(i, p), p), buffer(total, x.n)
            sending = comm.Isend(told(total), other)
            total = add(come(comm, theirs, other, total), total)
            sending.Wait()
        total = shown(total)
        if folded:
            comm.Send(told(total), neighbour(r))
    support, values = joined([total], x.indices.dtype)
    return Sparse.made(support, np.add(values, x.dtype.type(0)), x.n)


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def falling_bits(comm: Any, x: Any) -> Any:
    """The right sum in another order of addition."""
    return allreduce(comm, x, order=lambda i, p: rounds(p) - 1 - i)


def one_bit(comm: Any, x: Any) -> Any:
    """Exchanges with the same rank in every round."""
    return allreduce(comm, x, order=lambda i, p: 0)


def without_zeros(comm: Any, x: Any) -> Any:
    """Drops what cancels, as codes do that look for non-zeros in the sum."""

    def shown(total: Any) -> Any:
        kept = np.flatnonzero(total.values)
        held = np.arange(total.length) if total.positions is None else total.positions
        return type(total)(held[kept], total.values[kept], total.length)

    return allreduce(comm, x, shown=shown)
