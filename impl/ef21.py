"""EF21 on mpi4py: all ranks know the sum of estimates of each rank's vector, and a rank sends of the difference.

Another way than error feedback to lose nothing [RSF21]_: what is sent is added to the estimate, and the result
is the sum of all estimates.

.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.selecting import Select
from sparring.impl.core.transport import Vector
from sparring.impl.error_feedback import ErrorFeedback, Sum

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Estimates(ErrorFeedback):
    """The sum of all ranks' estimates of their vectors, which come nearer by what a selector takes of the difference.

    Estimates begin as zeros, so that the first call sends no more than others.  A selector that takes at least some
    part of the squared length of any vector is contractive, as ``topk`` is with ``k / n``; of vectors that tend to a
    limit the result tends to the limits' sum then.  Where an infinity or NaN is sent, the estimate stays no number.

    Parameters are those of :class:`~sparring.impl.error_feedback.ErrorFeedback`.
    """

    def __init__(self, comm: Intracomm, n: int, **params: Any) -> None:
        super().__init__(comm, n, **params)
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
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and estimates overflow
            nearer = self._select(self._aim(x) - estimate)
            every = self._allreduce(self._ranks, nearer)
            estimate[nearer.indices] += nearer.values
            self._sums[every.indices] += every.values
        result: Vector = self._sums.copy()
        return result

    def _aim(self, x: Vector) -> Vector:
        """What is estimated."""
        return x

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64")


Allreduce = Estimates
"""As the class is called in other modules."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select = "topk",
    allreduce: str | Sum = "ring_sparse", validate: bool = True, **params: Any,
) -> Vector:
    """One call of a new :class:`Estimates`: what is sent of estimates that are zeros so far.  Collective."""
    given: Any = {"k": k, "selector": selector, "allreduce": allreduce, "validate": validate, **params}
    return Estimates(comm, np.size(x), **given)(x)
