"""Chooses the ``tau`` that pays most for DropCompute, for each rank by itself and for all alike [GG23]_.

Each rank fills a place of its own, one allreduce makes all times known to all ranks, and each makes
the same choice from them.  As the authors' program does it, but that the time of an iteration is the
largest of all ranks' means, where theirs is each rank's own, so that ranks may choose differently.

.. [GG23] N. Giladi, S. Gottlieb, M. Shkolnik, A. Karnieli, R. Banner, E. Hoffer, K. Y. Levy and
   D. Soudry, "DropCompute: simple and more robust distributed synchronous training via compute
   variance reduction", NeurIPS 2023, arXiv:2306.10598.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import REFUSED, compare
from sparring.impl.core.selecting import found
from sparring.impl.core.transport import Vector, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

FIRST, PLACES = 5, 200
ROUNDED = 1e-9
"""How much less than the slowest rank's computing, in parts of it, the mean time of an iteration may be by rounding."""

Times = NDArray[np.float64]
Reduce = Callable[["Intracomm", Vector], Vector]


def chosen(
    comm: Intracomm, ends: Any, seconds: float, *, allreduce: str | Reduce = "ring", validate: bool = True
) -> float:
    """The ``tau`` that would have paid most in the iterations that were timed, in seconds.  Collective.

    Parameters
    ----------
    ends : this rank's times, a row an iteration in which nothing was dropped, a column a micro-batch: seconds
        from the begin of computing to the end of each.  All ranks have one shape; more than 5 columns.
    seconds : this rank's mean time of an iteration, from begin to begin.
    allreduce : the name of a dense one, a module of ``sparring.impl``, or a function of a communicator
        and a vector of float64 that returns the exact sum of numbers of which one is not 0.
    validate : make sure by one exchange of three integers a rank that shapes are alike.

    Returns the same on every rank.  Raises InputError, with ``validate`` on all ranks, for times that
    are not so, and everywhere where iterations take less than the slowest rank's computing.
    """
    reduce, own = reducer(allreduce), private(comm)
    mine, refusal = np.zeros((0, 0)), None
    try:
        mine = checked(ends, seconds)
    except InputError as error:
        refusal = error
    told = np.array([[REFUSED if refusal else 0, *mine.shape]] * own.Get_size(), np.int64)
    if validate:
        own.Allgather(told[own.Get_rank()].copy(), told)
    if refusal:
        raise refusal
    compare(told, lambda kind, rows, columns: f"{rows} iterations of {columns} micro-batches", "shape of times")
    slab = np.zeros((own.Get_size(), mine.size + 1))
    slab[own.Get_rank(), :-1], slab[own.Get_rank(), -1] = mine.ravel(), seconds
    slab = np.asarray(reduce(comm, slab.ravel())).reshape(slab.shape)
    return best(slab[:, :-1].reshape(-1, *mine.shape), float(slab[:, -1].max()))


def reducer(allreduce: str | Reduce) -> Reduce:
    """The dense allreduce of that name; a function as it is."""
    named: Reduce = found("", allreduce, "allreduce") if isinstance(allreduce, str) else allreduce
    return named


def checked(ends: Any, seconds: float) -> Times:
    """A rank's times; raises InputError where they are none."""
    try:
        times, seconds = np.asarray(ends, np.float64), float(seconds)
    except (TypeError, ValueError):
        raise InputError("ends must be numbers, as many in each row, and seconds one: some are not") from None
    if times.ndim != 2 or times.shape[0] < 1:
        raise InputError(f"ends has shape {times.shape}: it must have a row for each iteration, one or more")
    if times.shape[1] <= FIRST:
        raise InputError(f"M = {times.shape[1]} micro-batches: tau is looked for from the end of the sixth one on")
    if not (np.isfinite(times).all() and (times[:, 0] > 0).all() and (np.diff(times) >= 0).all()):
        raise InputError("ends must be seconds above 0, in each row none less than the one before")
    if not (np.isfinite(seconds) and seconds > 0):
        raise InputError(f"seconds = {seconds}: the mean time of an iteration must be above 0")
    return times


def best(ends: Times, seconds: float) -> float:
    """The choice, of all ranks' ``ends`` by rank, iteration and micro-batch."""
    taus = np.linspace(ends[:, :, FIRST:].min(), ends.max(), PLACES)
    slowest = ends[:, :, -1].max(axis=0)
    if seconds < slowest.mean() * (1 - ROUNDED):
        raise InputError(f"iterations take {seconds:g} s, the slowest rank's computing {slowest.mean():g} s of these")
    whole = slowest + max(0.0, seconds - slowest.mean())
    return float(taus[np.argmax([effective(ends, slowest, whole, tau) for tau in taus])])


def effective(ends: Times, slowest: Times, whole: Times, tau: float) -> float:
    """By how much more would have been done in the time; ``slowest`` and ``whole`` by iteration."""
    kept = ends < tau
    last = np.where(kept, ends, 0).max(axis=(0, 2))
    share = kept.mean(axis=(0, 2))
    some = share > 0
    gains = np.divide(share * whole, whole - slowest + last, out=np.zeros_like(whole), where=some) - 1
    return float(gains.mean())
