"""EF21-SGDM on mpi4py: estimates of a running mean of vectors, in which a new one counts some thousandths.

What a rank sends and all ranks get is that of :mod:`sparring.impl.ef21`; in the place of its vector stands the running
mean [FTR23]_.

.. [FTR23] I. Fatkhullin, A. Tyurin and P. Richtarik, "Momentum provably improves error feedback!",
   NeurIPS 2023, arXiv:2305.15155.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.impl import ef21
from sparring.impl.core.residual_state import settle, whole
from sparring.impl.core.running_mean import WHOLE, mixed
from sparring.impl.core.selecting import Select
from sparring.impl.core.transport import Vector
from sparring.impl.error_feedback import Sum

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class Estimates(ef21.Estimates):
    """The sum of all ranks' estimates of their running means, in which a new vector counts ``momentum`` thousandths.

    The first mean is the first vector.  ``momentum``: a whole number from 0 to 1000, the same on every rank; other
    parameters are those of :class:`sparring.impl.ef21.Estimates`.
    """

    def __init__(self, comm: Intracomm, n: int, *, momentum: int = 100, **params: Any) -> None:
        super().__init__(comm, n, **params)
        settle(self._comm, {"momentum": (momentum, 0)}, self._validate, unknown(momentum))
        self._momentum = int(momentum)
        self._mean: Any = None

    def _aim(self, x: Vector) -> Vector:
        """The running mean with ``x`` in it."""
        kind = x.dtype.type
        self._mean = x.copy() if self._mean is None else mixed(self._mean, x, kind(self._momentum)) / kind(WHOLE)
        mean: Vector = self._mean
        return mean


def unknown(momentum: Any) -> str:
    """What is wrong with a whole number as a part of a running mean; empty where nothing is."""
    return f"momentum = {momentum}: it must be {WHOLE} or less, thousandths" if whole(momentum, WHOLE + 1) else ""


Allreduce = Estimates
"""As the class is called in other modules."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select = "topk",
    allreduce: str | Sum = "ring_sparse", momentum: int = 100, validate: bool = True, **params: Any,
) -> Vector:
    """One call of a new :class:`Estimates`: what is sent of estimates that are zeros so far.  Collective."""
    given: Any = {"k": k, "selector": selector, "allreduce": allreduce, "momentum": momentum, "validate": validate}
    return Estimates(comm, np.size(x), **given, **params)(x)
