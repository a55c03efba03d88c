"""Runs an algorithm's implementation on given vectors beside the reference, for ``run``.

Three places: the simulated world, a group of real processes that this process starts, or, when
this process is itself one rank of a real MPI job, that job.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.ranks import sparse_arrays
from sparring.checks.ranks import target as targets
from sparring.checks.ranks.group import Group
from sparring.costs.links.machines import machine as find_machine
from sparring.errors import InputError
from sparring.job import ending_all, together
from sparring.present.spacetime.history import count, hops
from sparring.present.timelines.steps import Sending, of_hop, of_steps
from sparring.present.timelines.timeline import Timeline
from sparring.refinement import comparison
from sparring.refinement.comparison import Flaw
from sparring.refinement.differential import called
from sparring.refinement.observing import observe
from sparring.refinement.running import conduct, octets
from sparring.sparse import Sparse
from sparring.spec.core import runner
from sparring.spec.core.model import Page
from sparring.spec.core.runner import worded
from sparring.spec.core.sparse import SparseVector

TIMEOUT = 60.0
"""Seconds allowed for one call on real ranks, of vectors as long as a user may have them."""


class Ran(NamedTuple):
    """One run: the messages, words and bytes that every rank sent, the flaws, and the seconds of the slowest rank.

    Messages are those that carry vectors; the lengths and dtypes that an implementation exchanges beforehand are
    not counted.
    """

    messages: list[int]
    words: list[int]
    bytes: list[int]
    flaws: list[Flaw]
    seconds: float


def ran(
    page: Page, target: str | None, xs: Sequence[Any], on: str, job: tuple[int, int] | None
) -> tuple[str, Ran | None]:
    """Run the algorithm; return, in words, where it ran, and the run: None on the ranks of a ``job`` other than 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # infinities may cancel to NaN here
        if target is None:
            return "the reference alone", None if job and job[0] else reference(page, xs)
        if job:
            return "this MPI job", as_a_rank(page, target, xs)
        return ("real MPI", grouped(page, target, xs)) if on == "mpi" else ("simulated", simulated(page, target, xs))


def reference(page: Page, xs: Sequence[Any]) -> Ran:
    """Run the page alone: what every rank sends by it, and the seconds."""
    start = time.perf_counter()
    wired = [m for step in runner.run(page, xs).trace for m in step]
    mine = [[sent(page, m.entries, xs[0]) for m in wired if m.src == r] for r in range(len(xs))]
    words, volumes = ([sum(size[i] for size in sizes) for sizes in mine] for i in (0, 1))
    return Ran([len(sizes) for sizes in mine], words, volumes, [], time.perf_counter() - start)


def sent(page: Page, entries: Any, like: Any) -> tuple[int, int]:
    """Return the words and bytes of a message of these entries, as the page encodes it; ``like`` is one of the vectors.

    In a sparse message each value is a word, and each index.
    """
    width = like.dtype.itemsize
    words = worded(page, entries, width) if isinstance(entries, SparseVector) else len(entries)
    return words, octets(page, entries, width)


def timeline(page: Page, xs: Sequence[Any], place: str, machine: str | None) -> Timeline:
    """Return the timeline of the reference's messages on these vectors, with their bytes as the page encodes them."""
    steps = []
    for wired, known in zip(runner.run(page, xs).trace, repeat(()) if page.composed else hops(page, len(xs))):
        sizes = [sent(page, m.entries, xs[0])[1] for m in wired]
        told = [of_hop(page, hop, len(xs)) for hop in known] or [Sending(m.src, m.dst, None, "message") for m in wired]
        steps.append([one._replace(nbytes=size) for one, size in zip(told, sizes, strict=True)])
    title = f"{page.name} at {count(len(xs), 'rank')}, {place}"
    return of_steps(title, len(xs), steps, find_machine(machine) if machine else None)


