"""Error feedback on mpi4py: what a rank does not send of its vector is added to its next one.

The part that any selector and any lossless sparse allreduce have in common [SF14]_ [AH17]_.  A rank
adds what it has kept to its new vector, a selector says which entries of the sum are sent, the
allreduce adds these over all ranks, and the others are what the rank keeps.  In exact arithmetic all
inputs so far are all results so far plus what the ranks keep now, whichever entries were selected.

*Estimates* are another way to lose nothing [RSF21]_ [FTR23]_: a rank sends of the difference between its
vector and what all know of it, and the result is the sum of all that is known.

.. [SF14] F. Seide, H. Fu, J. Droppo, G. Li and D. Yu, "1-bit stochastic gradient descent and its
   application to data-parallel distributed training of speech DNNs", Interspeech 2014.
.. [AH17] A. F. Aji and K. Heafield, "Sparse communication for distributed gradient descent",
   EMNLP 2017, arXiv:1704.05021.
.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
.. [FTR23] I. Fatkhullin, A. Tyurin and P. Richtarik, "Momentum provably improves error feedback!",
   NeurIPS 2023, arXiv:2305.15155.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.arguments import alike, check_vector
from sparring.impl.core.means import WHOLE, mixed
from sparring.impl.core.selecting import counted, found, made
from sparring.impl.core.transport import Vector, private
from sparring.impl.ring_topk import settle
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


class ErrorFeedback:
    """A sum of vectors of ``n`` entries, of which those are sent that a selector takes; the rest waits.

    Made collectively, with the same ``n`` on every rank.

    Parameters
    ----------
    k : how many entries the selector aims at.
    selector : its name, a module of ``sparring.impl.selectors``, which is given ``k`` and
        ``params``; or a rank's own function of a vector that returns some of its entries as a
        Sparse, for which ``k`` does not count.
    allreduce : the name of a lossless one, a module of ``sparring.impl``, as ``"ring_sparse"``,
        ``"two_shot_sparse"``, ``"ring_allgather"`` or ``"bruck_allgather"``; or a function of a
        communicator and a Sparse that returns the sum of all ranks'.
    validate : make sure by one exchange of two integers a rank, here and in each call, that ranks
        have one ``n`` and one dtype; a fault on one rank then raises InputError on all and leaves
        residuals as they were.  Without it ranks that differ hang or compute nonsense.
    params : of a selector that is named; ranks may have other ones, and another ``k``.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, selector: str | Callable[[Vector], Sparse] = "topk",
        allreduce: str | Callable[[Intracomm, Sparse], Sparse] = "ring_sparse", validate: bool = True, **params: Any,
    ) -> None:  # fmt: skip
        self._select = made(selector, k, params)
        self._allreduce = found("", allreduce, "allreduce") if isinstance(allreduce, str) else allreduce
        self._comm, self._checks, self._validate = comm, private(comm), validate
        settle(self._checks, n, 0, validate)
        self._n = counted("n", n)
        self._waiting: Vector | None = None

    @property
    def residual(self) -> Vector | None:
        """What this rank has not sent so far, ``n`` entries of the vectors' dtype; None before the first call.

        A view, not to be written to, that changes with the next call.  Where something was sent it is +0.0.
        """
        if self._waiting is None:
            return None
        view = self._waiting.view()
        view.flags.writeable = False
        return view

    def __call__(self, x: Vector, /) -> Vector:
        """All ranks' selected entries of ``x`` plus residual, summed; all other entries are +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32, float64, int32 or int64, the same in
        all calls; it stays as it is.  Integers wrap around.  The result is a new vector, the same
        bits on every rank.
        """
        self._check(x)
        if self._waiting is None:
            self._waiting = np.zeros_like(x)
        np.add(self._waiting, x, out=self._waiting)
        sent = self._select(self._waiting)
        total = self._allreduce(self._comm, sent)
        self._waiting[sent.indices] = 0
        return total.dense()

    def _check(self, x: Vector) -> None:
        """Raises InputError for what no call may have; with validation, on every rank."""
        refusal = None
        try:
            self._check_mine(x)
        except InputError as error:
            refusal = error
        if self._validate:
            alike(self._checks, x, refusal)
        elif refusal:
            raise refusal

    def _check_mine(self, x: Vector) -> None:
        check_vector("x", x)
        if x.size != self._n:
            raise InputError(f"x has {x.size} entries: this ErrorFeedback was made for {self._n}")
        if self._waiting is not None and x.dtype != self._waiting.dtype:
            raise InputError(f"x has dtype {x.dtype}, the residual {self._waiting.dtype}: all calls need one dtype")


Allreduce = ErrorFeedback
"""As the class is called in other modules."""


class Estimates(ErrorFeedback):
    """The sum of all ranks' estimates of their vectors, which come nearer by what a selector takes of the difference.

    EF21, and with a ``momentum`` below ``1000`` EF21-SGDM, which estimates a running mean of
    the vectors in which a new one counts so many thousandths.  Estimates begin as zeros, so that the first call
    sends no more than others.  A selector that takes at least some part of the squared length of any vector
    is contractive, as ``topk`` is with ``k / n``; of vectors that tend to a limit the result tends to the limits'
    sum then.

    Parameters are those of :class:`ErrorFeedback`; ``momentum`` is a whole number from 0 to 1000.
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
        """This rank's estimate, as that of :class:`ErrorFeedback`."""
        return super().residual

    def __call__(self, x: Vector, /) -> Vector:
        """The sum of all ranks' estimates, once they have come nearer to ``x``.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it
        is.  The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``.
        """
        self._check(x)
        if self._waiting is None:
            self._waiting, self._sums = np.zeros_like(x), np.zeros_like(x)
        self._mean = self._running(x)
        nearer = self._select(self._mean - self._waiting)
        every = self._allreduce(self._comm, nearer)
        self._waiting[nearer.indices] += nearer.values
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

    def _check_mine(self, x: Vector) -> None:
        super()._check_mine(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64")
