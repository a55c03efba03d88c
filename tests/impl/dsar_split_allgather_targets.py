"""What the tests of the split with a dense allgather run on every rank; each wrong one has one fault."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from sparring import Sparse
from sparring.impl import dsar_split_allgather
from sparring.impl.core.chunks import Chunk, cut, joined
from sparring.impl.core.merge import add
from sparring.impl.two_shot import below
from sparring.impl.two_shot_sparse import encoded, exchanged, onward


def topkdsa(comm: Any, x: Any) -> Any:
    """A region goes dense from a third of its entries on."""
    return dsar_split_allgather.allreduce(comm, x, thirds=1)


def rank_by_rank(comm: Any, x: Any) -> Any:
    """Each rank has another rule."""
    return dsar_split_allgather.allreduce(comm, x, thirds=comm.Get_rank())


def floors(n: int, p: int) -> list[int]:
    """Where regions begin, and where the last ends."""
    return [c * n // p for c in range(p + 1)]


def allreduce(comm: Any, x: Any, order: Any = sorted, shown: Any = lambda total: total, bounds: Any = floors) -> Any:
    """The algorithm once more, for two ranks or more, with parts to be planted."""
    p, r = comm.Get_size(), comm.Get_rank()
    regions = cut(x, bounds(x.n, p))
    others = [below(r, d, p) for d in range(1, p)]
    outgoing = {to: encoded(regions[to]) for to in onward(r, p)}
    parts = {r: regions[r], **exchanged(comm, outgoing, dict.fromkeys(others, (regions[r], x.n)))}
    nothing = Chunk(np.empty(0, np.int64), regions[r].values[:0], regions[r].length)
    total = shown(reduce(add, (parts[q] for q in order(parts)), Chunk(None, nothing.dense(), nothing.length)))
    sums = exchanged(comm, dict.fromkeys(outgoing, encoded(total)), {q: (regions[q], x.n) for q in others})
    support, values = joined([total if c == r else sums[c] for c in range(p)], x.indices.dtype)
    return Sparse.made(support, np.add(values, x.dtype.type(0)), x.n)


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def own_first(comm: Any, x: Any) -> Any:
    """Begins with its own region and adds the others as they come, as the public code does."""
    return allreduce(comm, x, order=list)


def a_region_short(comm: Any, x: Any) -> Any:
    """The highest rank's part is forgotten."""
    return allreduce(comm, x, order=lambda parts: sorted(parts)[: max(1, len(parts) - 1)])


def without_zeros(comm: Any, x: Any) -> Any:
    """Shows the sum sparse, which others take for one of the sparse two-shot."""

    def shown(total: Any) -> Any:
        kept = np.flatnonzero(total.values)
        return type(total)(kept, total.values[kept], total.length) if kept.size < total.length else total

    return allreduce(comm, x, shown=shown)


def of_one_length(n: int, p: int) -> list[int]:
    """Where regions of ``n // p`` entries begin; the last has what is left, ``n % p`` more."""
    return [*(c * (n // p) for c in range(p)), n]


def rest_by_the_quotient(n: int, p: int) -> list[int]:
    """The same in a public code, which gives the last region ``n % (n // p)`` more."""
    size = n // p
    return [*(c * size for c in range(p)), p * size + n % size]


def last_region_longer(comm: Any, x: Any) -> Any:
    """Correct, too, with other regions."""
    return allreduce(comm, x, bounds=of_one_length)


def last_region_wrong(comm: Any, x: Any) -> Any:
    """Regions that are not all of the vector, or more."""
    return allreduce(comm, x, bounds=rest_by_the_quotient)
