"""What the tests of Bruck's allgather run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

from sparring.impl.bruck_allgather import after, before, begun, missing, place, rounds
from sparring.impl.core.lists import added, agreed
from sparring.impl.core.pairs import Row
from sparring.impl.core.transport import exchange


def allreduce(
    comm: Any, x: Any, few: Any = min, to: Any = before, source: Any = after, order: Any = place, whole: bool = True
) -> Any:
    """The algorithm once more, round by round, with parts to be planted."""
    mine, counts = agreed(comm, x, None, True)
    p, r = comm.Get_size(), comm.Get_rank()
    row = Row([counts[after(r, i, p)] for i in range(p)], mine.values, mine.n)
    row.put(0, mine)
    row.memory[row.begins[1] :] = 0
    for d in map(begun, range(rounds(p))):
        many = few(d, missing(d, p))
        for i, j in [(0, many)] if whole else [(i, i + 1) for i in range(many)]:
            exchange(comm, row.piece(i, j), to(r, d, p), row.piece(d + i, d + j), source(r, d, p))
    return added([row.entries(order(q, r, p)) for q in range(p)], mine)


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def other_way(comm: Any, x: Any) -> Any:
    """Sends to the ranks after it and so has, in the places of theirs, the lists of those before it."""
    return allreduce(comm, x, to=after, source=before)


def own_first(comm: Any, x: Any) -> Any:
    """Adds the lists in the order in which it has them."""
    return allreduce(comm, x, order=lambda q, r, p: q)


def one_short(comm: Any, x: Any) -> Any:
    """Leaves out one list in the last round."""
    return allreduce(comm, x, few=lambda d, left: min(d, left - (left < d)))


def list_by_list(comm: Any, x: Any) -> Any:
    """The right sum, in as many messages as there are lists."""
    return allreduce(comm, x, whole=False)
