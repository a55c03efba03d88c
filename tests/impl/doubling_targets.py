"""What the tests of recursive doubling run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import recursive_doubling
from sparring.impl.recursive_doubling import beyond, neighbour, partner, rounds


def three_ways(comm: Any, x: Any) -> Any:
    """The sum, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = recursive_doubling.allreduce(comm, x)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert recursive_doubling.allreduce(comm, x, out=given) is given
    own = x.copy()
    assert recursive_doubling.allreduce(comm, own, out=own, validate=False) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def allreduce(comm: Any, x: Any, fold: Any, partner: Any, unfold: Any) -> Any:
    """The algorithm once more, with parts to be planted."""
    p, r, y, spare = comm.Get_size(), comm.Get_rank(), x.copy(), np.empty_like(x)
    folded = r < 2 * beyond(p)
    if folded:
        fold(comm, y, spare, r)
    if not (folded and r % 2 == 0):
        for i in range(rounds(p)):
            other = partner(r, i, p)
            comm.Sendrecv(y, other, 0, spare, other, 0)
            np.add(spare, y, out=y)
        np.add(y, x.dtype.type(0), out=y)
    if folded:
        unfold(comm, y, r)
    return y


def give(comm: Any, y: Any, spare: Any, r: int) -> None:
    if r % 2 == 0:
        comm.Send(y, neighbour(r))
    else:
        comm.Recv(spare, neighbour(r))
        np.add(spare, y, out=y)


def give_back(comm: Any, y: Any, r: int) -> None:
    if r % 2:
        comm.Send(y, neighbour(r))
    else:
        comm.Recv(y, neighbour(r))


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x, give, partner, give_back)


def no_unfold(comm: Any, x: Any) -> Any:
    return allreduce(comm, x, give, partner, lambda *_: None)


def fold_overwrites(comm: Any, x: Any) -> Any:
    def overwriting(comm: Any, y: Any, spare: Any, r: int) -> None:
        give(comm, y, spare, r)
        if r % 2:
            y[...] = spare

    return allreduce(comm, x, overwriting, partner, give_back)


def wrong_mask(comm: Any, x: Any) -> Any:
    return allreduce(comm, x, give, lambda r, i, p: partner(r, 0, p), give_back)


def falling_masks(comm: Any, x: Any) -> Any:
    """The right sum in another order of addition."""
    return allreduce(comm, x, give, lambda r, i, p: partner(r, rounds(p) - 1 - i, p), give_back)
