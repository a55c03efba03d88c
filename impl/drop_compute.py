"""DropCompute on mpi4py: a rank that is late drops the rest of its micro-batches and goes to the allreduce [GG23]_.

The rule stands around any allreduce, which stays as it is.  Each rank runs its micro-batches by its own
clock, adds their gradients, and drops by one of three rules what is left when ``tau`` has passed.

.. [GG23] N. Giladi, S. Gottlieb, M. Shkolnik, A. Karnieli, R. Banner, E. Hoffer, K. Y. Levy and
   D. Soudry, "DropCompute: simple and more robust distributed synchronous training via compute
   variance reduction", NeurIPS 2023, arXiv:2306.10598.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from inspect import isgenerator
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import REFUSED, alike, check_vector, compare
from sparring.impl.core.selecting import counted
from sparring.impl.core.transport import Vector, private
from sparring.impl.training.drop_threshold import FIRST, Reduce, chosen, reducer

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

RULES = ("analytic", "after_backward", "between_passes")
NORMALISERS = ("fixed", "completed")
FLOATS = tuple(map(np.dtype, ("float32", "float64")))

Compute: TypeAlias = Callable[[int], Vector | Generator[None, None, Vector]]
"""The gradient of a micro-batch; a generator yields where it may be given up, as between its two passes."""


GIVEN_UP = object()


class Step(NamedTuple):
    """What came of an iteration."""

    mean: Vector | None
    """What to descend by, the same on all ranks; None where no rank has completed any: then skip the update."""
    completed: int
    """Micro-batches of this rank that count."""
    total: int | None
    """Of all ranks; None with the fixed normaliser, by which nobody is told."""
    ends: NDArray[np.float64]
    """When each of this rank's that count was over, in seconds from the begin of computing."""
    seconds: float
    """When this rank's computing was over."""


class DropCompute:
    """Means of gradients of ``n`` entries, of up to ``micro_batches`` of each rank; what is late is dropped.

    Made collectively, with the same arguments on every rank, but for ``clock`` and ``allreduce``.

    Parameters
    ----------
    micro_batches : ``M``, of each rank in an iteration.
    tau : seconds of computing after which a rank drops, 0 or more; ``math.inf`` drops nothing.  None: chosen by
        the ranks, from ``timed`` calls in which nothing is dropped, as
        :func:`~sparring.impl.training.drop_threshold.chosen` does; then ``M`` is above 5.
    rule : ``"after_backward"``, the paper's listing: after ``tau`` no other micro-batch is begun.
        ``"between_passes"``, its DeepSpeed program: and one that yields after ``tau`` is given up.
        ``"analytic"``, its theory: what is not over before ``tau`` does not count.  A rank looks at its clock
        between micro-batches and where they yield, so that it stops no sooner than there.
    normaliser : ``"fixed"``, by all micro-batches that there are, as is published: dropped ones count as zeros.
        ``"completed"``, by those that count: their number is one more entry of the vector, which the allreduce
        must add exactly.
    dtype : of the gradients, float32 or float64.
    allreduce : the name of a dense one, a module of ``sparring.impl``; or a function of a communicator and a vector
        that returns the sum of all ranks', the same bits on every rank.
    clock : seconds, from any moment on.
    skip, timed : with ``tau=None``, calls that are not timed and calls that are, before ``tau`` is chosen; 44 after 5
        in the published program.
    validate : make sure by one exchange of a few integers a rank, here and in each call, that ranks have the same
        arguments; a fault on one rank then raises InputError on all.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, micro_batches: int, tau: float | None, rule: str = "after_backward",
        normaliser: str = "fixed", dtype: Any = "float32", allreduce: str | Reduce = "ring",
        clock: Callable[[], float] = time.perf_counter, skip: int = 5, timed: int = 44, validate: bool = True,
    ) -> None:
        self._comm, self._own, self._validate = comm, private(comm), validate
        told = {"n": n, "micro_batches": micro_batches, "tau": tau, "rule": rule, "normaliser": normaliser,
                "dtype": dtype, "skip": skip, "timed": timed}
        self._settle(told)
        self._n, self._many = int(n), int(micro_batches)
        self._tau, self._rule, self._counts = None if tau is None else float(tau), rule, normaliser == "completed"
        self._reduce, self._clock, self._skip, self._timed = reducer(allreduce), clock, int(skip), int(timed)
        self._sum = np.zeros(self._n + self._counts, dtype)
        self._calls, self._begin, self._times = 0, 0.0, list[NDArray[np.float64]]()

    @property
    def tau(self) -> float | None:
        """Seconds after which ranks drop; None as long as it is not chosen."""
        return self._tau

    def __call__(self, compute: Compute, /) -> Step:
        """One iteration: ``compute(m)`` for micro-batches 0 to M - 1, as far as it comes; one allreduce.  Collective.

        ``compute``: its gradients are contiguous vectors of ``n`` entries of the dtype, and are not kept.
        Raises InputError for another, with validation on all ranks; what ``compute`` raises, on its rank alone.
        """
        if self._tau is None:
            self._choose()
        ends, seconds, refusal = self._computed(compute)
        if self._validate:
            alike(self._own, self._sum, refusal)
        elif refusal:
            raise refusal
        self._calls += 1
        if self._tau is None and self._calls > self._skip:
            self._times.append(ends)
        if self._counts:
            self._sum[-1] = ends.size
        summed = self._reduce(self._comm, self._sum)
        return self._step(np.asarray(summed), ends, seconds)

    def _choose(self) -> None:
        """At the begin of the first call that is timed, note the time; of the first one after them, choose ``tau``."""
        now = self._clock()
        if self._calls == self._skip:
            self._begin = now
        if self._calls == self._skip + self._timed:
            seconds = (now - self._begin) / self._timed
            self._tau = chosen(self._comm, self._times, seconds, allreduce=self._reduce, validate=self._validate)
            self._times.clear()

    def _computed(self, compute: Compute) -> tuple[NDArray[np.float64], float, InputError | None]:
        """Adds up what counts: when each was over, when all was, and what is refused."""
        self._sum[:] = 0
        ends: list[float] = []
        begin, now, tau = self._clock(), 0.0, math.inf if self._tau is None else self._tau
        for m in range(self._many):
            if self._rule == "between_passes" and now > tau:
                break
            gradient = self._passed(compute(m), begin, tau)
            now = self._clock() - begin
            if gradient is GIVEN_UP or (self._rule == "analytic" and now >= tau):
                break
            try:
                self._add(m, gradient)
            except InputError as error:
                return np.array(ends), now, error
            ends.append(now)
            if self._rule == "after_backward" and now > tau:
                break
        return np.array(ends), now, None

    def _passed(self, made: Any, begin: float, tau: float) -> Any:
        """A micro-batch's gradient; ``GIVEN_UP`` where it is given up."""
        if not isgenerator(made):
            return made
        while True:
            try:
                next(made)
            except StopIteration as end:
                return end.value
            now = self._clock() - begin
            if (self._rule == "analytic" and now >= tau) or (self._rule == "between_passes" and now > tau):
                made.close()
                return GIVEN_UP

    def _add(self, m: int, gradient: Any) -> None:
        """Raises InputError for what is no gradient."""
        name = f"the gradient of micro-batch {m}"
        check_vector(name, gradient)
        if (gradient.size, gradient.dtype) != (self._n, self._sum.dtype):
            raise InputError(f"{name} has {gradient.size} entries of {gradient.dtype}: this DropCompute was made for "
                             f"{self._n} of {self._sum.dtype}")
        self._sum[: self._n] += gradient

    def _step(self, summed: Vector, ends: NDArray[np.float64], seconds: float) -> Step:
        """The mean; raises InputError where the number of micro-batches is no such number."""
        most = self._many * self._own.Get_size()
        if not self._counts:
            return Step(summed / summed.dtype.type(most), ends.size, None, ends, seconds)
        told = float(summed[-1])
        if not (told.is_integer() and 0 <= told <= most):
            raise InputError(f"the allreduce makes {told:g} of the numbers of micro-batches: it must add exactly, "
                             "or the normaliser be 'fixed'")
        mean = summed[:-1] / summed.dtype.type(told) if told else None
        return Step(mean, ends.size, int(told), ends, seconds)

    def _settle(self, told: dict[str, Any]) -> None:
        """Raises InputError for arguments that nothing can be made of, with validation on all ranks, or that differ."""
        row, refusal = [REFUSED] + [0] * (len(told) - 1), None
        try:
            row = settled(**told, ranks=self._own.Get_size())
        except InputError as error:
            refusal = error
        every = np.array([row] * self._own.Get_size(), np.int64)
        if self._validate:
            self._own.Allgather(every[self._own.Get_rank()].copy(), every)
        if refusal:
            raise refusal
        compare(every, words, "set of arguments")


