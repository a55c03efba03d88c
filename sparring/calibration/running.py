"""Measures on the ranks of the job that this process is one of, or on ranks that it starts."""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from sparring import job
from sparring.calibration import measuring
from sparring.calibration.measuring import Tell, Times
from sparring.calibration.profile import profile
from sparring.calibration.quantities import quantities
from sparring.calibration.rank import Task
from sparring.checks.doctor.ranks import cores
from sparring.checks.ranks import launch
from sparring.costs.links.machines import Machine
from sparring.errors import InputError, SparringError
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target

RANK = ("-P", "-m", "sparring.calibration.rank")
Ready = Callable[[], object]
"""A check that raises beforehand whatever would make the measurement useless."""
PATIENCE = 60.0
"""Seconds beyond those of the measurement that real ranks get: to begin, and to end the call that they are in."""


class Plan(NamedTuple):
    """The pages to measure, the number of ranks, and the time in seconds."""

    pages: list[Page]
    ranks: int
    seconds: float

    @property
    def names(self) -> list[str]:
        """The names of the algorithms."""
        return [page.name for page in self.pages]


def plan(algos: Sequence[str], ranks: int | None, seconds: float, ready: Ready) -> Plan:
    """Return the plan for what was asked; raise InputError for what cannot be.

    ``ranks``: by default the job's, or as many as there are cores, at least two; ``ready`` is called on
    rank 0, which alone will write.
    """
    launched = job.launched()
    if launched and ranks not in (None, launched[1]):
        raise InputError(f"--ranks {ranks}, but mpiexec started {launched[1]} ranks")
    many = launched[1] if launched else ranks or max(2, cores())
    if many < 2:
        raise InputError("1 rank sends no messages that could be timed; right: mpiexec -n 2, or --ranks 2, or more")
    if not (math.isfinite(seconds) and seconds > 0):
        raise InputError(f"--seconds {seconds:g}: how long to measure is a number above 0")
    if not (launched and launched[0]):
        ready()
    return Plan(chosen(algos), many, seconds)


def chosen(algos: Sequence[str]) -> list[Page]:
    """Return the pages of these algorithms, by default all that are implemented; raise InputError if one is not."""
    found = [pages.find(name) for name in dict.fromkeys(algos or pages.names())]
    if algos and (missing := [page.name for page in found if find_target(page) is None]):
        raise InputError(f"{missing[0]}: there is no implementation of this name, which could be timed")
    return [page for page in found if find_target(page)]


def check_writable(file: Path) -> None:
    """Raise InputError before the measurement for what could not be written after it; change nothing."""
    fresh = not file.exists()
    try:
        file.open("ab").close()
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
    if fresh:
        file.unlink()


def calibrated(
    algos: Sequence[str] = (), ranks: int | None = None, seconds: float = 20.0, *,
    ready: Ready = lambda: None, tell: Tell = lambda _: None,
) -> Machine | None:  # fmt: skip
    """Measure on real ranks, and return the machine that they are; None on the ranks of a job other than 0.

    Raises InputError for what cannot be measured, SparringError if ranks that were started failed, with what they said.
    """
    if job.launched():
        return as_a_rank(algos, ranks, seconds, ready, tell)
    asked = plan(algos, ranks, seconds, ready)
    tell(f"{asked.ranks} ranks are starting, and measure for {seconds:g} s")
    return made(started(asked), asked, tell)


def as_a_rank(algos: Sequence[str], ranks: int | None, seconds: float, ready: Ready, tell: Tell) -> Machine | None:
    """Measure on this job's ranks, as :func:`calibrated`; a rank that raises ends the whole job, with its traceback."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    unlike = "it was asked for something else than rank 0; right: one command for all ranks"
    asked = job.together(comm, lambda: plan(algos, ranks, seconds, ready), lambda p: f"{p.names} {p.seconds}", unlike)
    talk: Tell = tell if comm.Get_rank() == 0 else lambda _: None
    talk(f"{asked.ranks} ranks measure for {seconds:g} s")
    with job.ending_all(comm):
        times = measuring.measure(comm, asked.names, asked.seconds, talk)
    return None if comm.Get_rank() else made(times, asked, tell)


def started(asked: Plan) -> Times:
    """Measure on ranks that are started here for this alone; raise SparringError with their output if they fail."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}  # they import what we do
    with tempfile.TemporaryDirectory(prefix="sparring-") as folder:
        file = Path(folder) / "times.json"
        task = msgspec.json.encode(Task(asked.names, asked.seconds, str(file))).decode()
        done = launch.run([sys.executable, *RANK, task], asked.ranks, timeout=2 * asked.seconds + PATIENCE, env=env)
        if done.returncode or not file.exists():
            raise SparringError(f"the ranks ended with code {done.returncode}:\n{done.stdout}".rstrip())
        return msgspec.json.decode(file.read_bytes(), type=Times)


def made(times: Times, asked: Plan, tell: Tell) -> Machine:
    """Return the machine that the times show."""
    tell("fitting, and deriving what algorithms cost")
    return profile(times, quantities(asked.ranks, asked.pages), asked.pages)
