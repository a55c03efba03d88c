"""PowerSGD on mpi4py: the mean of all vectors, each taken as a matrix, to within a matrix of low rank [VKJ19]_.

A vector, and what was not sent of those before, is a matrix ``M``.  Its product with a narrow matrix ``Q``, whose
orthonormal columns all ranks share, is summed by one allreduce and made orthonormal, ``P``; that of its transpose
with ``P`` by a second, of which the mean is the next ``Q``.  The result is ``P Q'``; ``M`` less that waits.

The first ``Q`` is drawn by every rank for itself, by a hash of seed, call and place
(:mod:`sparring.impl.core.counter_rng`): an entry is the number of ones among 64 bits, less 32.  So is a column that
has become zero.

Products are added in halves, the upper to the lower, block by block, so that they stay in the processor's cache and
have the same bits everywhere.  No library multiplies matrices here: that product's order of addition is its own
matter, and ranks on unlike machines would come to have other bits of ``P``.

.. [VKJ19] T. Vogels, S. P. Karimireddy and M. Jaggi, "PowerSGD: Practical low-rank gradient compression for
   distributed optimization", NeurIPS 2019, arXiv:1905.13727, algorithms 1 and 2; and PyTorch's powerSGD_hook.py.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.arc_top_k import BLOCK, FLOATS, SCHEDULES, halved, high, sketched
from sparring.impl.core.counter_rng import drawn
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

PIECE = 64
"""So many rows are added up in halves; then their sums."""
BILLION = 10**9


def wide(n: int) -> int:
    """How many columns the least square has that holds ``n`` entries."""
    most = isqrt(n)
    return max(most + (most * most < n), 1)


def pays(m: Any, columns: Any, rank: Any, rate: Any) -> Any:
    """Whether two factors are small enough to be sent for a matrix."""
    return m * columns > (m * rank + columns * rank) * rate


class Allreduce(Keeping):
    """The mean of vectors of ``n`` floats, of which two factors of so many columns as ``rank`` says are sent.

    Parameters
    ----------
    rank : how many columns a factor has; no more than the matrix has rows, or columns.
    columns : how many the matrix has; 0 for those of the least square that holds ``n`` entries.
    rate : how many times smaller than the matrix its factors must be; if they are not, all is sent whole.
    epsilon : billionths that are added to a column's length before the column is divided by it.
    seed : of the first factor.
    through : how the sums are made, ``"ring"`` or ``"two_shot"``.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few
    integers a rank makes sure of that, here and in each call; without it ranks that differ hang or compute
    nonsense.  ``allow_nan``: whether a vector may hold NaN, which makes all of this result and of later ones NaN.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, rank: int = 1, columns: int = 0, rate: int = 2, epsilon: int = 10,
        seed: int = 0, through: str = "ring", allow_nan: bool = True, validate: bool = True,
    ) -> None:
        numbers = {"rank": (rank, 1), "columns": (columns, 0), "rate": (rate, 0), "epsilon": (epsilon, 0),
                   "seed": (seed, 0), "through": place(through, SCHEDULES)}
        fault = "" if through in SCHEDULES else f"through = {through!r}: it must be one of {', '.join(SCHEDULES)}"
        super().__init__(comm, n, numbers, allow_nan=True, validate=validate, fault=fault)
        self._columns = int(columns) or wide(self._n)
        self._rows = high(self._n, self._columns)
        self._rank = min(int(rank), self._rows, self._columns)
        self._pays = bool(pays(self._rows, self._columns, self._rank, int(rate)))
        self._epsilon, self._seed, self._sum, self._calls = int(epsilon), int(seed), SCHEDULES[through], 0
        self._q: Any = None
        self._nan = allow_nan

    @property
    def residual(self) -> Vector | None:
        """What this rank has not sent so far, ``n`` entries of the vectors' dtype.

        A view, not to be written to, that changes with the next call.  None before the first call, and where
        vectors are sent whole.
        """
        if self._waiting is None or not self._pays:
            return None
        view = self._waiting[: self._n].view()
        view.flags.writeable = False
        return view

    def __call__(self, x: Vector, /) -> Vector:
        """The mean of all ranks' ``x`` and of what waited, to within the rank.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it
        is.  The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and
        leaves what waits as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held = self._admitted(x)
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and squares overflow
            result = self._factored(held, x) if self._pays else self._mean(x)
        self._calls += 1
        return result

    def _admitted(self, x: Vector) -> Vector:
        """What waits, whole rows of it: nothing yet before the first call."""
        held = super()._admitted(x)
        if self._q is None:
            self._q = np.zeros((self._rank, self._columns), x.dtype)
            held = self._waiting = np.zeros(self._rows * self._columns if self._pays else 0, x.dtype)
        return held

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype not in FLOATS:
            raise InputError(f"x has dtype {x.dtype}: it must be {' or '.join(map(str, FLOATS))}")
        if not self._nan and (bad := np.isnan(x)).any():
            raise InputError(f"x[{int(bad.argmax())}] is NaN; with allow_nan it makes this and all later results NaN")

    def _mean(self, x: Vector) -> Vector:
        """Over all ranks."""
        total = self._sum(self._comm, x, validate=False)
        np.divide(total, x.dtype.type(self._comm.Get_size()), out=total)
        return total

    def _factored(self, held: Vector, x: Vector) -> Vector:
        """A call that sends two factors."""
        mine = held[: self._n]
        np.add(mine, x, out=mine) if self._calls else np.copyto(mine, x)
        m = held.reshape(self._rows, self._columns)
        q = orthonormal(self._begun(), self._epsilon)
        first = self._sum(self._comm, sketched(m, q).T.ravel(), validate=False)
        p = orthonormal(first.reshape(self._rank, self._rows), self._epsilon)
        self._q = self._mean(crossed(m, p).ravel()).reshape(self._rank, self._columns)
        y: Vector = subtracted(m, p, self._q)[: self._n]
        held[self._n :] = 0
        return y

    def _begun(self) -> Vector:
        """``Q``, row by row its columns; those of zeros are drawn anew."""
        q: Vector = self._q.copy()
        (gone,) = np.nonzero(~q.any(axis=1))
        draws = drawn(self._seed, self._calls, gone[:, None], np.arange(self._columns)[None])
        q[gone] = np.bitwise_count(draws).astype(q.dtype) - q.dtype.type(32)
        return q


def allreduce(
    comm: Intracomm, x: Vector, /, *, rank: int = 1, columns: int = 0, rate: int = 2, epsilon: int = 10, seed: int = 0,
    through: str = "ring", allow_nan: bool = True, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    made = Allreduce(
        comm, np.size(x), rank=rank, columns=columns, rate=rate, epsilon=epsilon, seed=seed, through=through,
        allow_nan=allow_nan, validate=validate,
    )
    return made(x)


def orthonormal(columns: Vector, epsilon: int) -> Vector:
    """Columns, each a row here, made unit ones and without the parts in those before, in their place."""
    more = columns.dtype.type(epsilon) / columns.dtype.type(BILLION)
    for s, column in enumerate(columns):
        (square,) = halved(np.square(column)[None])
        size = np.sqrt(square) + more
        if size != 0:
            np.divide(column, size, out=column)
        rest = columns[s + 1 :]
        parts = halved(rest * column).copy()
        rest -= parts[:, None] * column
    return columns


def crossed(m: Vector, p: Vector) -> Vector:
    """The transpose of a matrix times ``P``, whose columns are rows here, as are those of the product."""
    many, columns = m.shape
    sums = np.empty((len(p), high(many, PIECE), columns), m.dtype)
    size = min(columns, BLOCK // PIECE)
    spare = np.empty(PIECE * size, m.dtype)
    for i in range(0, many, PIECE):
        for c in range(0, columns, size):
            some = m[i : i + PIECE, c : c + size]
            products = spare[: some.size].reshape(some.shape)
            for s, column in enumerate(p):
                np.multiply(some, column[i : i + PIECE, None], out=products)
                sums[s, i // PIECE, c : c + size] = halved(products.T)
    return np.stack([halved(one.T) for one in sums])


def subtracted(m: Vector, p: Vector, q: Vector) -> Vector:
    """``P Q'``, row after row, which is taken from ``m`` in its place."""
    many, columns = m.shape
    y = np.empty_like(m)
    size = max(1, BLOCK // (columns * len(p)))
    for i in range(0, many, size):
        terms = p[:, i : i + size, None] * q[:, None, :]
        some = y[i : i + size]
        np.copyto(some, halved(terms.reshape(len(p), some.size).T).reshape(some.shape))
        m[i : i + size] -= some
    return y.ravel()
