"""Stochastic gradient descent of which every step is summed with errors that are fed back: EF-SGD, EF21 and EF21M.

EF-SGD [KRSJ19]_, which is Algorithm 2 of Ok-Topk [LH22]_: a rank's step, its gradient times the rate, goes to
an allreduce that sends some of its entries and keeps the rest as a residual, which it adds to the rank's
next step.  So nothing is dropped, only late.

EF21 [RSF21]_ and, with momentum, EF21M [FTR23]_: a rank's gradient goes to an allreduce that keeps an estimate of
it, and the step is the rate times the mean of estimates.

.. [KRSJ19] S. P. Karimireddy, Q. Rebjock, S. U. Stich and M. Jaggi, "Error feedback fixes SignSGD and
   other gradient compression schemes", ICML 2019, arXiv:1901.09847.
.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
.. [FTR23] I. Fatkhullin, A. Tyurin and P. Richtarik, "Momentum provably improves error feedback!",
   NeurIPS 2023, arXiv:2305.15155.
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

    ``summed``: a target that keeps a residual, such as ``oktopk.Allreduce(comm, w.size, k=...)`` or
    ``arc_top_k.Allreduce(comm, w.size, k=..., feedback="ef14")``; ``rate``: what a gradient is multiplied with.
    """

    def __init__(
        self, comm: Intracomm, w: Vector, summed: Callable[[Vector], Sparse | Vector], rate: float
    ) -> None:
        self.w, self.rate = w, rate
        self._summed, self._ranks = summed, comm.Get_size()

    def step(self, gradient: Vector, /) -> Sparse | Vector:
        """Goes against the mean of all ranks' ``gradient``, as far as it is sent; what came of the sum.  Collective.

        ``gradient``: this rank's, of ``w``'s length and dtype.  After it ``w`` has the same bits on every rank.
        Raises InputError for another gradient, as ``summed`` does, and leaves ``w`` as it was.
        """
        total = self._summed(self.rate * gradient)
        if isinstance(total, Sparse):
            self.w[total.indices] -= total.values / self._ranks
        else:
            self.w -= total / self._ranks
        return total


class EF21(SGD):
    """Descent along the mean of estimates of gradients; EF21M where ``summed`` estimates running means.

    ``summed``: a target whose result is the sum of all ranks' estimates, such as
    ``arc_top_k.Allreduce(comm, w.size, k=..., feedback="ef21m")`` or ``ef21.Estimates(comm, w.size, k=...)``.
    """

    def step(self, gradient: Vector, /) -> Sparse | Vector:
        """Goes against the mean of all ranks' estimates, each nearer to its ``gradient``; their sum.  Collective.

        As of :class:`SGD`, but the rate is not part of what is remembered, and may change from step to step.
        """
        total = self._summed(gradient)
        mean: Vector = (total.dense() if isinstance(total, Sparse) else total) / self._ranks
        self.w -= self.rate * mean
        return total
