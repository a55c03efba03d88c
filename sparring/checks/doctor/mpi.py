"""Everything about MPI: runtimes, the launcher, the library, and whether they belong together.

Two MPIs that meet fail quietly: a launcher starts two processes, the other one's library takes each
of them for a run of its own, and both believe to be rank 0 of 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sparring.checks.doctor.checks import FAULT, OK, WARNING, Check, Done
from sparring.checks.ranks.runtimes import MPICHS, UNKNOWN, WHEELS, of

INSTALL = 'pip install "sparring[mpich]"'

FORCED = ("MPI4PY_MPIABI", "MPI4PY_LIBMPI")
"""Environment variables that tell mpi4py which library to load."""

LIBRARY = """
import json, pathlib
import mpi4py
mpi4py.rc(initialize=False, finalize=False)
from mpi4py import MPI
maps = pathlib.Path("/proc/self/maps")
lines = maps.read_text().splitlines() if maps.exists() else []
print(json.dumps({
    "text": MPI.Get_library_version(),
    "standard": ".".join(map(str, MPI.Get_version())),
    "module": pathlib.Path(MPI.__file__).name,
    "files": sorted({line.split()[-1] for line in lines if "/libmpi" in line}),
}))
"""
"""The script of a process that loads mpi4py's library, without starting MPI, and prints what it is."""


class Library(NamedTuple):
    """The answer of a process that ran LIBRARY."""

    text: str
    standard: str
    module: str
    files: list[str]

    @property
    def abi(self) -> str:
        """The MPI whose binary interface mpi4py uses; a wheel has one module for each."""
        middle = self.module.split(".")[1]
        return "its own build's" if middle.startswith(("cpython", "abi3", "pypy")) else middle


def product(text: str) -> str:
    """Return the vendor and version of an MPI from what it prints.

    >>> product("mpiexec (OpenRTE) 4.1.4")
    'Open MPI 4.1.4'
    """
    number = re.search(r"\d+(?:\.\d+)+\w*", text)
    return f"{of(text).name or 'an unknown MPI'} {number[0] if number else ''}".rstrip()


def remedy(wheels: Mapping[str, str], environ: Mapping[str, str]) -> str:
    """Return the commands that make launcher and library one MPI again; ``wheels``: as for :func:`runtimes`."""
    if forced := [name for name in FORCED if name in environ]:
        return f"unset {' '.join(forced)}"
    found = [name for name in WHEELS if name in wheels]
    return f"pip uninstall --yes {' '.join(found)} && pip install {found[0]}" if found else INSTALL


def runtimes(wheels: Mapping[str, str]) -> Check:
    """Check that at most one MPI runtime is installed; ``wheels``: versions by the distribution's normal name."""
    found = [name for name in WHEELS if name in wheels]
    told = ", ".join(f"{name} {wheels[name]}" for name in found)
    if len(found) < 2:
        return Check("MPI runtime", OK, told or "none as a wheel")
    detail = f"{told}: they exclude each other, since each has overwritten the other's mpiexec"
    return Check("MPI runtime", FAULT, detail, remedy(wheels, {}))


def launcher(path: Path | None, told: Done, cure: str, timeout: float) -> Check:
    """Check that the launcher that sparring uses answers; ``told``: its answer to ``--version``."""
    if path is None:
        return Check("launcher", WARNING, "no mpiexec beside this Python or on PATH: only simulated ranks", INSTALL)
    if why := told.failure(timeout):
        return Check("launcher", FAULT, f"{path} --version: {why}", cure)
    if of(told.output) is UNKNOWN:
        return Check("launcher", WARNING, f"{path} is of an unknown MPI: {told.last}", INSTALL)
    return Check("launcher", OK, f"{product(told.output)}, {path}")


def path(used: Path | None, told: Done, first: Path | None, first_told: Done) -> Check:
    """Check that a plain ``mpiexec`` in a shell is the launcher that sparring uses, or at least of the same MPI."""
    if used is None or first is None:
        return Check("PATH", OK, "no mpiexec on PATH")
    if used.resolve() == first.resolve():
        return Check("PATH", OK, "a plain 'mpiexec' is this launcher")
    theirs = f"{first} ({product(first_told.output)})"
    if of(told.output) is of(first_told.output) is not UNKNOWN:
        return Check("PATH", OK, f"a plain 'mpiexec' is another one of the same MPI, {theirs}")
    detail = f"a plain 'mpiexec' is another MPI's, {theirs}; sparring itself uses the launcher above"
    return Check("PATH", WARNING, detail, f'export PATH="{used.parent}:$PATH", or call {used}')


def loaded(done: Done) -> Library | None:
    """Read the answer of the process that ran LIBRARY; None if it failed."""
    try:
        return Library(**json.loads(done.last)) if done.code == 0 else None
    except (ValueError, TypeError):
        return None


def library(done: Done, expected: bool, cure: str, timeout: float) -> Check:
    """Check that mpi4py finds a library; that it finds none is a fault only if an MPI is ``expected``."""
    found = loaded(done)
    if found is None:
        why = done.failure(timeout) or f"answered {done.last!r}"
        return Check("MPI library", FAULT if expected else WARNING, f"mpi4py finds none: {why}", cure)
    details = [product(found.text), f"MPI {found.standard}", f"mpi4py's ABI {found.abi}", *found.files]
    return Check("MPI library", OK, ", ".join(details))


def match(told: Done, done: Done, cure: str) -> Check:
    """Check that launcher and library are of one MPI; ``told`` as for :func:`launcher`, ``done``: LIBRARY's answer."""
    name, found = "launcher and library", loaded(done)
    ours, theirs = of(told.output), of(found.text) if found else UNKNOWN
    if UNKNOWN in (ours, theirs):
        return Check(name, WARNING, "not compared: one of them is missing or unknown")
    if ours is theirs:
        return Check(name, OK, f"both {ours.name}")
    detail = f"the launcher is {ours.name}'s, the library {theirs.name}'s"
    if ours in MPICHS and theirs in MPICHS:
        return Check(name, WARNING, f"{detail}; both descend from MPICH and may understand each other")
    return Check(name, FAULT, f"{detail}: they do not understand each other", cure)
