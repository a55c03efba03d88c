"""Stochastic gradient descent of which every step is summed sparsely: Algorithm 2 of Ok-Topk [LH22]_.

A rank's step, its gradient times the rate, goes to an allreduce that sends some of its entries and
keeps the rest as a residual, which it adds to the rank's next step.  So nothing is dropped, only late.

.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class SGD:
    """Descent from ``w``, a vector of floats that is the same on every rank and is changed in its place.

    ``summed``: a target that keeps a residual, such as ``oktopk.Allreduce(comm, w.size, k=...)``; ``rate``:
    what a gradient is multiplied with.
    """

    def __init__(self, comm: Intracomm, w: Vector, summed: Callable[[Vector], Sparse], rate: float) -> None:
        self.w, self.rate = w, rate
        self._summed, self._ranks = summed, comm.Get_size()

    def step(self, gradient: Vector, /) -> Sparse:
        """Goes against the mean of all ranks' ``gradient``, as far as it is sent; what came of the sum.  Collective.

        ``gradient``: this rank's, of ``w``'s length and dtype.  After it ``w`` has the same bits on every rank.
        Raises InputError for another gradient, as ``summed`` does, and leaves ``w`` as it was.
        """
        total = self._summed(self.rate * gradient)
        self.w[total.indices] -= total.values / self._ranks
        return total
