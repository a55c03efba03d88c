"""What the tests of the allgather by recursive doubling run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl.core.lists import added, agreed
from sparring.impl.core.pairs import row_with
from sparring.impl.core.transport import exchange
from sparring.impl.rabenseifner import number
from sparring.impl.recursive_doubling import beyond, flipped, neighbour, partner, rounds
from sparring.impl.recursive_doubling_allgather import first, high, low


def allreduce(
    comm: Any, x: Any, order: Any = range, handed: Any = lambda r, p: p, end: Any = high, whole: bool = True
) -> Any:
    """The algorithm once more, with a row in the order of ranks on all of them, and parts to be planted."""
    mine, counts = agreed(comm, x, None, True)
    p, r = comm.Get_size(), comm.Get_rank()
    row = row_with(counts, mine, r)
    row.memory[: row.begins[r]] = 0
    row.memory[row.begins[r + 1] :] = 0
    folded, idle = r < 2 * beyond(p), r < 2 * beyond(p) and r < neighbour(r)
    if idle:
        comm.Send(row.piece(r, r + 1), neighbour(r))
        back = np.empty(row.begins[-1] - (row.begins[r + 1] - row.begins[r]), np.uint8)
        comm.Recv(back, neighbour(r))
        row.piece(r + 1, p)[:] = back[: row.begins[-1] - row.begins[r + 1]]
        row.piece(0, r)[:] = back[row.begins[-1] - row.begins[r + 1] :]
        return added([row.entries(q) for q in order(p)], mine)
    if folded:
        comm.Recv(row.piece(r - 1, r), neighbour(r))
        row.piece(handed(r - 1, r), r)[:] = 0
    for i in range(rounds(p)):
        v = number(r, p)
        mine_, theirs = ((first(low(x, i), p), first(end(x, i), p)) for x in (v, flipped(v, i)))
        spans = [(mine_, theirs)] if whole else one_by_one(mine_, theirs)
        for outgoing, incoming in spans:
            exchange(comm, row.piece(*outgoing), partner(r, i, p), row.piece(*incoming), partner(r, i, p))
    if folded:
        comm.Send(np.concatenate([row.piece(r, p), row.piece(0, r - 1)]), neighbour(r))
    return added([row.entries(q) for q in order(p)], mine)


def one_by_one(mine: Any, theirs: Any) -> Any:
    """The lists of two spans, one at a time; where ranks fold a span may have more, whose messages have none."""
    for i in range(max(mine[1] - mine[0], theirs[1] - theirs[0])):
        yield tuple((min(low + i, high), min(low + i + 1, high)) for low, high in (mine, theirs))


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def own_first(comm: Any, x: Any) -> Any:
    """Adds the lists from its own on, around."""
    r = comm.Get_rank()
    return allreduce(comm, x, order=lambda p: [*range(r, p), *range(r)])


def neighbour_forgotten(comm: Any, x: Any) -> Any:
    """Who folds loses the list that it was given."""
    return allreduce(comm, x, handed=lambda low, r: low)


def a_number_short(comm: Any, x: Any) -> Any:
    """A message leaves out its last number."""
    return allreduce(comm, x, end=lambda v, i: high(v, i) - 1)


def list_by_list(comm: Any, x: Any) -> Any:
    """The right sum, in as many messages as there are lists."""
    return allreduce(comm, x, whole=False)
