"""What the tests of Bruck's allgather run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import bruck_allgather
from sparring.impl.bruck_allgather import after, before, begun, missing, place, rounds
from sparring.impl.core.lists import added, agreed
from sparring.impl.core.pairs import Row
from sparring.impl.core.transport import exchange


def kept(comm: Any, x: Any) -> Any:
    """The sum, having seen that what was passed is as it was."""
    indices, values = x.indices.tobytes(), x.values.tobytes()
    x.values.flags.writeable = False
    y = bruck_allgather.allreduce(comm, x)
    assert (x.indices.tobytes(), x.values.tobytes()) == (indices, values)
    assert not np.shares_memory(x.values, y.values)
    return y


def largest(comm: Any, x: Any, *, k: int) -> Any:
    """The sum of the ranks' ``k`` largest entries, all of it."""
    return bruck_allgather.allreduce(comm, x, k=k).dense()


def beside_allgatherv(comm: Any, x: Any) -> Any:
    """1 if every rank's list is what MPI's own ``Allgatherv`` brings of it, bit for bit; else 0."""
    mine, counts = agreed(comm, x, None, True)
    indices, values = np.empty(sum(counts), np.int64), np.empty(sum(counts), mine.dtype)
    comm.Allgatherv(mine.indices.astype(np.int64), (indices, counts))
    comm.Allgatherv(np.ascontiguousarray(mine.values), (values, counts))
    ends = np.cumsum(counts)
    lists = bruck_allgather.allgather(comm, mine, counts)
    pairs = zip(lists, np.split(indices, ends), np.split(values, ends))
    return np.array([a.tolist() == i.tolist() and v.tobytes() == w.tobytes() for (a, v), i, w in pairs], np.int64)


def refusal(comm: Any, _: Any, *, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone has indices in no order."""
    at = [2, 1] if comm.Get_rank() == bad else [1, 2]
    try:
        bruck_allgather.allreduce(comm, (at, [1.0, 1.0], 5))
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


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
