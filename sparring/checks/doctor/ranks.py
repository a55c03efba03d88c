"""Real ranks at work: two of ours, what a plain ``mpiexec`` says, and the memory that ranks share."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from sparring.checks.doctor.checks import FAULT, OK, WARNING, Check, Done
from sparring.checks.ranks import launch, runtimes
from sparring.checks.ranks.runtimes import Runtime

RANKS = """
import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
comm.Barrier()
many = "many" if MPI.Query_thread() == MPI.THREAD_MULTIPLE else "one"
os.write(1, f"rank {comm.rank} of {comm.size}\\nthreads: {many}\\n".encode())
"""
"""The script that each of two ranks runs."""

NEEDED = 48 << 20
"""Bytes of shared memory for 8 ranks of MPICH, which takes the most (43 MB mapped, measured)."""


def two(done: Done | None, cure: str, timeout: float) -> Check:
    """Check that two ranks that the launcher started see each other; None: there is no launcher."""
    if done is None:
        return Check("two ranks", WARNING, "not tried: there is no launcher that answers")
    seen = sorted(re.findall(r"^rank (\d+) of (\d+)\r?$", done.output, flags=re.MULTILINE))
    if done.code == 0 and seen == [("0", "2"), ("1", "2")]:
        if "threads: one" in done.output:
            return Check("two ranks", WARNING, "see each other, but only one thread of each may call MPI")
        return Check("two ranks", OK, "started, and see each other; any thread may call MPI")
    if ("0", "1") in seen:
        detail = f"{len(seen)} processes started, each believes to be rank 0 of 1: launcher and library do not match"
    else:
        detail = done.failure(timeout) or f"saw {done.last!r} instead of ranks 0 and 1 of 2"
    return Check("two ranks", FAULT, detail, cure)


def check_plain_mpiexec(done: Done | None, count: int, its: Runtime, timeout: float) -> Check:
    """Check that a plain ``mpiexec -n COUNT``, one more than there are cores, starts; None: there is no launcher."""
    name, call = "plain call", f"mpiexec -n {count}"
    if done is None:
        return Check(name, WARNING, "not tried: there is no launcher that answers")
    if done.code == 0:
        return Check(name, OK, f"'{call} ...' starts, one rank more than cores")
    flags = [*its.crowded, *(its.root if os.geteuid() == 0 else ())]
    once = " ".join(f"{name}={value}" for name, value in its.always.items())
    cure = f"mpiexec {' '.join(flags)} -n {count} ..., or once: export {once}; sparring's own calls do so"
    words = [line for line in done.output.splitlines() if re.search("[a-z]", line)]
    why = words[0].strip() if done.code is not None and words else done.failure(timeout)
    return Check(name, WARNING, f"'{call} ...' refuses: {why}", cure if flags else "")


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory(free: int | None, left: Sequence[Path]) -> Check:
    """Check that ranks have memory to share, and that killed jobs ``left`` no files there; ``free`` None: no folder."""
    name = "shared memory"
    if free is None:
        return Check(name, OK, f"there is no {launch.SHARED} here")
    told = f"{free / 1e6:.0f} MB free in {launch.SHARED}"
    if left:
        size = sum(path.stat().st_size for path in left if path.exists()) / 1e6
        detail = f"{told}; {len(left)} files of {size:.0f} MB are of MPI jobs that were killed"
        names = " ".join(sorted({f"{path.parent}/{prefix(path)}*" for path in left}))
        return Check(name, WARNING, detail, f"while no MPI job runs: rm {names}")
    if free < NEEDED:
        detail = f"{told}; 8 ranks may need {NEEDED / 1e6:.0f} MB, and die of SIGBUS where there is less"
        return Check(name, WARNING, detail, "in a container: docker run --shm-size=1g")
    return Check(name, OK, told)


def prefix(path: Path) -> str:
    """Return how the names of the MPI files like this one begin."""
    return next((found[0] for its in runtimes.RUNTIMES if (found := re.match(its.memory, path.name))), path.name)


def free(folder: Path) -> int | None:
    """Return the bytes that are free in the folder's file system; None if there is no such folder."""
    return shutil.disk_usage(folder).free if folder.is_dir() else None


def orphans(folder: Path) -> list[Path]:
    """Return this user's MPI files in the folder that no living process of the user has mapped."""
    if not folder.is_dir():
        return []
    alive = launch.segments(launch.processes())
    names = re.compile("|".join(its.memory for its in runtimes.RUNTIMES))
    ours = (path for path in folder.iterdir() if names.match(path.name) and path.stat().st_uid == os.geteuid())
    return sorted(set(ours) - alive)
