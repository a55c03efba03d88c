"""Local descent on mpi4py: each rank goes its own way for some steps, then all take the mean of where they are [S19]_.

.. [S19] S. U. Stich, "Local SGD converges fast and communicates little", ICLR 2019, arXiv:1805.09767.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sparring.impl.core.residual_state import settle
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class LocalSGD:
    """Descent from ``w``, a vector of floats that is the same on every rank and is changed in its place.

    ``summed``: an allreduce, called ``summed(comm, w)``, such as ``ring.allreduce``; ``rate``: what a gradient
    is multiplied with; ``every``: after so many steps, a whole number, means are taken.  With 1 this is descent
    against the mean gradient, but for rounding.

    Made collectively.  Raises InputError on all ranks unless they have the same ``every``, 1 or more.
    """

    def __init__(
        self, comm: Intracomm, w: Vector, summed: Callable[[Intracomm, Vector], Vector], rate: float, every: int
    ) -> None:
        settle(comm, {"every": (every, 1)}, validate=True)
        self.w, self.rate, self.every = w, rate, int(every)
        self._comm, self._summed, self._steps = comm, summed, 0

    def step(self, gradient: Vector, /) -> bool:
        """Goes against this rank's ``gradient``; whether means were taken then, which is collective.

        ``gradient``: of ``w``'s length and dtype.  After means were taken ``w`` has the same bits on every rank
        if ``summed`` gives them the same.
        """
        self.w -= self.rate * gradient
        self._steps += 1
        if self._steps % self.every:
            return False
        np.divide(self._summed(self._comm, self.w), self.w.dtype.type(self._comm.Get_size()), out=self.w)
        return True
