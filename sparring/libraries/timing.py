"""Times a collective with each algorithm that an MPI library lets one choose, and with the library's own choice.

A round launches the ranks once for each algorithm, in an order that is shuffled, since what chooses an algorithm is
read when MPI starts.  So what slows the machine for a while slows all alike.  In a launch all lengths are timed in
turns, as :mod:`sparring.calibration.measuring` does: from a barrier until the slowest rank is through.  A launch's time
of a length is the least that it saw: what disturbs two ranks that poll makes them slower, and never faster.  Each rank
stays on a core of its own: two that share one would wait for each other's turn.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from sparring.calibration import measuring
from sparring.calibration.fitting import Floats
from sparring.checks.ranks import launch
from sparring.checks.ranks.launch import TimedOut
from sparring.job import ending_all
from sparring.libraries.selection import Algorithm

if TYPE_CHECKING:
    from mpi4py import MPI

RANK = ("-P", "-m", "sparring.libraries.timing")
SECONDS = 1.5
"""Seconds for which one launch measures."""
FEWEST = 4
"""The fewest times of each length in a launch, however busy the machine is."""
PATIENCE = 90.0
"""Seconds beyond SECONDS that a launch gets."""
LEAST = 4
"""The fewest rounds; halves of them are compared."""
Tell = Callable[[str], object]


class Task(msgspec.Struct, frozen=True):
    """The lengths to time, for how long, and the file to which rank 0 writes the Answer."""

    collective: str
    sizes: list[int]
    seconds: float
    file: str


class Answer(msgspec.Struct, frozen=True):
    """The least seconds of a call of each length, None if the library refuses it, and with which error."""

    seconds: list[float | None]
    refused: str = ""


class Timings(msgspec.Struct, frozen=True):
    """Seconds a call on ``ranks`` ranks: for each algorithm a row a round and a column a length; None if refused.

    ``failed``: why an algorithm has no times at all, or not all of them.
    """

    ranks: int
    sizes: list[int]
    seconds: dict[str, list[list[float | None]]]
    failed: dict[str, str] = {}

    def of(self, name: str) -> Floats:
        """Return an algorithm's times as an array, NaN where there is none."""
        return np.array(self.seconds[name], float).reshape(-1, len(self.sizes))


def timed(
    algorithms: Sequence[Algorithm], ranks: int, sizes: Sequence[int], budget: float, tell: Tell = lambda _: None
) -> Timings:
    """Time these algorithms of one collective in rounds, until ``budget`` seconds are over; at least LEAST rounds."""
    start, shuffle = time.monotonic(), np.random.default_rng(0)
    found: dict[str, list[list[float | None]]] = {one.name: [] for one in algorithms}
    failed: dict[str, str] = {}
    done = 0
    while done < LEAST or (time.monotonic() - start) * (done + 1) / done < budget:
        for i in shuffle.permutation(len(algorithms)):
            one = algorithms[i]
            if one.name in found:
                answer = launched(one, ranks, sizes)
                if answer.refused:
                    failed[one.name] = answer.refused
                if answer.seconds:
                    found[one.name].append(answer.seconds)
                else:
                    del found[one.name]
        done += 1
        tell(f"p = {ranks}: {done} rounds of {len(found)} algorithms, {time.monotonic() - start:.0f} of {budget:.0f} s")
    return Timings(ranks, list(sizes), found, failed)


def launched(algorithm: Algorithm, ranks: int, sizes: Sequence[int]) -> Answer:
    """Time one algorithm in one launch; without times if the ranks fail."""
    paths = {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}  # ranks import what we do
    with tempfile.TemporaryDirectory(prefix="sparring-") as folder:
        file, plan = Path(folder) / "times.json", Path(folder) / "task.json"
        plan.write_bytes(msgspec.json.encode(Task(algorithm.collective, list(sizes), SECONDS, str(file))))
        command, within = [sys.executable, *RANK, str(plan)], {**os.environ, **paths, **algorithm.environment}
        try:
            done = launch.run(command, ranks, timeout=SECONDS + PATIENCE, env=within)
        except TimedOut:
            return Answer([], f"the ranks did not end within {SECONDS + PATIENCE:g} s")
        if done.returncode or not file.exists():
            return Answer([], f"the ranks ended with code {done.returncode}")
        return msgspec.json.decode(file.read_bytes(), type=Answer)


class Deadline(measuring.Deadline):
    """A time limit that lets each length be timed a few times before it counts."""

    def over(self, rounds: int) -> bool:
        return rounds >= FEWEST and super().over(rounds)


def main(task: Task) -> None:
    """Time the calls, and write the Answer on rank 0; if one rank raises, all end."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    with ending_all(comm):
        stay(comm.Get_rank())
        answer = measured(comm, task)
        if comm.Get_rank() == 0:
            Path(task.file).write_bytes(msgspec.json.encode(answer))


def stay(rank: int) -> None:
    """Keep this process on one of the cores that it may use, unless its launcher has done so."""
    if hasattr(os, "sched_setaffinity"):
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {mine[rank % len(mine)]})


def measured(comm: MPI.Intracomm, task: Task) -> Answer:
    """Time the calls that no rank refuses.  Collective."""
    prepared = [prepare(comm, task.collective, n) for n in task.sizes]
    refused = comm.allgather([one if isinstance(one, str) else "" for one in prepared])
    wrong = [next(filter(None, why), "") for why in zip(*refused)]
    calls = {i: one for i, one in enumerate(prepared) if not (wrong[i] or isinstance(one, str))}
    least = dict(zip(calls, fastest(comm, list(calls.values()), task.seconds)))
    return Answer([least.get(i) for i in range(len(wrong))], next(filter(None, wrong), ""))


def fastest(comm: MPI.Intracomm, calls: Sequence[Callable[[], object]], seconds: float) -> list[float]:
    """Return for each call the least of its times, of which each is that of the slowest rank.  Collective."""
    if not calls:
        return []
    lasting = max(measuring.LASTING, measuring.TICKS * measuring.clock())
    rows = np.array(measuring.timed(comm, calls, Deadline(comm, seconds, lambda _: None), lasting))
    slowest = np.empty_like(rows)
    comm.Allreduce(rows, slowest, measuring.maximum())
    least: list[float] = np.where(slowest > 0, slowest, np.inf).min(axis=0).tolist()  # time may be over in a round
    return least


def prepare(comm: MPI.Intracomm, collective: str, n: int) -> Callable[[], object] | str:
    """Return the first of the collective's calls, to be made again and again; or the error that it raises."""
    from mpi4py import MPI

    from sparring.libraries.collectives import COLLECTIVES

    calls: list[Callable[[], object]] = []

    def kept(function: Callable[..., object], *arguments: object) -> None:
        calls.append(partial(function, *arguments))
        function(*arguments)

    root = {"root": 0} if collective == "reduce" else {}
    try:
        COLLECTIVES[collective](comm, np.ones(n), call=kept, **root)
    except MPI.Exception as error:
        return str(error)
    return calls[0]


if __name__ == "__main__":
    main(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Task))
