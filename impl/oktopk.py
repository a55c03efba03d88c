"""Ok-Topk on mpi4py: allreduce of the largest entries, by thresholds and balanced regions [LH22]_.

A rank selects the entries that reach its threshold, in one pass and without sorting; each of ``p``
regions of the vector is added up by one rank, to which all others send what they selected there; what
of the sums reaches a common threshold is dealt out evenly, where ranks have too unequal parts of it,
and gathered.  What a rank selected in vain, or not, is its residual, which is added to its next vector.

Ranks send to those after them in turn, a *bucket* of messages at a time; one bucket is added up while
the next is under way.  Three small exchanges are MPI's own collectives: how many entries go to whom,
how many of the sums each rank keeps and, where regions are cut anew, the sum of all proposals.

The thresholds are magnitudes, as unsigned integers (:mod:`sparring.impl.core.selection`); entries that
equal them are selected, entries that are zero never.  From call to call they follow how many entries
reach them, as in the published code.  Each rank sends at most ``6 k (p - 1) / p`` words
where none selects more than ``k`` entries, evenly in the regions, and at most ``k`` sums are kept.

.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl import bruck_allgather
from sparring.impl.core import wire
from sparring.impl.core.index_value_pairs import row_with
from sparring.impl.core.residual_state import Keeping
from sparring.impl.core.selection import candidates, magnitudes
from sparring.impl.core.sparse_lists import Lists, added
from sparring.impl.core.transport import Vector, finish
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

WHOLE = 1000
"""Thousandths."""
BLOCK = 1 << 15
"""So many entries are looked at together: few enough to stay in the processor's cache."""


def to(r: int, i: int, p: int) -> int:
    """Where rank ``r`` sends in turn ``i``."""
    return (r + i) % p


def whence(r: int, i: int, p: int) -> int:
    """Whom it hears in turn ``i``."""
    return (r - i) % p


def mean(total: Any, p: int) -> Any:
    """Where a region begins of which all ranks' proposals make so much together."""
    return total // p


def share(j: int, total: int, p: int) -> int:
    """Where the ``j``-th of ``p`` equal shares begins."""
    return j * total // p


class Allreduce(Keeping):
    """A sum of vectors of ``n`` entries, of which about ``k`` are sent and returned; the rest waits.

    Thresholds are found anew every ``tau_prime`` calls, regions are cut anew every ``tau``; the sums
    are dealt out anew where a rank has more than ``trigger`` times the mean of them; ``bucket``: how
    many messages a rank has under way.  A threshold that more than ``4 k / 3`` entries have reached is
    ``gain`` thousandths larger in the next call, one that fewer than ``2 k / 3`` have smaller.  All are
    whole numbers, the same on every rank, as is ``n``.

    Made collectively.  With ``validate``, one exchange of a few integers a rank makes sure of that,
    here and in each call; without it ranks that differ hang or compute nonsense.  ``allow_nan``:
    whether a vector may hold NaN, which counts as larger than everything.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, tau: int = 64, tau_prime: int = 32, trigger: int = 4,
        bucket: int = 4, gain: int = 12, allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "tau": (tau, 1), "tau_prime": (tau_prime, 1), "trigger": (trigger, 0),
                   "bucket": (bucket, 1), "gain": (gain, 0)}
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate)
        self._k, self._trigger, self._bucket = int(k), int(trigger), int(bucket)
        self._tau, self._tau_prime, self._gain, self._calls = int(tau), int(tau_prime), int(gain), 0
        self._local: Any = 0
        self._least: Any = 0
        self._bounds = np.zeros(0, np.int64)

    def __call__(self, x: Vector, /) -> Sparse:
        """The entries of ``x`` plus residual that were selected and kept, summed over all ranks.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32, float64, int32 or int64, the same in
        all calls; it stays as it is.  Integers wrap around.  The result has the same bits on every
        rank, indices of int64, and no zeros.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held, comm, anew = self._admitted(x), self._comm, self._calls % self._tau_prime == 0
        if anew:
            self._local = threshold(magnitudes(np.add(held, x, out=held)), self._k)
        mine = reaching(held, self._local, None if anew else x)
        if self._calls % self._tau == 0:
            self._bounds = agreed(comm, mine.indices, self._n)
        sums = split_and_reduce(comm, mine, self._bounds, self._bucket)
        if anew:
            every = gathered(comm, sums, counts(comm, len(sums)))
            self._least = threshold(magnitudes(every.values), self._k)
        y = kept(comm, sums, self._least, self._trigger)
        held[common(mine.indices, y.indices, self._n)] = 0
        self._local, self._least = (
            followed(least, x.dtype, len(some), self._k, self._gain)
            for least, some in ((self._local, mine), (self._least, y))
        )
        self._calls += 1
        return y


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, tau: int = 64, tau_prime: int = 32, trigger: int = 4,
    bucket: int = 4, gain: int = 12, allow_nan: bool = True, validate: bool = True,
) -> Sparse:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    made = Allreduce(comm, np.size(x), k=k, tau=tau, tau_prime=tau_prime, trigger=trigger, bucket=bucket,
                     gain=gain, allow_nan=allow_nan, validate=validate)
    return made(x)


