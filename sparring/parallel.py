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
"""Is told what came of an algorithm, by its name, and in how many seconds; None for what an earlier run found."""


def unheard(name: str, found: Sequence[Any], seconds: float | None) -> None:
    """Nobody listens."""


if TYPE_CHECKING:
    from sparring.verification.algorithm import Plan, Track

    Work = Callable[[Any, Track], list[One]]
    """What is done with each algorithm; another process must find it by its name."""


def verified(algos: Sequence[str | Page], plan: Plan, track: Track, jobs: int | Executor, done: Done) -> list[Result]:
    """The results for all algorithms and selectors, as ``spread`` has them."""
    return spread(partial(judge_one, plan), algos, track, jobs, done)


def judge_one(plan: Plan, one: Page | Selector, track: Track) -> list[Result]:
    """All results of one."""
    from sparring.verification.algorithm import verify_page
    from sparring.verification.selector import verify_selector

    return verify_selector(one, track) if isinstance(one, Selector) else verify_page(plan, one, track)


def find_subject(name: str) -> Any:
    """The algorithm or selector of that name."""
    return selectors.find(name) if name in selectors.names() else pages.find(name)


def each(work: Callable[[Page], Iterable[One]], algos: Sequence[str | Page], jobs: int, **params: Any) -> Iterator[One]:
    """What ``work`` has for all algorithms, with these parameters, in their order, as soon as it is there.

    ``jobs``: so many processes.  Whatever ends this early, an interruption or bad input, ends them at once.
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
    """All that ``work`` has for one algorithm, in a process that has nothing but its name."""
    return [*work(pages.find(name, **params))]


@contextmanager
def processes(many: int) -> Iterator[Executor]:
    """So many processes; they end at once where what is done with them does not end well."""
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
    """This process ends when the one that started it does, even if that is killed."""

    def follow() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def deaf() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which a terminal sends to all: who started them ends them."""
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
    """What ``work`` has for all algorithms, in their order, whichever is done first.

    ``jobs``: so many processes, or what runs them; ``done``: is told of each.  Raises InputError for less than one.
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
    """What it has for one algorithm or selector, and in how many seconds."""
    start = time.perf_counter()
    return work(one, track), time.perf_counter() - start


def report_done(name: str, part: tuple[list[One], float], done: Done) -> list[One]:
    """What there is of an algorithm, of which ``done`` is told."""
    done(name, *part)
    return part[0]


def names_to_share(algos: Sequence[str | Page], jobs: int | Executor) -> list[str]:
    """The names of the algorithms, where several processes can share them; none where this one has all the work."""
    if isinstance(jobs, int) and jobs < 1:
        raise InputError(f"jobs={jobs}: at least 1 process")
    names = [algo for algo in algos if isinstance(algo, str)]
    return names if jobs != 1 and len(names) >= max(2, len(algos)) else []  # a Page is in this process only


def gathered(work: Work[One], names: Sequence[str], track: Track, pool: Executor, done: Done) -> list[One]:
    """What ``work`` has for the algorithms of these names, in this order."""
    with deaf():
        parts = submitted(partial(alone, work), names, pool)
    name_of = dict(zip(parts, names))
    arriving = track(Arriving(parts), "algorithms, several at a time")
    found = {part: report_done(name_of[part], part.result(), done) for part in arriving}
    return [one for part in parts for one in found[part]]


class Arriving(Generic[One]):
    """Parts in the order in which they come; how many there will be is known."""

    def __init__(self, parts: Sequence[Future[One]]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Future[One]]:
        return as_completed(self.parts)


def submitted(work: Callable[[str], One], names: Sequence[str], pool: Executor) -> list[Future[One]]:
    """What ``work`` will have for the algorithms of these names, in this order; those that take longest start first."""
    first = sorted(range(len(names)), key=lambda i: not lengthy(names[i]))
    started = {i: pool.submit(work, names[i]) for i in first}
    return [started[i] for i in range(len(names))]


def lengthy(name: str) -> bool:
    """Whether a page's formulas are read as bits or digits, which takes solvers longest."""
    with suppress(SparringError):  # which is told by whoever works on the page
        return name not in selectors.names() and pages.find(name).encoding != "wrap"
    return False


def alone(work: Work[One], name: str) -> tuple[list[One], float]:
    """What ``work`` has for one algorithm, in a process that has nothing but its name."""
    return timed(work, find_subject(name), lambda items, _: items)


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
