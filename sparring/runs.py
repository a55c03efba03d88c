"""What ``run`` does: an algorithm's implementation on given vectors, beside the reference.

Three places: the simulated world, a group of real processes that this process starts, or, when
this process is itself one rank of a real MPI job, that job.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from sparring import inputs
from sparring.checks import target as targets
from sparring.checks.group import Group
from sparring.errors import InputError, SparringError
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import Flaw
from sparring.proofs.world import world
from sparring.spec.core import runner
from sparring.spec.core.model import Page

SIZE = 10_000  # entries, where neither a size nor a file is given


T = TypeVar("T")


class Ran(NamedTuple):
    """One run: what every rank sent, what is wrong, and how long the slowest rank took."""

    messages: list[int]
    words: list[int]
    flaws: list[Flaw]
    seconds: float


def takes_vectors(page: Page) -> None:
    """Raises InputError where a page adds lists: this command has none to give."""
    if page.data == "lists":
        raise InputError(
            f"{page.name} takes sparse vectors, which 'sparring run' cannot give yet: "
            f"call sparring.run({page.name!r}, [sparring.Sparse(indices, values, n), ...])"
        )


def vectors(ranks: int, size: int | None, file: Path | None, key: str | None) -> list[Any]:
    """One vector a rank: from a file, or normal float32 of that size, seeded by rank."""
    if file is not None:
        if size is not None:
            raise InputError("--size and --input exclude each other: a file's vectors have their own size")
        return inputs.load_vectors(file, ranks, key)
    n = SIZE if size is None else size
    return [np.random.default_rng(r).standard_normal(n, dtype=np.float32) for r in range(ranks)]


def reference(page: Page, xs: Sequence[Any]) -> Ran:
    """The page alone, where there is no implementation."""
    start = time.perf_counter()
    wire = [m for step in runner.run(page, xs).trace for m in step]
    words = [sum(len(m.entries) for m in wire if m.src == r) for r in range(len(xs))]
    return Ran([sum(m.src == r for m in wire) for r in range(len(xs))], words, [], time.perf_counter() - start)


def simulated(page: Page, target: str, xs: Sequence[Any]) -> Ran:
    """The implementation in the world; messages as counted there."""
    start = time.perf_counter()
    outcome = world.run(target, len(xs), [x.copy() for x in xs])
    seconds = time.perf_counter() - start
    flaws = [Flaw(str(f.kind), f.text) for f in outcome.findings]
    if not flaws:
        flaws = refinement.compared(page, xs, outcome.results, "result")
    mine = [[m for m in outcome.messages if m.src == r] for r in range(len(xs))]
    return Ran([len(m) for m in mine], [sum(m.count for m in ms) for ms in mine], flaws, seconds)


def grouped(page: Page, target: str, xs: Sequence[Any]) -> Ran:
    """The implementation on real processes; messages as the page has them."""
    with Group(len(xs)) as group:
        group.run(target, xs)  # the first call pays for connections
        start = time.perf_counter()
        ys = group.run(target, xs, timeout=60.0)
        seconds = time.perf_counter() - start
    return reference(page, xs)._replace(flaws=refinement.compared(page, xs, ys, "result"), seconds=seconds)


def on_all_ranks(prepare: Callable[[], T]) -> T:
    """What ``prepare`` returns, unless it raises on some rank of this job: then no rank goes on.

    The first rank that has an error raises it; the others end silently with exit code 2.
    """
    from mpi4py import MPI

    comm, prepared, error = MPI.COMM_WORLD, None, None
    try:
        prepared = prepare()
    except SparringError as wrong:
        error = wrong
    first = comm.allreduce(comm.Get_size() if error is None else comm.Get_rank(), MPI.MIN)
    if first == comm.Get_rank() and error is not None:
        raise error
    if prepared is None or first < comm.Get_size():
        sys.exit(2)
    return prepared


def as_a_rank(page: Page, target: str, xs: Sequence[Any]) -> Ran | None:
    """The implementation on the job that this process is a rank of; the answer is rank 0's alone.

    Whatever one rank raises ends the whole job, with that rank's traceback.
    """
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    try:
        function, x = targets.load(target), xs[comm.Get_rank()]
        function(comm, x)
        comm.Barrier()
        start = time.perf_counter()
        y = function(comm, x)
        seconds = np.array(time.perf_counter() - start)
        slowest = np.empty_like(seconds)
        comm.Reduce(seconds, slowest, MPI.MAX)
        ys = gathered(comm, x, y)
    except Exception:
        traceback.print_exc()
        comm.Abort(1)
        raise
    if comm.Get_rank():
        return None
    flaws = refinement.compared(page, xs, ys, "result")
    return reference(page, xs)._replace(flaws=flaws, seconds=float(slowest))


def gathered(comm: Any, x: Any, y: Any) -> list[Any]:
    """Every rank's result, on rank 0; raises where a result has not its input's shape and dtype."""
    if not isinstance(y, np.ndarray) or (y.shape, y.dtype) != (x.shape, x.dtype):
        raise InputError(f"rank {comm.Get_rank()} returned {type(y).__name__}, not {x.size} entries of {x.dtype}")
    ys = np.empty((comm.Get_size(), y.size), y.dtype)
    comm.Gather(y, ys)
    return list(ys)
