"""What the tests of the sparse two-shot allreduce run on every rank; each wrong one has one fault."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from sparring import Sparse
from sparring.impl.core.chunks import cut, joined
from sparring.impl.core.merge import add, settled
from sparring.impl.two_shot import below
from sparring.impl.two_shot import cut as bound
from sparring.impl.two_shot_sparse import encoded, exchanged, onward


def allreduce(comm: Any, x: Any, order: Any = sorted, shown: Any = lambda total: total) -> Any:
    """The algorithm once more, with parts to be planted."""
    p, r = comm.Get_size(), comm.Get_rank()
    chunks = cut(x, [bound(c, x.n, p) for c in range(p + 1)])
    others = [below(r, d, p) for d in range(1, p)]
    outgoing = {to: encoded(chunks[to]) for to in onward(r, p)}
    parts = {r: settled(chunks[r]), **exchanged(comm, outgoing, dict.fromkeys(others, (chunks[r], x.n)))}
    total = shown(reduce(add, (parts[q] for q in order(parts))))
    sums = exchanged(comm, dict.fromkeys(outgoing, encoded(total)), {q: (chunks[q], x.n) for q in others})
    support, values = joined([total if c == r else sums[c] for c in range(p)], x.indices.dtype)
    return Sparse.made(support, np.add(values, x.dtype.type(0)), x.n)


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def own_first(comm: Any, x: Any) -> Any:
    """Begins with its own block, as whoever adds in place does."""
    return allreduce(comm, x, order=list)


def a_block_short(comm: Any, x: Any) -> Any:
    """The highest rank's block is forgotten."""
    return allreduce(comm, x, order=lambda parts: sorted(parts)[: max(1, len(parts) - 1)])


def without_zeros(comm: Any, x: Any) -> Any:
    """Drops what cancels, as codes do that look for non-zeros in the sum."""

    def shown(total: Any) -> Any:
        kept = np.flatnonzero(total.values)
        held = np.arange(total.length) if total.positions is None else total.positions
        return type(total)(held[kept], total.values[kept], total.length)

    return allreduce(comm, x, shown=shown)