def threshold(size: NDArray[Any], k: int) -> Any:
    """The ``k``-th largest of these; 0, which all reach, of fewer; what none reaches where k is 0."""
    if k == 0:
        return size.dtype.type(np.iinfo(size.dtype).max)
    if k > size.size:
        return size.dtype.type(0)
    near = size[candidates(size, k)]
    return np.partition(near, near.size - k)[near.size - k]


def followed(least: Any, dtype: np.dtype[Any], found: int, k: int, gain: int) -> Any:
    """A threshold that so many entries of this dtype have reached, as it is in the next call."""
    if many(found, k):
        return scaled(least, dtype, WHOLE + gain, WHOLE)
    return scaled(least, dtype, WHOLE, WHOLE + gain) if few(found, k) else least


def many(found: Any, k: Any) -> Any:
    """Whether far more than ``k`` were found."""
    return 3 * found > 4 * k


def few(found: Any, k: Any) -> Any:
    """Whether far fewer were."""
    return 3 * found < 2 * k


def scaled(least: Any, dtype: np.dtype[Any], by: int, over: int) -> Any:
    """``by / over`` times a magnitude, rounded as this dtype is; NaN, or one that nothing reaches, stays."""
    if dtype.kind == "i":
        return least.dtype.type(min(int(least) * by // over, np.iinfo(least.dtype).max))
    value = least.view(dtype)  # that which nothing reaches is a NaN, too
    with np.errstate(over="ignore"):
        return least if np.isnan(value) else (value / dtype.type(over) * dtype.type(by)).view(least.dtype)


def reaching(x: Vector, least: Any, plus: Vector | None = None) -> Sparse:
    """The entries of ``x`` that are not zero and whose magnitudes are at least so large.

    With ``plus``, that is added to ``x`` first: all in one pass through memory.
    """
    least = max(least, type(least)(1))
    size, reached = np.empty(BLOCK, least.dtype), np.empty(BLOCK, np.bool_)
    found = [(np.empty(0, np.int64), x[:0])]
    for i in range(0, x.size, BLOCK):
        some = x[i : i + BLOCK]
        near, here = size[: some.size], reached[: some.size]
        if plus is not None:
            np.add(some, plus[i : i + BLOCK], out=some)
        unsigned(some, near)
        np.greater_equal(near, least, out=here)
        (at,) = here.nonzero()
        found.append((at + i, some[at]))
    return joined(found, x.size)


def unsigned(x: Vector, out: NDArray[Any]) -> None:
    """``x``'s magnitudes; of NaN any above infinity's, which is what counts beside a threshold."""
    if x.dtype.kind == "i":
        np.abs(x, out=out.view(x.dtype))
    else:
        np.bitwise_and(x.view(out.dtype), np.iinfo(out.dtype).max >> 1, out=out)


def agreed(comm: Intracomm, at: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Where regions begin, and the end: the means, rounded down, of what cuts each rank's entries evenly."""
    p = comm.Get_size()
    inner = [share(c, at.size or n, p) for c in range(1, p)]
    proposed = at[inner] if at.size else np.array(inner, np.int64)
    summed = np.empty_like(proposed)
    comm.Allreduce(proposed, summed)
    return np.concatenate([[0], mean(summed, p), [n]])


def split_and_reduce(comm: Intracomm, mine: Sparse, bounds: NDArray[np.int64], bucket: int) -> Sparse:
    """The sum of this rank's region: of its own entries, then those of the ranks before it, in turn."""
    p, r = comm.Get_size(), comm.Get_rank()
    ends = np.searchsorted(mine.indices, bounds)
    outgoing, incoming = np.diff(ends), np.empty(p, np.int64)
    comm.Alltoall(outgoing, incoming)
    sums = piece(mine, ends[r], ends[r + 1])
    row = row_with([len(sums), *(incoming[whence(r, i, p)] for i in range(1, p))], sums, 0)
    came: Lists = []
    for first in range(1, p, bucket):
        turns = range(first, min(first + bucket, p))
        receiving = [comm.Irecv(row.piece(i, i + 1), whence(r, i, p)) for i in turns]
        sending = [comm.Isend(packed(piece(mine, *ends[to(r, i, p) :][:2])), to(r, i, p)) for i in turns]
        sums = together(sums, came, bounds[r], bounds[r + 1])
        finish([*receiving, *sending])
        came = [row.entries(i) for i in turns]
    return together(sums, came, bounds[r], bounds[r + 1])


def packed(x: Sparse) -> wire.Bytes:
    """``x``'s entries as a message."""
    return row_with([len(x)], x, 0).piece(0, 1)


def piece(x: Sparse, i: int, j: int) -> Sparse:
    """The entries from the ``i``-th on and before the ``j``-th."""
    return Sparse.made(x.indices[i:j], x.values[i:j], x.n)


def together(sums: Sparse, came: Lists, start: int, end: int) -> Sparse:
    """``sums`` and what came, added in this order; all lie from ``start`` on and before ``end``."""
    if not came:
        return sums
    near = [(indices - start, values) for indices, values in [(sums.indices, sums.values), *came]]
    y = added(near, Sparse.made(sums.indices, sums.values, int(end - start)))
    return Sparse.made(y.indices + start, y.values, sums.n)


def kept(comm: Intracomm, sums: Sparse, least: Any, trigger: int) -> Sparse:
    """Of all ranks' sums those that are at least so large."""
    large = reaching(sums.values, least)
    mine = Sparse.made(sums.indices[large.indices], large.values, sums.n)
    sizes = counts(comm, len(mine))
    if max(sizes) * len(sizes) > trigger * sum(sizes):
        mine, sizes = balanced(comm, mine, sizes)
    return gathered(comm, mine, sizes)


def counts(comm: Intracomm, mine: int) -> list[int]:
    """Every rank's number."""
    told = np.empty(comm.Get_size(), np.int64)
    comm.Allgather(np.array([mine], np.int64), told)
    return told.tolist()


def overlap(i: int, j: int, begins: Sequence[int], shares: Sequence[int]) -> tuple[int, int]:
    """From where to where the entries lie, in the order of ranks, that rank ``i`` has and rank ``j`` is to have."""
    start = max(begins[i], shares[j])
    return start, max(start, min(begins[i + 1], shares[j + 1]))


def balanced(comm: Intracomm, mine: Sparse, sizes: Sequence[int]) -> tuple[Sparse, list[int]]:
    """This rank's equal share of all ranks' entries, and how many each rank has then."""
    p, r, begins = comm.Get_size(), comm.Get_rank(), [*accumulate(sizes, initial=0)]
    shares = [share(j, begins[p], p) for j in range(p + 1)]
    outgoing, incoming = ([overlap(*ends, begins, shares) for ends in many] for many in (
        [(r, j) for j in range(p)], [(i, r) for i in range(p)]
    ))
    own = piece(mine, *(x - begins[r] for x in outgoing[r]))
    row = row_with([end - start for start, end in incoming], own, r)
    others = [q for q in range(p) if q != r]
    receiving = [comm.Irecv(row.piece(i, i + 1), i) for i in others if incoming[i][0] < incoming[i][1]]
    parts = {j: piece(mine, *(x - begins[r] for x in outgoing[j])) for j in others}
    sending = [comm.Isend(packed(part), j) for j, part in parts.items() if len(part)]
    finish([*receiving, *sending])
    return joined(map(row.entries, range(p)), mine.n), [end - start for start, end in pairwise(shares)]


def gathered(comm: Intracomm, mine: Sparse, sizes: list[int]) -> Sparse:
    """All ranks' entries, of which rank ``q`` has ``sizes[q]``."""
    return joined(bruck_allgather.allgather(comm, mine, sizes), mine.n)


def joined(lists: Iterable[tuple[NDArray[Any], Vector]], n: int) -> Sparse:
    """Lists whose indices ascend from one to the next."""
    indices, values = zip(*lists)
    return Sparse.made(np.concatenate(indices, dtype=np.int64), np.concatenate(values), n)


def common(a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """What is in both, of numbers below ``n``."""
    there = np.zeros(n, np.bool_)  # memory that is not touched costs nothing
    there[b] = True
    return a[there[a]]
