"""What the tests of recursive multiplying run on every rank; each wrong one has one fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.impl import recursive_multiplying
from sparring.impl.recursive_multiplying import collected, further, largest, member


def three_ways(comm: Any, x: Any) -> Any:
    """The sum, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = recursive_multiplying.allreduce(comm, x)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert recursive_multiplying.allreduce(comm, x, out=given) is given
    own = x.copy()
    assert recursive_multiplying.allreduce(comm, own, out=own, validate=False) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def binary(comm: Any, x: Any) -> Any:
    return recursive_multiplying.allreduce(comm, x, radix=2)


def ternary(comm: Any, x: Any) -> Any:
    return recursive_multiplying.allreduce(comm, x, radix=3)


def octal(comm: Any, x: Any) -> Any:
    return recursive_multiplying.allreduce(comm, x, radix=8)


def other_radix(comm: Any, x: Any) -> Any:
    """Rank 1 has another radix than the others."""
    return recursive_multiplying.allreduce(comm, x, radix=2 + (comm.rank == 1))


def no_radix(comm: Any, x: Any) -> Any:
    """Rank 1 has a radix with which there are no digits."""
    return recursive_multiplying.allreduce(comm, x, radix=4 - 3 * (comm.rank == 1))


def allreduce(comm: Any, x: Any, *, collect: Any = collected, fold: bool = True, shift: int = 0) -> Any:
    """The algorithm once more, of radix 4, with parts to be planted."""
    p, r, radix, d = comm.Get_size(), comm.Get_rank(), 4, 1
    core = largest(p, radix)
    keeper = member(r, 0, core, radix)
    beyond = [other for i in range(1, radix) if (other := member(r, i, core, radix)) < p]
    y = x.copy()
    if r != keeper:
        comm.Send(x, keeper)
        comm.Recv(y, keeper)
        return y
    own = collected(comm, x, beyond)
    sums = own if fold else x
    while d < core:
        at = d if further(d, radix) < core else max(d // radix**shift, 1)
        group = [member(r, i, at, radix) for i in range(radix)]
        sums = collect(comm, sums, [other for other in group if other != r], giving=True)
        d = further(d, radix)
    np.add(sums, x.dtype.type(0), out=y)
    for other in beyond:
        comm.Send(y, other)
    return y


def twin(comm: Any, x: Any) -> Any:
    """Correct."""
    return allreduce(comm, x)


def missing_fold(comm: Any, x: Any) -> Any:
    """What the ranks beyond give is not added."""
    return allreduce(comm, x, fold=False)


def wrong_digit(comm: Any, x: Any) -> Any:
    """The last round is about the digit of the one before."""
    return allreduce(comm, x, shift=1)


def as_it_comes(comm: Any, x: Any, others: Any, *, giving: bool) -> Any:
    """A sum of the same copies, one's own first."""
    parts = [np.empty_like(x) for _ in others]
    requests = [comm.Irecv(part, other) for part, other in zip(parts, others)]
    requests += [comm.Isend(x, other) for other in others if giving]
    for request in requests:
        request.Wait()
    total = x.copy()
    for part in parts:
        np.add(total, part, out=total)
    return total


def own_first(comm: Any, x: Any) -> Any:
    """The right sum, but each rank begins with its own copy: other bits on other ranks."""
    return allreduce(comm, x, collect=as_it_comes)
