"""What the tests of the two-shot allreduce run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import two_shot
from sparring.impl.two_shot import above, below, cut


def three_ways(comm: Any, x: Any) -> Any:
    """The sum, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = two_shot.allreduce(comm, x)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert two_shot.allreduce(comm, x, out=given) is given
    own = x.copy()
    assert two_shot.allreduce(comm, own, out=own, validate=False) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def allreduce(comm: Any, x: Any, order: Any = sorted, mine: Any = lambda r, p: r) -> Any:
    """The algorithm once more, message by message, with parts to be planted."""
    p, r, y = comm.Get_size(), comm.Get_rank(), x.copy()
    block = [slice(cut(c, x.size, p), cut(c + 1, x.size, p)) for c in range(p)]
    parts = {r: x[block[mine(r, p)]].copy()}
    for d in range(1, p):
        parts[below(r, d, p)] = np.empty_like(parts[r])
        to = above(r, d, p)
        comm.Sendrecv(x[block[mine(to, p)]], to, 0, parts[below(r, d, p)], below(r, d, p), 0)
    first, *rest = order(parts)
    total = parts[first]
    for q in rest:
        total = total + parts[q]
    y[block[mine(r, p)]] = total + x.dtype.type(0)
    for d in range(1, p):
        source = below(r, d, p)
        comm.Sendrecv(y[block[mine(r, p)]].copy(), above(r, d, p), 0, y[block[mine(source, p)]], source, 0)
    return y


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def own_first(comm: Any, x: Any) -> Any:
    """Begins with its own copy, as whoever adds in place does."""
    return allreduce(comm, x, order=list)


def next_block(comm: Any, x: Any) -> Any:
    """The right sum by other messages: rank ``r`` looks after the next block."""
    return allreduce(comm, x, mine=lambda r, p: (r + 1) % p)


def one_copy_short(comm: Any, x: Any) -> Any:
    """The highest rank's copy is forgotten."""
    return allreduce(comm, x, order=lambda parts: sorted(parts)[: max(1, len(parts) - 1)])
