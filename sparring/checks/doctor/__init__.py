"""What this environment has, and what is wrong with it.

Every look is a small function that is handed what was found and says what to think of it; here is
where things are found.  Solvers, libraries and MPI are tried in processes of their own, so that
one that crashes or hangs is told of like any other fault.  Nothing here needs more than Python, click
and rich: the doctor must be able to come when all else is broken.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from sparring.checks.doctor import mpi, parts, ranks
from sparring.checks.doctor.checks import FAULT, Check, Done, child
from sparring.checks.ranks import launch, runtimes

TIMEOUT = 30.0
"""Seconds that one process gets."""
FOLDER = Path(__file__).parents[2]
UNASKED = Done(0, "")


def examine(timeout: float = TIMEOUT) -> Iterator[Check]:
    """Look at everything, one after the other."""
    yield parts.python(sys.version_info[:3], sys.executable)
    yield parts.package(installed("sparring"), FOLDER)
    yield parts.links(FOLDER)
    for name, part in parts.PARTS.items():
        yield parts.check_part(name, installed(part.distribution), run_question(part.question, timeout), timeout)
    yield from examine_mpi(timeout)
    yield parts.coq(shutil.which("coqc"))


def examine_mpi(timeout: float) -> Iterator[Check]:
    """Look at the launcher, the library, and both at work."""
    used, on_path = launch.find(), shutil.which("mpiexec")
    first = Path(on_path) if on_path else None
    told, first_told = (child([str(at), "--version"], timeout) if at else UNASKED for at in (used, first))
    library, wheels = run_question(mpi.LIBRARY, timeout), wheel_versions()
    cure = mpi.remedy(wheels, os.environ)
    yield mpi.runtimes(wheels)
    answering = mpi.launcher(used, told, cure, timeout)
    yield answering
    yield mpi.path(used, told, first, first_told)
    yield mpi.library(library, bool(used or set(runtimes.WHEELS) & set(wheels)), cure, timeout)
    yield mpi.match(told, library, cure)
    usable = used if answering.verdict != FAULT else None
    yield ranks.two(two_ranks(usable, timeout) if usable else None, cure, timeout)
    many = ranks.cores() + 1
    crowd = child([str(usable), "-n", str(many), "true"], timeout) if usable else None
    yield ranks.check_plain_mpiexec(crowd, many, runtimes.of(told.output), timeout)
    yield ranks.memory(ranks.free(launch.SHARED), ranks.orphans(launch.SHARED))


def two_ranks(launcher: Path, timeout: float) -> Done:
    """Start two ranks that print their rank and the number of ranks."""
    command = [str(launcher), *launch.flags(launcher), "-n", "2", sys.executable, "-P", "-c", ranks.RANKS]
    return child(command, timeout)


def run_question(question: str, timeout: float) -> Done:
    """Run ``question`` in a Python like this one, which does not import from the current folder."""
    return child([sys.executable, "-P", "-c", question], timeout)


def installed(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def wheel_versions() -> dict[str, str]:
    """Return the versions of all installed distributions, by normal name: small letters, single dashes."""
    return {re.sub(r"[-_.]+", "-", d.name).lower(): d.version for d in distributions() if d.name}
