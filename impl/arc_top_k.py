"""ARC-Top-K on mpi4py: allreduce of the rows that are largest in the sum, found from a sketch of it [CM25]_.

A vector is a matrix of rows, the last filled up with zeros.  Each rank multiplies its own with the same
narrow matrix of random whole numbers, and an allreduce sums these sketches; the ``k`` rows whose sums are
longest are summed by a second allreduce, without indices, as all ranks know which they are.

Every rank draws the sketching matrix for itself, by a hash of seed, call and place
(:mod:`sparring.impl.core.counter_rng`): an entry is the number of ones among 64 bits, less 32.  Products and
squares are added in halves, the upper to the lower, block by block of rows, so that they stay in the
processor's cache and have the same bits everywhere.  No library multiplies matrices here: such a product's
order of addition is its own matter, and ranks that differ in a bit may keep different rows.

.. [CM25] Chen, Ma, Li, He, Dong and Yuan, "ARC-Top-K", arXiv:2510.26709, 2025.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl import ring, two_shot
from sparring.impl.core.counter_rng import drawn
from sparring.impl.core.residual_state import Keeping, place
from sparring.impl.core.running_mean import WHOLE, mixed
from sparring.impl.core.selection import first, magnitudes
from sparring.impl.core.transport import Vector

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

FEEDBACK = ("none", "ef14", "ef21", "ef21m")
SCHEDULES: Mapping[str, Callable[..., Vector]] = {"ring": ring.allreduce, "two_shot": two_shot.allreduce}
FLOATS = tuple(map(np.dtype, ("float32", "float64")))
BLOCK = 1 << 16
"""So many entries are multiplied together: few enough to stay in the processor's cache."""


def wide(n: int) -> int:
    """How long a row of ``n`` entries is: the largest power of two that divides ``n`` and is below its root."""
    most = max(n & -n, 1)
    while most > 1 and most * most >= n:
        most >>= 1
    return most


