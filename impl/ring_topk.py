"""Ring allreduce on mpi4py that selects anew at every hop, and keeps what it does not send.

The hops are the dense ring's (:mod:`sparring.impl.ring`).  Before a rank sends a block, on the
first lap, it takes its largest entries out, as many as the block's part of ``k``, and sends these
alone; what remains is its residual, which is added to its next vector.  So every message has at
most ``k / p`` entries, rounded up, and sums do not fill in.  The complete block is cut once more,
at the rank that completes it, and travels round on the second lap.

Each rank sends ``4 k (p - 1) / p`` words where ``p`` divides ``k``, half of them indices.  How many
entries a message has follows from ``n``, ``k`` and ``p``, so it needs no header; indices count from
where the block begins.

Selecting again before each block is sent is SparDL's rule [ZY24]_, for a schedule of its own; on
the ring, and with floor bounds for the parts of ``k``, it is our own.

.. [ZY24] M. Zhao, Y. Yin, Y. Mao, Q. Liu, L. Chen and Y. Gao, "SparDL: distributed deep learning
   training with efficient sparse communication", ICDE 2024, arXiv:2304.00737.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core import wire
from sparring.impl.core.arguments import REFUSED, alike, check_vector, compare
from sparring.impl.core.residual_state import Copied
from sparring.impl.core.selecting import Select, made, through
from sparring.impl.core.selection import top
from sparring.impl.core.transport import Vector, exchange, exchanging, finish, private
from sparring.impl.ring import block, cut, given, left, passed, right
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


MOST = np.iinfo(np.int64).max


def part(c: int, k: int, p: int) -> int:
    """How many of the ``k`` entries are block ``c``'s; it sends fewer where it has fewer."""
    return cut(c + 1, k, p) - cut(c, k, p)