def settled(
    n: Any, micro_batches: Any, tau: Any, rule: Any, normaliser: Any, dtype: Any, skip: Any, timed: Any, ranks: int
) -> list[int]:
    """The arguments as integers that are alike where they are; raises InputError for what cannot be."""
    try:
        kind = FLOATS.index(np.dtype(dtype))
    except (TypeError, ValueError):
        raise InputError(f"dtype = {dtype!r}: gradients are of float32 or float64") from None
    many = counted("micro_batches", micro_batches, 1)
    for name, value, known in (("rule", rule, RULES), ("normaliser", normaliser, NORMALISERS)):
        if value not in known:
            raise InputError(f"{name} = {value!r}: it must be {', '.join(map(repr, known[:-1]))} or {known[-1]!r}")
    if kind == 0 and normaliser == "completed" and many * ranks > 1 << 24:
        raise InputError(f"{many * ranks} micro-batches of all ranks: float32 counts to {1 << 24} only; take float64")
    if tau is None and many <= FIRST:
        raise InputError(f"micro_batches = {many}: tau is chosen among {FIRST + 1} or more; give a tau")
    if tau is not None and not (isinstance(tau, Real) and float(tau) >= 0):
        raise InputError(f"tau = {tau!r}: it must be seconds, 0 or more, or None to have it chosen")
    bits = -1 if tau is None else int(np.float64(float(tau) + 0).view(np.int64))
    places = [RULES.index(rule), NORMALISERS.index(normaliser)]
    return [kind, counted("n", n), many, bits, *places, counted("skip", skip), counted("timed", timed, 1)]


def words(kind: int, n: int, many: int, bits: int, rule: int, normaliser: int, skip: int, timed: int) -> str:
    """The same in words."""
    tau = None if bits == -1 else float(np.int64(bits).view(np.float64))
    return (f"n={n} of {FLOATS[kind]}, micro_batches={many}, tau={tau}, rule={RULES[rule]}, "
            f"normaliser={NORMALISERS[normaliser]}, skip={skip}, timed={timed}")
