"""MiCRO on mpi4py: each rank selects in a part of the vector that is its own for this call [YO23]_.

A rank adds to its vector what it has not sent so far.  Of ``p`` parts rank ``r`` looks in call ``t`` at part
``(t + r) mod p`` and takes the entries that reach a threshold, or one where none does.  Counts and indices are gathered
by MPI's own collectives, and an allreduce adds the values of all ranks at all these indices.  What was sent is cleared;
the threshold, which all ranks have alike, follows how many entries there were.

.. [YO23] D. Yoon and S. Oh, "MiCRO: Near-zero cost gradient sparsification for scaling and accelerating distributed
   DNN training", HiPC 2023, arXiv:2310.00967; code: github.com/kljp/micro.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl import ring, two_shot
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.running_mean import WHOLE
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

SCHEDULES: Mapping[str, Callable[..., Vector]] = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}
MILLION, MOST = 10**6, 2**53
"""The first threshold is told in millionths, of which floats have so many."""


def part(turn: int, p: int) -> int:
    """In which part a rank selects that has this turn, the number of the call and its own."""
    return turn % p


def begin(c: int, n: int, p: int) -> int:
    """Where a part begins."""
    return c * n // p


def many(found: Any, k: Any) -> Any:
    """Whether so many reached a threshold that it grows."""
    return 10 * found > 11 * k


def enough(found: Any, k: Any) -> Any:
    """Whether so many did that it grows by a quarter of that."""
    return WHOLE * found > 909 * k


class Allreduce(Keeping):
    """A sum of vectors of ``n`` floats at entries that ranks select, each in a part of its own; the rest waits.

    Parameters
    ----------
    k : how many entries are wanted of all ranks together.
    first : the first threshold, in millionths; published code has ``1 / (2 sqrt(k))``.
    gain : by how many thousandths the threshold changes from call to call, 0 to 999.
    through : how the sums are made, ``"ring"`` or ``"two_shot"``.

    It counts its calls, as parts go round.  Made collectively, with the same arguments on every rank.  With
    ``validate``, one exchange of a few integers a rank makes sure of that, here and in each call; without it ranks
    that differ hang or compute nonsense.  ``allow_nan``: whether a vector may hold NaN, which reaches any threshold.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, first: int = 50_000, gain: int = 5, through: str = "ring",
        allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "first": (first, 1), "gain": (gain, 0), "through": place(through, SCHEDULES)}
        fault = unknown(first, gain, through)
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate, fault=fault)
        self._k, self._first, self._gain = int(k), int(first), int(gain)
        self._sum, self._calls = SCHEDULES[through], 0
        self._least: Any = None

    def __call__(self, x: Vector, /) -> Vector:
        """The sum of all ranks' ``x`` and residuals at the selected entries; elsewhere +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it is.
        The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and leaves
        what is remembered as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held, comm = self._admitted(x), self._comm
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow
            np.add(held, x, out=held)
            least = x.dtype.type(self._first) / x.dtype.type(MILLION) if self._least is None else self._least
            at = gathered(comm, selected(held, *self._part(), self._calls, least))
            y = np.zeros_like(held)
            y[at] = self._sum(comm, held[at], validate=False)
            self._least = self._followed(least, at)
        held[at] = 0
        self._calls += 1
        return y

    def _part(self) -> tuple[int, int]:
        """Where the part begins in which this rank selects, and where it ends."""
        p = self._comm.Get_size()
        c = part(self._calls + self._comm.Get_rank(), p)
        return begin(c, self._n, p), begin(c + 1, self._n, p)

    def _followed(self, least: Any, at: NDArray[np.int64]) -> Any:
        """The next threshold, after that which these entries reached."""
        if many(at.size, self._k):
            by = 4 * (WHOLE + self._gain)
        else:
            by = 4 * WHOLE + self._gain if enough(at.size, self._k) else 4 * (WHOLE - self._gain)
        return least * type(least)(by) / type(least)(4 * WHOLE)

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, as a threshold is")


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, first: int = 50_000, gain: int = 5, through: str = "ring",
    allow_nan: bool = True, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    made = Allreduce(comm, np.size(x), k=k, first=first, gain=gain, through=through, allow_nan=allow_nan,
                     validate=validate)
    return made(x)


def selected(v: Vector, start: int, end: int, call: int, least: Any) -> NDArray[np.int64]:
    """The indices, from ``start`` on and before ``end``, of what reaches a threshold; else one of them, in turn."""
    (at,) = np.nonzero(~(np.abs(v[start:end]) < least))  # NaN is not less
    if not at.size and start < end:
        at = np.array([call % (end - start)])
    return at + start


def gathered(comm: Intracomm, mine: NDArray[np.int64]) -> NDArray[np.int64]:
    """All ranks' indices, ascending."""
    sizes = comm.allgather(mine.size)
    every = np.empty(sum(sizes), np.int64)
    comm.Allgatherv(mine, [every, sizes])
    every.sort()
    return every


def unknown(first: Any, gain: Any, through: Any) -> str:
    """What is wrong with these arguments; empty where nothing is."""
    if through not in SCHEDULES:
        return f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
    for name, value, most in (("first", first, MOST), ("gain", gain, WHOLE - 1)):
        if isinstance(value, Integral) and int(value) > most:
            return f"{name} = {value}: it must be {most} or less"
    return ""