def high(n: Any, columns: Any) -> Any:
    """How many rows there are, the last filled up."""
    return -(-n // columns)


class Allreduce(Keeping):
    """A sum of vectors of ``n`` floats, of which ``k`` rows are sent, the same on all ranks.

    Parameters
    ----------
    k : how many rows are kept; all, where there are fewer.
    columns : how long a row is; 0 for the largest power of two that divides ``n`` and is below its root.
    sketch : how many numbers a row's sketch has.
    seed : of the sketching matrices, which are new in every call.
    feedback : ``"none"``: what is not sent is lost; ``"ef14"``: it is added to the next vector; ``"ef21"``:
        of the difference between the vector and this rank's estimate of it the rows are sent, and the result
        is the sum of all ranks' estimates; ``"ef21m"``: the same of a running mean of the vectors.  The first
        call of the last two sends whole vectors.
    momentum : thousandths that a new vector counts in a running mean.
    through : how the sums are made, ``"ring"`` or ``"two_shot"``.

    Made collectively, with the same arguments on every rank.  With ``validate``, one exchange of a few
    integers a rank makes sure of that, here and in each call; without it ranks that differ hang or compute
    nonsense.  ``allow_nan``: whether a vector may hold NaN, whose rows are kept first.
    """

    most: ClassVar = {"columns": 1 << 18, "sketch": 1 << 10}

    def __init__(
        self, comm: Intracomm, n: int, *, k: int = 2, columns: int = 0, sketch: int = 4, seed: int = 0,
        feedback: str = "none", momentum: int = 100, through: str = "ring", allow_nan: bool = True,
        validate: bool = True,
    ) -> None:
        numbers = {"k": (k, 0), "columns": (columns, 0), "sketch": (sketch, 1), "seed": (seed, 0),
                   "momentum": (momentum, 0), "feedback": place(feedback, FEEDBACK),
                   "through": place(through, SCHEDULES)}
        fault = unknown(feedback, through, momentum)
        super().__init__(comm, n, numbers, allow_nan=allow_nan, validate=validate, fault=fault)
        self._columns = int(columns) or wide(self._n)
        self._rows = high(self._n, self._columns)
        self._k, self._sketch, self._seed, self._momentum = int(k), int(sketch), int(seed), int(momentum)
        self._feedback, self._sum, self._calls = feedback, SCHEDULES[through], 0
        self._mean: Vector | None = None
        self._sums: Any = None

    @property
    def residual(self) -> Vector | None:
        """What this rank has not sent so far, with ``"ef14"``; with ``"none"``, what its last call lost.

        With ``"ef21"`` and ``"ef21m"`` its estimate.  ``n`` entries of the vectors' dtype, a view, not to be
        written to, that changes with the next call.  None before the first call.
        """
        if self._waiting is None:
            return None
        view = self._waiting[: self._n].view()
        view.flags.writeable = False
        return view

    def __call__(self, x: Vector, /) -> Vector:
        """The kept rows of all ranks' ``x``, summed, and zeros elsewhere; or the sum of estimates.  Collective.

        ``x``: a contiguous vector of ``n`` entries, float32 or float64, the same in all calls; it stays as it
        is.  The result is a new vector, the same bits on every rank.  Raises InputError for another ``x``, and
        leaves what is remembered as it was.

        Two calls on one communicator may not run at the same time in different threads.
        """
        held = self._admitted(x)
        with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and squares overflow
            result = self._estimated(held, x) if self._feedback in FEEDBACK[2:] else self._rest(held, x)
        self._calls += 1
        return result

    def _admitted(self, x: Vector) -> Vector:
        """What is remembered, whole rows of it: nothing yet before the first call."""
        held = super()._admitted(x)
        if held.size == self._rows * self._columns:
            return held
        self._waiting = held = np.zeros(self._rows * self._columns, x.dtype)
        return held

    def _check(self, x: Vector) -> None:
        super()._check(x)
        if x.dtype not in FLOATS:
            raise InputError(f"x has dtype {x.dtype}: it must be {' or '.join(map(str, FLOATS))}")

    def _rest(self, held: Vector, x: Vector) -> Vector:
        """A call that adds to the vector what is left of those before, or nothing."""
        mine = held[: self._n]
        np.add(mine, x, out=mine) if self._feedback == "ef14" and self._calls else np.copyto(mine, x)
        at, sums = self._compressed(held)
        self._matrix(held)[at] = 0
        y = np.zeros_like(held)
        self._matrix(y)[at] = sums
        return y[: self._n]

    def _estimated(self, held: Vector, x: Vector) -> Vector:
        """A call whose result is the sum of estimates; the first has none yet, and sends all."""
        mine = held[: self._n]
        if self._sums is None:
            total = np.zeros_like(held)
            self._sum(self._comm, x, out=total[: self._n], validate=False)
            self._sums, self._mean = total, (x.copy() if self._feedback == "ef21m" else None)
            np.copyto(mine, x)
        else:
            change = np.zeros_like(held)
            np.subtract(self._moved(x), mine, out=change[: self._n])
            at, more = self._compressed(change)
            self._matrix(held)[at] += self._matrix(change)[at]
            sums = self._matrix(self._sums)
            sums[at] += more
        result: Vector = self._sums[: self._n].copy()
        return result

    def _moved(self, x: Vector) -> Vector:
        """The running mean with ``x`` in it; ``x`` itself where there is none."""
        if self._mean is None:
            return x
        mean: Vector = np.divide(mixed(self._mean, x, x.dtype.type(self._momentum)), x.dtype.type(WHOLE))
        self._mean = mean
        return mean

    def _matrix(self, x: Vector) -> Vector:
        """Whole rows as a matrix."""
        return x.reshape(self._rows, self._columns)

    def _compressed(self, x: Vector) -> tuple[NDArray[np.int64], Vector]:
        """Which rows are kept, and their sum over all ranks."""
        mine = self._matrix(x)
        draws = drawn(self._seed, self._calls, *np.ogrid[: self._sketch, : self._columns])
        normal = np.bitwise_count(draws).astype(x.dtype) - x.dtype.type(32)
        near = self._sum(self._comm, sketched(mine, normal).ravel(), validate=False)
        at = first(magnitudes(halved(np.square(near).reshape(self._rows, self._sketch))), self._k)
        sums = self._sum(self._comm, mine[at].ravel(), validate=False)
        return at, sums.reshape(at.size, self._columns)


def allreduce(
    comm: Intracomm, x: Vector, /, *, k: int = 2, columns: int = 0, sketch: int = 4, seed: int = 0,
    feedback: str = "none", momentum: int = 100, through: str = "ring", allow_nan: bool = True,
    validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what it leaves out is lost.  Collective."""
    made = Allreduce(comm, np.size(x), k=k, columns=columns, sketch=sketch, seed=seed, feedback=feedback,
                     momentum=momentum, through=through, allow_nan=allow_nan, validate=validate)
    return made(x)


def unknown(feedback: Any, through: Any, momentum: Any) -> str:
    """What is wrong with arguments that are no plain numbers; empty where nothing is."""
    for name, value, known in (("feedback", feedback, FEEDBACK), ("through", through, (*SCHEDULES,))):
        if value not in known:
            return f"{name} = {value!r}: it must be one of {', '.join(known)}"
    if isinstance(momentum, Integral) and int(momentum) > WHOLE:
        return f"momentum = {momentum}: it must be {WHOLE} or less, thousandths"
    return ""


def sketched(x: Vector, normal: Vector) -> Vector:
    """A matrix of rows times the sketching matrix, whose columns are the rows of ``normal``."""
    m, columns = x.shape
    y = np.empty((m, len(normal)), x.dtype)
    size = max(1, BLOCK // columns)
    spare = np.empty((size, columns), x.dtype)
    for i in range(0, m, size):
        some = x[i : i + size]
        for s, column in enumerate(normal):
            products = np.multiply(some, column, out=spare[: len(some)])
            y[i : i + size, s] = halved(products)
    return y


def halved(terms: Vector) -> Vector:
    """The sum of each row: its upper half is added to the lower until one entry is left; rows are used up."""
    n = terms.shape[1]
    while n > 1:
        low = (n + 1) // 2
        np.add(terms[:, : n - low], terms[:, low:n], out=terms[:, : n - low])
        n = low
    return terms[:, 0]
