"""CLT-k of ScaleCom on mpi4py: in turn one rank says which entries all ranks send [CN20]_.

A rank adds to its vector what it has not sent so far.  In call ``t`` rank ``t mod p`` broadcasts the indices of its
``k`` largest sums, and an allreduce of ``k`` values adds those of all ranks.  What was not sent waits; with ``beta``
below 1000, a low-pass filter, so many thousandths of it are added, and the others wait on.  The paper's memory is
``beta / 1000`` times what waits here.

.. [CN20] C.-Y. Chen, J. Ni, S. Lu, X. Cui, P.-Y. Chen, X. Sun, N. Wang, S. Venkataramani, V. Srinivasan, W. Zhang
   and K. Gopalakrishnan, "ScaleCom: Scalable sparsified gradient compression for communication-efficient
   distributed training", NeurIPS 2020, arXiv:2104.11125.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import ring, two_shot
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.running_mean import WHOLE
from sparring.impl.core.selection import first, magnitudes
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

SCHEDULES: Mapping[str, Callable[..., Vector]] = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}


def leader(call: int, p: int) -> int:
    """Whose entries are sent."""
    return call % p


def filtered(residual: Any, x: Any, beta: Any) -> Any:
    """A vector with what is added of a residual, times ``WHOLE``."""
    return x * WHOLE + residual * beta


class Allreduce(Keeping):
    """A sum of vectors of ``n`` floats at ``k`` entries, those that are largest on one rank; the rest waits.

    Parameters
    ----------
    k : how many entries are sent; all, where there are fewer.
    beta : thousandths of what waits that are added to a vector, 1 to 1000.
    through : how the sums are made, ``"ring"`` or ``"two_shot"``.

    It counts its calls, so that ranks take turns.  Made collectively, with the same arguments on every rank.  With
    ``validate``, one exchange of a few integers a rank makes sure of that, here and in each call; without it ranks
    that differ hang or compute nonsense.  ``allow_nan``: whether a vector may hold NaN, which is sent first.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 100, beta: int = 1000, through: str = "ring",
        allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "beta": (beta, 1), "through": place(through, SCHEDULES)}
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate, fault=unknown(beta, through))
        self._k, self._beta, self._sum, self._calls = int(k), int(beta), SCHEDULES[through], 0

    def __call__(self, x: Vector, /) -> Vector:
        """The sum of all ranks' ``x`` and what is added where the leader's largest are; elsewhere +0.0.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it is.
        The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and leaves
        what is remembered as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held, comm = self._admitted(x), self._comm
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow
            v = x + held if self._beta == WHOLE else filtered(held, x, self._beta) / WHOLE
            np.add(x, held, out=held)
            at, root = np.empty(min(self._k, self._n), np.int64), leader(self._calls, comm.Get_size())
            if comm.Get_rank() == root:
                at[:] = first(magnitudes(v), self._k)
            comm.Bcast(at, root)
            y = np.zeros_like(v)
            y[at] = self._sum(comm, v[at], validate=False)
            held[at] = 0 if self._beta == WHOLE else held[at] - v[at]
        self._calls += 1
        return y

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype.kind != "f":
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, which a filter divides")


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 100, beta: int = 1000, through: str = "ring", allow_nan: bool = True,
    validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it does not send is lost.  Collective."""
    return Allreduce(comm, np.size(x), k=k, beta=beta, through=through, allow_nan=allow_nan, validate=validate)(x)


def unknown(beta: Any, through: Any) -> str:
    """What is wrong with these arguments; empty where nothing is."""
    if through not in SCHEDULES:
        return f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
    if isinstance(beta, Integral) and int(beta) > WHOLE:
        return f"beta = {beta}: it must be {WHOLE} or less, thousandths"
    return ""
