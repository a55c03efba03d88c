"""Error feedback on mpi4py: what a rank does not send of its vector is added to its next one.

The part that any selector and any lossless sparse allreduce have in common [SF14]_ [AH17]_.  A rank
adds what it has kept to its new vector, a selector says which entries of the sum are sent, the
allreduce adds these over all ranks, and the others are what the rank keeps.  In exact arithmetic all
inputs so far are all results so far plus what the ranks keep now, whichever entries were selected.

.. [SF14] F. Seide, H. Fu, J. Droppo, G. Li and D. Yu, "1-bit stochastic gradient descent and its
   application to data-parallel distributed training of speech DNNs", Interspeech 2014.
.. [AH17] A. F. Aji and K. Heafield, "Sparse communication for distributed gradient descent",
   EMNLP 2017, arXiv:1704.05021.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.selecting import Select, found, made
from sparring.impl.core.transport import Vector
from sparring.sparse import Sparse

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

LOSSLESS = ("ring_sparse", "two_shot_sparse", "ssar_recursive_doubling", "dsar_split_allgather",
            "ring_allgather", "bruck_allgather", "recursive_doubling_allgather")
"""Allreduces of sparse vectors that drop nothing; in validation ranks tell each other which of them they were given."""
Sum: TypeAlias = Callable[["Intracomm", Sparse], Sparse]
"""A function of a communicator and a rank's entries: the sum of all ranks'."""


class ErrorFeedback(Keeping):
    """A sum of vectors of ``n`` entries, of which those are sent that a selector takes; the rest waits.

    Made collectively, with the same ``n`` and ``allreduce`` on every rank.

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
        have one ``n`` and allreduce, and one dtype; a fault on one rank then raises InputError on all and leaves
        residuals as they were.  Without it ranks that differ hang or compute nonsense.
    params : of a selector that is named; ranks may have other ones, and another ``k``.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, selector: str | Select = "topk",
        allreduce: str | Sum = "ring_sparse", validate: bool = True, **params: Any,
    ) -> None:
        fault = ""
        try:
            self._select, self._allreduce = made(selector, k, params), lossless(allreduce)
        except InputError as error:
            fault = str(error)
        self._ranks = comm
        numbers = {"allreduce": place(allreduce, LOSSLESS)}
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=fault)

    def __call__(self, x: Vector, /) -> Vector:
        """All ranks' selected entries of ``x`` plus residual, summed; all other entries are +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32, float64, int32 or int64, the same in
        all calls; it stays as it is.  Integers wrap around.  The result is a new vector, the same
        bits on every rank.
        """
        waiting = self._taken(x)
        sent = self._select(waiting)
        total = self._allreduce(self._ranks, sent)
        waiting[sent.indices] = 0
        return total.dense()


Allreduce = ErrorFeedback
"""As the class is called in other modules."""


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, selector: str | Select = "topk",
    allreduce: str | Sum = "ring_sparse", validate: bool = True, **params: Any,
) -> Vector:
    """One call of a new :class:`ErrorFeedback`: what it does not send is lost.  Collective."""
    given: Any = {"k": k, "selector": selector, "allreduce": allreduce, "validate": validate, **params}
    return ErrorFeedback(comm, np.size(x), **given)(x)


def lossless(allreduce: str | Sum) -> Sum:
    """The allreduce of that name, which need not make sure once more that its arguments are alike; a function as it is.

    Raises InputError where there is none.
    """
    if not isinstance(allreduce, str):
        return allreduce
    function = found("", allreduce, "allreduce")
    return partial(function, validate=False) if "validate" in inspect.signature(function).parameters else function
