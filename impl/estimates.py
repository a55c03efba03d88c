"""Estimates on mpi4py: all ranks know an estimate of each rank's vector, and a rank sends of the difference.

Another way than error feedback to lose nothing [RSF21]_ [FTR23]_: what is sent is added to the estimate, and the result
is the sum of all estimates.

.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
.. [FTR23] I. Fatkhullin, A. Tyurin and P. Richtarik, "Momentum provably improves error feedback!",
   NeurIPS 2023, arXiv:2305.15155.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.running_mean import WHOLE, mixed
from sparring.impl.core.selecting import counted
from sparring.impl.core.transport import Vector
from sparring.impl.error_feedback import ErrorFeedback

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Estimates(ErrorFeedback):
    """The sum of all ranks' estimates of their vectors, which come nearer by what a selector takes of the difference.

    EF21, and with a ``momentum`` below ``1000`` EF21-SGDM, which estimates a running mean of
    the vectors in which a new one counts so many thousandths.  Estimates begin as zeros, so that the first call
    sends no more than others.  A selector that takes at least some part of the squared length of any vector
    is contractive, as ``topk`` is with ``k / n``; of vectors that tend to a limit the result tends to the limits'
    sum then.

    Parameters are those of :class:`~sparring.impl.error_feedback.ErrorFeedback`; ``momentum`` is a whole number
    from 0 to 1000.
    """

    def __init__(self, comm: Intracomm, n: int, *, momentum: int = WHOLE, **params: Any) -> None:
        self._momentum = counted("momentum", momentum)
        if self._momentum > WHOLE:
            raise InputError(f"momentum = {momentum}: it must be {WHOLE} or less, thousandths")
        super().__init__(comm, n, **params)
        self._mean: Vector | None = None
        self._sums: Any = None

    @property
    def residual(self) -> Vector | None:
        """This rank's estimate, as that of :class:`~sparring.impl.error_feedback.ErrorFeedback`."""
        return super().residual

    def __call__(self, x: Vector, /) -> Vector:
        """The sum of all ranks' estimates, once they have come nearer to ``x``.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it
        is.  The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``.
        """
        estimate = self._admitted(x)
        if self._sums is None:
            self._sums = np.zeros_like(x)
        self._mean = self._running(x)
        nearer = self._select(self._mean - estimate)
        every = self._allreduce(self._ranks, nearer)
        estimate[nearer.indices] += nearer.values
        self._sums[every.indices] += every.values
        result: Vector = self._sums.copy()
        return result

    def _running(self, x: Vector) -> Vector:
        """The running mean with a new vector in it; the vector itself, where there is none."""
        if self._mean is None or self._momentum == WHOLE:
            return x.copy()
        kind = x.dtype.type
        mean: Vector = mixed(self._mean, x, kind(self._momentum)) / kind(WHOLE)
        return mean

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64")
