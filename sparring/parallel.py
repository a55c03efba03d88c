"""Several algorithms at once, each in a process of its own: of this machine, or of a job under mpiexec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar, cast

from sparring.errors import InputError
from sparring.job import launched
from sparring.report import Result
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.verification import Plan, Track, verify_page

One = TypeVar("One")
Work = Callable[[Page, Track], list[One]]
"""What is done with each algorithm; another process must find it by its name."""


def verified(algos: Sequence[str | Page], plan: Plan, track: Track, jobs: int | Executor) -> list[Result]:
    """The results for all algorithms, as ``spread`` has them."""
    return spread(partial(verify_page, plan), algos, track, jobs)


def spread(work: Work[One], algos: Sequence[str | Page], track: Track, jobs: int | Executor) -> list[One]:
    """What ``work`` has for all algorithms, in their order, whichever is done first.

    ``jobs``: so many processes, or what runs them.  Raises InputError for a number below one.
    """
    if isinstance(jobs, int) and jobs < 1:
        raise InputError(f"jobs={jobs}: at least 1 process")
    names = [algo for algo in algos if isinstance(algo, str)]
    if jobs == 1 or len(names) < max(2, len(algos)):  # a Page is in this process only
        found = [algo if isinstance(algo, Page) else pages.find(algo) for algo in algos]
        return [one for page in found for one in work(page, track)]
    if isinstance(jobs, Executor):
        return gathered(work, names, track, jobs)
    with ProcessPoolExecutor(min(jobs, len(names)), get_context("spawn")) as pool:
        return gathered(work, names, track, pool)


def gathered(work: Work[One], names: Sequence[str], track: Track, pool: Executor) -> list[One]:
    """What ``work`` has for the algorithms of these names, in this order."""
    parts = [pool.submit(alone, work, name) for name in names]
    return [one for part in track(parts, "algorithms, several at a time") for one in part.result()]


def alone(work: Work[One], name: str) -> list[One]:
    """What ``work`` has for one algorithm, in a process that has nothing but its name."""
    return work(pages.find(name), lambda items, _: items)


def ranks() -> AbstractContextManager[Executor | None]:
    """The ranks of this job as processes: entered on all, it gives an executor on rank 0, and None elsewhere.

    There are at least two; the others get None once they have worked for rank 0.
    """
    from mpi4py.futures import MPICommExecutor

    executor: AbstractContextManager[Any] = cast("Any", MPICommExecutor())  # it is typed as giving itself
    return executor


def under_mpiexec() -> bool:
    """Whether there are several ranks that can share the work."""
    job = launched()
    return job is not None and job[1] > 1
