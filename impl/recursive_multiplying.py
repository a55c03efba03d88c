"""Dense allreduce by recursive multiplying on mpi4py [MPICH]_: recursive doubling with any radix.

Write ranks to the base ``radix``; the digit at distance ``d = 1, radix, radix**2, ...`` counts in ``d``s.
In the round with distance ``d`` the ranks that differ in that digit alone, ``radix`` of them, send each
other their whole vectors and add.  Let ``core`` be the largest distance up to ``p``: where there are
ranks beyond it, each first gives its vector to the rank with digit 0 at that distance, and has the
sum from it in the end.

All messages of a round are sent at once, without blocking, before any is waited for.  Vectors are
added in the order of their ranks, wherever that is done, so all ranks hold the same bits.  Zeros of
a result are +0.0, never -0.0.

.. [MPICH] ``MPIR_Allreduce_intra_recursive_multiplying`` in pmodels/mpich, which is at
   src/mpi/coll/allreduce/allreduce_intra_recursive_multiplying.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.arguments import DTYPES, REFUSED, compare, result
from sparring.impl.core.transport import Vector, finish, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

RADIX = 4
"""How many ranks exchange in a round, unless the caller says otherwise."""


def further(d: int, radix: int) -> int:
    """The distance after ``d``."""
    return d * radix


def largest(p: int, radix: int) -> int:
    """The largest distance that is at most ``p``."""
    d = 1
    while further(d, radix) <= p:
        d = further(d, radix)
    return d


def digit(r: int, d: int, radix: int) -> int:
    """The digit of rank ``r`` at distance ``d``."""
    return r // d % radix


def member(r: int, i: int, d: int, radix: int) -> int:
    """The rank with the same digits, but ``i`` at distance ``d``."""
    return r + (i - digit(r, d, radix)) * d


def allreduce(
    comm: Intracomm, x: Vector, /, *, radix: int = RADIX, out: Vector | None = None, validate: bool = True
) -> Vector:
    """The sum of all ranks' ``x``, the same bits on every rank.  Collective.

    ``x``: a contiguous vector of float32, float64, int32 or int64, of any length; integers wrap
    around.  ``radix``: at least 2; up to ``radix - 1`` vectors are received at once, each in memory of
    its own.  ``out``: where the result goes, ``x`` itself included; by default a new array of
    ``x``'s class.  Unless it is ``out``, ``x`` stays as it is.

    Every rank must have the same dtype, length and radix.  With ``validate``, one exchange of three
    integers a rank makes sure of that first, and a fault on one rank raises InputError on all.  It
    costs a few microseconds; without it each rank's arguments are still checked, but ranks that
    differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own = private(comm)
    y = agreed(own, x, out, radix) if validate else checked(x, out, radix)
    p, r = own.Get_size(), own.Get_rank()
    core = largest(p, radix)
    if r != (keeper := member(r, 0, core, radix)):
        own.Send(x, keeper)
        own.Recv(y, keeper)
        return y
    beyond = [other for i in range(1, min(radix, p)) if (other := member(r, i, core, radix)) < p]
    np.add(rounds(own, collected(own, x, beyond), core, radix), x.dtype.type(0), out=y)  # -0.0 becomes +0.0
    finish([own.Isend(y, other) for other in beyond])
    return y


def rounds(comm: Intracomm, x: Vector, core: int, radix: int) -> Vector:
    """The sum of the ``x`` of the first ``core`` ranks."""
    r, d = comm.Get_rank(), 1
    while d < core:
        group = [member(r, i, d, radix) for i in range(radix)]
        x = collected(comm, x, [other for other in group if other != r], giving=True)
        d = further(d, radix)
    return x


def collected(comm: Intracomm, x: Vector, others: Sequence[int], *, giving: bool = False) -> Vector:
    """The sum of ``x`` and what the ``others`` send, in the order of ranks; where ``giving``, they are sent ``x``.

    New memory, unless there are no others.
    """
    parts = {comm.Get_rank(): x, **{other: np.empty_like(x) for other in others}}
    receives = [comm.Irecv(parts[other], other) for other in others]
    sends = [comm.Isend(x, other) for other in others if giving]
    finish(receives + sends)
    first, *rest = (part for _, part in sorted(parts.items()))
    if not rest:
        return first
    total: Vector = np.add(first, rest[0])
    for part in rest[1:]:
        np.add(total, part, out=total)
    return total


def checked(x: Vector, out: Vector | None, radix: object) -> Vector:
    """The array that the result goes to; raises InputError for what no rank may pass."""
    if not isinstance(radix, (int, np.integer)) or radix < 2:
        raise InputError(f"radix is {radix!r}: it must be an integer of at least 2")
    if radix > np.iinfo(np.int32).max:
        raise InputError(f"radix is {radix}: it must be below 2^31, as are all numbers of ranks")
    return result(x, out)


def agreed(comm: Intracomm, x: Vector, out: Vector | None, radix: int) -> Vector:
    """As :func:`checked`, once all ranks agree.  Collective: one ``Allgather`` of three integers a rank.

    If a rank's arguments are refused, or differ from rank 0's, every rank raises InputError.
    """
    try:
        y, refusal = checked(x, out, radix), None
    except InputError as error:
        y, refusal = x, error
    told = np.empty((comm.Get_size(), 3), np.int64)
    comm.Allgather(np.array([REFUSED] * 3 if refusal else [DTYPES.index(x.dtype), x.size, radix], np.int64), told)
    if refusal:
        raise refusal
    compare(told, in_words, "dtype, length and radix")
    return y


def in_words(kind: int, n: int, radix: int) -> str:
    """A row of what ranks tell."""
    return f"{DTYPES[kind]}, {n} entries and radix {radix}"