def simulated(page: Page, target: str, xs: Sequence[Any]) -> Ran:
    """Run the implementation in the simulated world; messages and bytes are counted there.

    Words are counted there, too, where a message is an array of values; the words of packed lists are the page's.
    """
    start = time.perf_counter()
    seen = observe(target, xs, "result", partial(called, **page.params))
    seconds = time.perf_counter() - start
    flaws = [Flaw(prop, why) for prop, why in conduct(xs, seen).items()]
    flaws = flaws or comparison.compared(page, xs, seen.ys[0], "result")
    mine = [[m for m in seen.messages if m.src == r] for r in range(len(xs))]
    counted = Ran([len(m) for m in mine], [sum(m.count for m in ms) for ms in mine],
                  [sum(m.nbytes for m in ms) for ms in mine], flaws, seconds)  # fmt: skip
    if page.data == "vector" or flaws:
        return counted
    said = reference(page, xs)
    return counted._replace(words=said.words, flaws=unlike(counted.bytes, said.bytes))


def unlike(counted: Sequence[int], said: Sequence[int]) -> list[Flaw]:
    """Return the flaw of the first rank that sends other bytes than the page's formula says; none where none does."""
    for r, (found, formula) in enumerate(zip(counted, said)):
        if found != formula:
            return [Flaw("volume", f"rank {r} sends {found} bytes, the page's formula says {formula}")]
    return []


def grouped(page: Page, target: str, xs: Sequence[Any]) -> Ran:
    """Run the implementation on real processes; messages, words and bytes are the page's."""
    with Group(len(xs)) as group:
        group.run(target, xs, timeout=TIMEOUT, **page.params)  # the first call pays for connections
        start = time.perf_counter()
        ys = group.run(target, xs, timeout=TIMEOUT, **page.params)
        seconds = time.perf_counter() - start
    return reference(page, xs)._replace(flaws=comparison.compared(page, xs, ys, "result"), seconds=seconds)


def on_all_ranks(prepare: Callable[[], tuple[Page, list[Any]]]) -> tuple[Page, list[Any]]:
    """Return on every rank of this job what ``prepare`` returns, if it raises on no rank and returns the same on all.

    Otherwise no rank goes on: rank 0 raises the first error, the others end silently with exit code 2.
    """
    from mpi4py import MPI

    unlike = "it has other vectors than rank 0; right: one command and one file for all ranks"
    return together(MPI.COMM_WORLD, prepare, lambda prepared: digest(*prepared), unlike)


def digest(page: Page, xs: Sequence[Any]) -> str:
    """Return a digest of the algorithm, its parameters and the vectors."""
    parts = [f"{page.name} {dict(page.params)}"]
    parts += [f"{x.dtype} {x.size} {len(x)}" for x in xs]
    made = hashlib.sha256("\n".join(parts).encode())
    for x in xs:
        for array in (x.indices, x.values) if isinstance(x, Sparse) else (x,):
            made.update(array.tobytes())
    return made.hexdigest()


def as_a_rank(page: Page, target: str, xs: Sequence[Any]) -> Ran | None:
    """Run the implementation on the job that this process is a rank of; return the run on rank 0, else None.

    Whatever one rank raises ends the whole job, with that rank's traceback.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    with ending_all(comm):
        function, x = targets.load(target), xs[comm.Get_rank()]
        function(comm, x, **page.params)
        comm.Barrier()
        start = time.perf_counter()
        y = function(comm, x, **page.params)
        seconds = np.array(time.perf_counter() - start)
        slowest = np.empty_like(seconds)
        comm.Reduce(seconds, slowest, MPI.MAX)
        ys = gathered(comm, page, x, y)
    if comm.Get_rank():
        return None
    flaws = comparison.compared(page, xs, ys, "result")
    return reference(page, xs)._replace(flaws=flaws, seconds=float(slowest))


def gathered(comm: Any, page: Page, x: Any, y: Any) -> list[Any]:
    """Gather every rank's result on rank 0.

    Raises InputError where this rank's result is not of the page's class, or not of its input's length and dtype.
    """
    wanted = np.ndarray if page.data in ("vector", "dense") else Sparse
    if not isinstance(y, wanted) or (y.size, y.dtype) != (x.size, x.dtype) or getattr(y, "ndim", 1) != 1:
        raise InputError(f"rank {comm.Get_rank()} returned {type(y).__name__}, not {x.size} entries of {x.dtype}")
    if isinstance(y, Sparse):
        return [sparse_arrays.sparse(octets) for octets in comm.gather(sparse_arrays.octets(y)) or []]
    ys = np.empty((comm.Get_size(), y.size), y.dtype)
    comm.Gather(y, ys)
    return list(ys)