class Allreduce(Copied):
    """A sum of vectors of ``n`` entries, at most ``k`` of which are sent and returned; the rest waits.

    Made collectively; ``k > n`` counts as ``n``.  Every rank must have the same ``n`` and ``k``, and
    in each call the same dtype.  With ``validate``, one exchange of two integers a rank makes sure
    of that, here and in each call, and a fault on one rank raises InputError on all and leaves
    residuals as they were; without it each rank's arguments are still checked, but ranks that
    differ hang or compute nonsense.

    ``allow_nan``: whether a vector may hold NaN, which is sent first.  Infinities that cancel make
    NaN in any case.

    ``selector``: what of a vector is there to be sent; the rest waits, and is zero for the ring.  Its name, a
    module of ``sparring.impl.selectors``, which is given ``k`` and ``params``; a function of a vector that
    returns some of its entries as a Sparse; or None for all of it.  Each rank has its own, and raises InputError
    by itself for one that cannot be made.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, selector: str | Select | None = None, allow_nan: bool = True,
        validate: bool = True, **params: Any,
    ) -> None:
        self._comm, self._allow_nan, self._validate = private(comm), allow_nan, validate
        settle(self._comm, n, k, validate)
        self._n, self._k = int(n), min(int(k), int(n))
        self._select = made(selector, int(k), params)
        self._waiting: Vector | None = None

    @property
    def residual(self) -> Vector | None:
        """What this rank has not sent so far, ``n`` entries of the vectors' dtype; None before the first call.

        A view, not to be written to, that changes with the next call.  Its zeros are +0.0.
        """
        if self._waiting is None:
            return None
        view = self._waiting.view()
        view.flags.writeable = False
        return view

    def __call__(self, x: Vector, /) -> Sparse:
        """The entries of ``x`` plus residual, summed over all ranks, that were sent to the end.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32, float64, int32 or int64, the same in
        all calls; it stays as it is.  Integers wrap around.  The result has the same bits on every
        rank, indices of int64, and zeros that are +0.0: a sum that began with +0.0 is never -0.0.

        Two calls on one communicator may not run at the same time in different threads.
        """
        self._check(x)
        if self._waiting is None:
            self._waiting = np.zeros_like(x)
        np.add(self._waiting, x, out=self._waiting)
        return through(self._select, self._waiting, self._reduced)

    def _reduced(self, x: Vector) -> Sparse:
        """What is sent of ``x``, which becomes what stays behind, summed over all ranks."""
        mine = reduce_scatter(self._comm, x, self._k)
        return allgather(self._comm, mine, self._n, self._k)

    def _check(self, x: Vector) -> None:
        """Raises InputError for what no call may have; with validation, on every rank."""
        refusal = None
        try:
            self._check_mine(x)
        except InputError as error:
            refusal = error
        if self._validate:
            alike(self._comm, x, refusal)
        elif refusal:
            raise refusal

    def _check_mine(self, x: Vector) -> None:
        check_vector("x", x)
        if x.size != self._n:
            raise InputError(f"x has {x.size} entries: this Allreduce was made for {self._n}")
        if self._waiting is not None and x.dtype != self._waiting.dtype:
            raise InputError(f"x has dtype {x.dtype}, the residual {self._waiting.dtype}: all calls need one dtype")
        if not self._allow_nan and x.dtype.kind == "f" and (bad := np.isnan(x)).any():
            raise InputError(f"x[{int(bad.argmax())}] is NaN, which has no magnitude; with allow_nan NaN is sent first")


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select | None = None, allow_nan: bool = True,
    validate: bool = True, **params: Any,
) -> Sparse:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, selector=selector, allow_nan=allow_nan, validate=validate, **params)(x)


def settle(comm: Intracomm, n: int, k: int, validate: bool) -> None:
    """Raises InputError unless ``n`` and ``k`` are numbers of entries and, with ``validate``, alike on all ranks."""
    odd = [f"{name} = {x!r}" for name, x in (("n", n), ("k", k)) if not whole(x)]
    told = np.zeros((comm.Get_size(), 2), np.int64)
    if validate:
        comm.Allgather(np.array([REFUSED, REFUSED] if odd else [min(n, MOST), min(k, n, MOST)], np.int64), told)
    if odd:
        raise InputError(f"{odd[0]}: it must be a whole number, 0 or more")
    compare(told, "n={} and k={}".format, "n and k")


def whole(x: Any) -> bool:
    """Whether ``x`` is a number of entries."""
    return isinstance(x, Integral) and int(x) >= 0


def reduce_scatter(comm: Intracomm, x: Vector, k: int) -> Sparse:
    """The first lap: what is sent of block ``passed(r, 0, p)``, now complete; ``x`` becomes the residual."""
    p, r, n = comm.Get_size(), comm.Get_rank(), x.size
    for i in range(p - 1):
        c, sent = given(left(r, p), i, p), taken(x, given(r, i, p), k, p)
        incoming = room(x, c, n, k, p)
        exchange(comm, wire.pack(sent), right(r, p), incoming, left(r, p))
        at, values = wire.unpack(incoming, x, part(c, n, p))
        x[block(c, n, p)][at] += values
    return taken(x, passed(r, 0, p), k, p)


def taken(x: Vector, c: int, k: int, p: int) -> Sparse:
    """The largest entries of block ``c``, which are zero in ``x`` from now on."""
    here = x[block(c, x.size, p)]
    largest = top(here, part(c, k, p))
    here[largest.indices] = 0
    return largest


def allgather(comm: Intracomm, mine: Sparse, n: int, k: int) -> Sparse:
    """The second lap: each rank passes on what is sent of complete blocks, beginning with its own; all of them."""
    p, r = comm.Get_size(), comm.Get_rank()
    messages = [room(mine.values, c, n, k, p) for c in range(p)]
    messages[passed(r, 0, p)] = wire.pack(mine)
    sending = []
    for i in range(p - 1):
        outgoing, incoming = messages[passed(r, i, p)], messages[passed(left(r, p), i, p)]
        sending.append(exchanging(comm, outgoing, right(r, p), incoming, left(r, p)))
    finish(sending)
    parts = [wire.unpack(message, mine.values, part(c, n, p)) for c, message in enumerate(messages)]
    at = np.concatenate([np.add(indices, cut(c, n, p), dtype=np.int64) for c, (indices, _) in enumerate(parts)])
    return Sparse.made(at, np.concatenate([values for _, values in parts]), n)


def room(like: Vector, c: int, n: int, k: int, p: int) -> wire.Bytes:
    """A buffer for what is sent of block ``c``, with values like these."""
    return wire.room(count(c, n, k, p), like, part(c, n, p))


def count(c: int, n: int, k: int, p: int) -> int:
    """How many entries of block ``c`` are sent."""
    return min(part(c, k, p), part(c, n, p))
