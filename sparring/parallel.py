"""Several algorithms at once, each in a process of its own: of this machine, or of a job under mpiexec."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from sparring.errors import InputError, SparringError
from sparring.job import launched
from sparring.report import Result
from sparring.spec.core import pages, selectors
from sparring.spec.core.model import Page
from sparring.spec.core.selectors import Selector

One = TypeVar("One")
Subject = TypeVar("Subject")
Done = Callable[[str, Sequence[Any], float | None], None]
"""Is called with an algorithm's name, its results, and the seconds; None for results of an earlier run."""


def unheard(name: str, found: Sequence[Any], seconds: float | None) -> None:
    """Do nothing: the ``done`` of callers that want to be told nothing."""


if TYPE_CHECKING:
    from sparring.verification.plans import Plan, Track

    Work = Callable[[Any, Track], list[One]]
    """The work on each algorithm: a function that another process must find by its name."""


def verified(algos: Sequence[str | Page], plan: Plan, track: Track, jobs: int | Executor, done: Done) -> list[Result]:
    """Return the results for all algorithms and selectors, as ``spread`` does."""
    return spread(partial(judge_one, plan), algos, track, jobs, done)


def judge_one(plan: Plan, one: Page | Selector, track: Track) -> list[Result]:
    """Return all results for one algorithm or selector."""
    from sparring.verification.algorithm import verify_page
    from sparring.verification.selector import verify_selector

    return verify_selector(one, track) if isinstance(one, Selector) else verify_page(plan, one, track)


def find_subject(name: str) -> Any:
    """Return the algorithm or selector of that name."""
    return selectors.find(name) if name in selectors.names() else pages.find(name)


def each(work: Callable[[Page], Iterable[One]], algos: Sequence[str | Page], jobs: int, **params: Any) -> Iterator[One]:
    """Yield what ``work`` finds for all algorithms, with these parameters, in their order, as soon as it is there.

    ``jobs``: the number of processes.  Whatever ends the work early, an interruption or bad input, ends them at once.
    """
    several = names_to_share(algos, jobs)
    if not several:
        for algo in algos:
            yield from work(algo if isinstance(algo, Page) else pages.find(algo, **params))
        return
    with processes(min(jobs, len(several))) as pool:
        with deaf():
            parts = submitted(partial(all_of, work, params), several, pool)
        for part in parts:
            yield from part.result()


def all_of(work: Callable[[Page], Iterable[One]], params: Mapping[str, Any], name: str) -> list[One]:
    """Return all that ``work`` finds for one algorithm, in a process that is given nothing but the algorithm's name."""
    return [*work(pages.find(name, **params))]


@contextmanager
def processes(many: int) -> Iterator[Executor]:
    """Provide a pool of ``many`` processes; where the block raises, they end at once."""
    others = {*active_children()}
    with ProcessPoolExecutor(many, get_context("spawn"), initializer=tied) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for one in {*active_children()} - others:
                one.terminate()
            raise


def tied() -> None:
    """Make this process end when its parent process does, even if the parent is killed."""

    def follow() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def deaf() -> Iterator[None]:
    """Let processes started in this block ignore Ctrl-C, which a terminal sends to all: their parent ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def spread(
    work: Work[One], algos: Sequence[str | Page], track: Track, jobs: int | Executor, done: Done = unheard
) -> list[One]:
    """Return what ``work`` finds for all algorithms, in their order, whichever is done first.

    ``jobs``: the number of processes, or an executor; ``done``: called for each algorithm.  Raises InputError for
    less than one process.
    """
    names = names_to_share(algos, jobs)
    if not names:
        found = [algo if isinstance(algo, Page) else find_subject(algo) for algo in algos]
        return [one for page in found for one in report_done(page.name, timed(work, page, track), done)]
    if isinstance(jobs, Executor):
        return gathered(work, names, track, jobs, done)
    with processes(min(jobs, len(names))) as pool:
        return gathered(work, names, track, pool, done)


def timed(work: Callable[[Subject, Track], list[One]], one: Subject, track: Track) -> tuple[list[One], float]:
    """Return what ``work`` finds for one algorithm or selector, and in how many seconds."""
    start = time.perf_counter()
    return work(one, track), time.perf_counter() - start


def report_done(name: str, part: tuple[list[One], float], done: Done) -> list[One]:
    """Call ``done`` with what was found for an algorithm and the seconds; return what was found."""
    done(name, *part)
    return part[0]


def names_to_share(algos: Sequence[str | Page], jobs: int | Executor) -> list[str]:
    """Return the algorithms' names, where several processes can share them; none where this one does all the work.

    Raises InputError for less than one process.
    """
    if isinstance(jobs, int) and jobs < 1:
        raise InputError(f"jobs={jobs}: at least 1 process")
    names = [algo for algo in algos if isinstance(algo, str)]
    return names if jobs != 1 and len(names) >= max(2, len(algos)) else []  # a Page is in this process only


def gathered(work: Work[One], names: Sequence[str], track: Track, pool: Executor, done: Done) -> list[One]:
    """Return what ``work`` finds for the algorithms of these names, in this order."""
    with deaf():
        parts = submitted(partial(alone, work), names, pool)
    name_of = dict(zip(parts, names))
    arriving = track(Arriving(parts), "algorithms, several at a time")
    found = {part: report_done(name_of[part], part.result(), done) for part in arriving}
    return [one for part in parts for one in found[part]]


class Arriving(Generic[One]):
    """Futures in the order in which they are done; their number is known beforehand."""

    def __init__(self, parts: Sequence[Future[One]]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Future[One]]:
        return as_completed(self.parts)


def submitted(work: Callable[[str], One], names: Sequence[str], pool: Executor) -> list[Future[One]]:
    """Submit ``work`` for these names, those that take longest first; return the futures in the order of the names."""
    first = sorted(range(len(names)), key=lambda i: not lengthy(names[i]))
    started = {i: pool.submit(work, names[i]) for i in first}
    return [started[i] for i in range(len(names))]


def lengthy(name: str) -> bool:
    """Return whether a page's formulas are read as bits or digits, which takes solvers longest."""
    with suppress(SparringError):  # whoever works on the page reports the error
        return name not in selectors.names() and pages.find(name).encoding != "wrap"
    return False


def alone(work: Work[One], name: str) -> tuple[list[One], float]:
    """Return what ``work`` finds for one algorithm and its seconds, in a process that is given the name alone."""
    return timed(work, find_subject(name), lambda items, _: items)


def ranks() -> AbstractContextManager[Executor | None]:
    """Return the ranks of this job as processes: a context that gives an executor on rank 0, and None elsewhere.

    All ranks must enter it, at least two; the others get None once they have worked for rank 0.
    """
    from mpi4py.futures import MPICommExecutor

    executor: AbstractContextManager[Any] = cast("Any", MPICommExecutor())  # it is typed as giving itself
    return executor


def under_mpiexec() -> bool:
    """Return whether this process is one of several ranks, which can share the work."""
    job = launched()
    return job is not None and job[1] > 1
