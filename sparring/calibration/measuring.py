"""The times of all quantities, taken on every rank of a communicator.

All are timed in turns, in an order that is shuffled for each round, so that what slows the machine
for a while slows all alike.  A time is that of a barrier's end until the slowest rank is through,
divided by how often the call was made; short calls are made so often that the barrier and the clock
do not matter.  As in an algorithm, nothing but its messages keeps the ranks together in between.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from sparring.calibration.calls import Call

LASTING, TICKS = 5e-4, 1000
"""Seconds that calls take together between two barriers, and of how many steps of the clock that is at least."""
MOST, ROUNDS = 1000, 1000
"""The most calls between two barriers, and the most rounds."""
TOLD = 5.0
"""Seconds between two reports of progress."""
Tell = Callable[[str], None]


class Times(msgspec.Struct, frozen=True):
    """Measured seconds a call, one row a round and one column a quantity; None where time ran out."""

    rounds: list[list[float | None]]
    seconds: float
    clock: float
    hosts: list[tuple[int, int]]
    """Ranks and cores of each host."""
    mpi: str


def measure(comm: Intracomm, algorithms: Sequence[str], seconds: float, tell: Tell = lambda _: None) -> Times:
    """Measure these algorithms and everything else for ``seconds``.  Collective; all ranks return the same.

    ``tell`` is called now and then with the progress.
    """
    from sparring.calibration.calls import call  # ranks that time other calls begin sooner without these
    from sparring.calibration.quantities import quantities
    from sparring.spec.core import pages

    found = [pages.find(name) for name in algorithms]
    named = {page.name: page for page in found}
    calls = [call(comm, q, named.get(q.algorithm)) for q in quantities(comm.Get_size(), found)]
    resolution = clock()
    start = time.monotonic()
    rows = timed(comm, calls, Deadline(comm, seconds, tell), max(LASTING, TICKS * resolution))
    times = np.array(rows).reshape(-1, len(calls))
    slowest = np.empty_like(times)
    comm.Allreduce(times, slowest, maximum())
    rounds = [[None if t < 0 else t for t in row] for row in slowest.tolist()]
    return Times(rounds, time.monotonic() - start, resolution, hosts(comm), library())


class Deadline:
    """A time limit for the measurement; rank 0's clock counts for all ranks."""

    def __init__(self, comm: Intracomm, seconds: float, tell: Tell) -> None:
        self.comm, self.seconds, self.tell = comm, seconds, tell
        self.start = self.told = time.monotonic()

    def over(self, rounds: int) -> bool:
        """Return whether time is over.  Collective."""
        now = time.monotonic()
        if now - self.told > TOLD:
            self.told = now
            self.tell(f"{rounds} rounds, {now - self.start:.0f} of {self.seconds:.0f} s")
        return bool(self.comm.bcast(now - self.start > self.seconds))


def timed(comm: Intracomm, calls: Sequence[Call], deadline: Deadline, lasting: float) -> list[NDArray[np.float64]]:
    """Measure this rank's seconds a call, one row a round; -1 where time ran out."""
    shuffle = np.random.default_rng(0)  # the same on all ranks, so that all call in one order
    rows: list[NDArray[np.float64]] = []
    gc.collect()
    gc.disable()
    try:
        repeats = [0 if deadline.over(0) else often(comm, one, lasting) for one in calls]
        while len(rows) < ROUNDS and not deadline.over(len(rows)):
            row = np.full(len(calls), -1.0)
            for i in shuffle.permutation(len(calls)):
                if deadline.over(len(rows)):
                    break
                row[i] = once(comm, calls[i], repeats[i])
            rows.append(row)
    finally:
        gc.enable()
    return rows


def often(comm: Intracomm, call: Call, lasting: float) -> int:
    """Return how many calls to make between two barriers; the first call, which prepares much, is not timed."""
    call()
    slowest = np.empty(1)
    comm.Allreduce(np.array([once(comm, call, 1)]), slowest, maximum())
    return int(np.clip(np.ceil(lasting / slowest[0]), 1, MOST))


def once(comm: Intracomm, call: Call, repeats: int) -> float:
    """Time ``repeats`` calls after a barrier; return this rank's seconds a call."""
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def clock() -> float:
    """Return the least time that the clock tells apart, in seconds."""
    ticks = [time.perf_counter() for _ in range(10_000)]
    return min(b - a for a, b in pairwise(ticks) if b > a)


def maximum() -> Any:
    """Return MPI's maximum operation."""
    from mpi4py import MPI

    return MPI.MAX


def hosts(comm: Intracomm) -> list[tuple[int, int]]:
    """Return for each host the number of its ranks, and the number of cores these may use."""
    from mpi4py import MPI

    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    told = comm.allgather((MPI.Get_processor_name(), [*cores]))
    return [
        (len(own), len({core for cores in own for core in cores}))
        for name in dict.fromkeys(host for host, _ in told)
        if (own := [cores for host, cores in told if host == name])
    ]


def library() -> str:
    """Return the name of the MPI library and its release."""
    from mpi4py import MPI

    vendor, release = MPI.get_vendor()
    return f"{vendor} {'.'.join(map(str, release))}"
