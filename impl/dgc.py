"""Deep gradient compression on mpi4py: the largest entries of what momentum has made of gradients [LH18]_.

A rank adds to each new vector a part of its velocity, which is then the sum, and adds this to what it has not sent so
far.  Of that it sends its ``k`` largest entries, which a sparse allreduce adds over all ranks.  What was sent is
cleared in the residual and, with masking, in the velocity.  Thresholds from samples, clipping and warm-up are left to
the caller.

.. [LH18] Y. Lin, S. Han, H. Mao, Y. Wang and W. J. Dally, "Deep gradient compression: Reducing the communication
   bandwidth for distributed training", ICLR 2018, arXiv:1712.01887.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.running_mean import WHOLE
from sparring.impl.core.selection import top
from sparring.impl.core.transport import Vector
from sparring.impl.error_feedback import lossless

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

WAYS = ("ring_sparse", "two_shot_sparse", "ring_allgather")
"""By which allreduces entries are added."""


class Allreduce(Keeping):
    """A sum of what is largest in ``n`` floats on each rank, of residuals of gradients with momentum.

    Parameters
    ----------
    k : how many entries a rank sends; all, where there are fewer.
    momentum : thousandths of a velocity that stay from call to call, 0 to 999.
    masking : 1 where an entry that was sent leaves no velocity, else 0.
    allreduce : how entries are added, ``"ring_sparse"``, ``"two_shot_sparse"`` or ``"ring_allgather"``.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few integers a rank
    makes sure of that, here and in each call; without it ranks that differ hang or compute nonsense.  ``allow_nan``:
    whether a vector may hold NaN, which is sent first.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, momentum: int = 900, masking: int = 1,
        allreduce: str = "ring_sparse", allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "momentum": (momentum, 0), "masking": (masking, 0),
                   "allreduce": place(allreduce, WAYS)}
        fault = "" if allreduce in WAYS else f"allreduce = {allreduce!r}: it must be one of {', '.join(WAYS)}"
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate, fault=fault)
        if momentum >= WHOLE:
            raise InputError(f"momentum = {momentum}: it must be less than {WHOLE}, thousandths")
        if masking > 1:
            raise InputError(f"masking = {masking}: it must be 0 or 1")
        self._ranks, self._allreduce = comm, lossless(allreduce)
        self._k, self._momentum, self._masking = int(k), int(momentum), bool(masking)
        self._velocity: Vector | None = None

    @property
    def velocity(self) -> Vector | None:
        """What momentum has made of this rank's vectors; None before the first call.  A copy."""
        return None if self._velocity is None else self._velocity.copy()

    def __call__(self, x: Vector, /) -> Vector:
        """The sum over all ranks of each one's ``k`` largest entries; all other entries are +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it is.
        The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and leaves
        what is remembered as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held = self._admitted(x)
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow
            u = self._moved(x)
            np.add(held, u, out=held)
            sent = top(held, self._k)
            y = self._allreduce(self._ranks, sent).dense()
        held[sent.indices] = 0
        if self._masking:
            u[sent.indices] = 0
        self._velocity = u
        return y

    def _moved(self, x: Vector) -> Vector:
        """The next velocity, a new vector."""
        if not self._momentum:
            return x.copy()
        slow = (np.zeros_like(x) if self._velocity is None else self._velocity) * self._momentum
        return np.add(x, np.divide(slow, WHOLE, out=slow), out=slow)  # type: ignore[no-any-return]  # of its own memory

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which has a velocity")


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, momentum: int = 900, masking: int = 1,
    allreduce: str = "ring_sparse", allow_nan: bool = True, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    made = Allreduce(comm, np.size(x), k=k, momentum=momentum, masking=masking, allreduce=allreduce,
                     allow_nan=allow_nan, validate=validate)
    return made(x)
