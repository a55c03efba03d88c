"""Starting a command on several ranks under real MPI, and making sure that it ends.

The launcher is the ``mpiexec`` beside the Python that runs, so that it belongs to the MPI library
installed with it; else the one on ``PATH``.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from sparring import job
from sparring.checks.ranks import runtimes
from sparring.checks.ranks.runtimes import Runtime
from sparring.errors import MissingExtra, SparringError

GRACE = 2.0
"""Seconds between asking processes to end and killing them."""
SHARED = Path("/dev/shm")  # noqa: S108  # MPI chooses it, and it is only looked through
"""Where processes share memory."""
OURS = re.compile("|".join(f"{SHARED}/{its.memory}" for its in runtimes.RUNTIMES))
"""The names of the files there by which MPI moves messages."""


class TimedOut(SparringError, TimeoutError):
    """A command did not end in time and was killed; ``output`` is what it had printed."""

    def __init__(self, command: Sequence[str], ranks: int, timeout: float, output: str) -> None:
        self.output = output
        super().__init__(f"{' '.join(command)} on {ranks} ranks did not end within {timeout:g} s:\n{output}".rstrip())


def find() -> Path | None:
    """Return the launcher, or None if there is none."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = beside if os.access(beside, os.X_OK) else shutil.which("mpiexec")
    return Path(found) if found else None


def launcher() -> Path:
    """Return the launcher; raises MissingExtra if there is none."""
    path = find()
    if path is None:
        raise MissingExtra('no mpiexec beside this Python or on PATH; to install one: pip install "sparring[mpich]"')
    return path


@cache
def runtime(path: Path) -> Runtime:
    """Return the MPI runtime that this launcher belongs to."""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    return runtimes.of(done.stdout)


def flags(path: Path, *, tidy: bool = True) -> list[str]:
    """Return the flags with which this launcher starts more ranks than cores, as any user.

    ``tidy``: when a process fails, the launcher ends the others.  Open MPI's always does.
    """
    its = runtime(path)
    return [*its.crowded, *(its.root if os.geteuid() == 0 else ()), *(() if tidy else its.lasting)]


def environment(path: Path, env: Mapping[str, str]) -> dict[str, str]:
    """Return ``env`` for ranks whose output goes to a file, with what this launcher needs to run beside other jobs.

    Open MPI gives each rank a terminal of its own, on which programs would paint.
    """
    return {**runtime(path).environment, **env, "TERM": "dumb"}


def start(
    command: Sequence[str],
    ranks: int,
    *,
    output: IO[bytes],
    env: Mapping[str, str] | None = None,
    tidy: bool = True,
) -> subprocess.Popen[bytes]:
    """Start ``command`` on ``ranks`` ranks in a session of its own, all that it prints going to ``output``.

    Whoever starts it must :func:`stop` it.  ``tidy``: see :func:`flags`.
    """
    path = launcher()
    return subprocess.Popen(
        [str(path), *flags(path, tidy=tidy), "-n", str(ranks), *command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment(path, os.environ if env is None else env),
        start_new_session=True,
    )


def run(
    command: Sequence[str], ranks: int, *, timeout: float, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``command`` on ``ranks`` ranks to its end; ``stdout`` of the answer holds all that it printed.

    Raises TimedOut after ``timeout`` seconds, MissingExtra without a launcher.  Whatever happens,
    an interrupt included, nothing of it is left running.
    """
    with tempfile.TemporaryFile() as output:  # a pipe would have to be waited for
        process = start(command, ranks, output=output, env=env)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            stop(process)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if code is None:
        raise TimedOut(command, ranks, timeout, text)
    return subprocess.CompletedProcess(process.args, code, text)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a launcher and all that it started: politely, and by force after ``GRACE`` seconds."""
    if process.poll() is not None:
        return
    family = descendants(process.pid)  # a launcher may give each rank a session of its own
    shared = segments(family)
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        end(family)
        process.wait()
        remove(shared)


def end(family: Mapping[int, int]) -> None:
    """Kill these processes if they still live; one born later with the same process id is spared."""
    everyone = processes()
    for pid, birth in family.items():
        if everyone.get(pid, (0, 0))[1] == birth:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def segments(pids: Iterable[int]) -> set[Path]:
    """Return the files in ``/dev/shm`` by which MPI moves messages between these processes.

    MPI removes them in ``MPI_Finalize``, which a process that is killed never comes to.
    """
    found = set()
    for pid in pids:
        with suppress(OSError):  # it has just ended, or is another user's
            lines = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace").splitlines()
            found |= {Path(place) for line in lines if OURS.match(place := line.split(maxsplit=5)[-1])}
    return {path for path in found if path.exists()}  # a file without a name ends with its processes


def remove(shared: Iterable[Path]) -> None:
    """Remove the files that processes shared, which have ended."""
    for path in shared:
        path.unlink(missing_ok=True)


def descendants(*pids: int) -> dict[int, int]:
    """Return the processes below these and when each was born, in clock ticks; none if there is no ``/proc``."""
    everyone = processes()
    found: dict[int, int] = {}
    fresh = {*pids}
    while fresh:
        fresh = {child for child, (parent, _) in everyone.items() if parent in fresh}
        found |= {child: everyone[child][1] for child in fresh}
    return found


def suspended(pid: int) -> dict[int, int | None]:
    """Return which of the process and its descendants are stopped, as by SIGSTOP, and their ranks, where known."""
    found = {}
    for one in (pid, *descendants(pid)):
        with suppress(OSError):
            if Path(f"/proc/{one}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T":
                pairs = (word.partition(b"=") for word in Path(f"/proc/{one}/environ").read_bytes().split(b"\0"))
                found[one] = rank({os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs})
    return found


def rank(environment: Mapping[str, str]) -> int | None:
    """Read a process's rank from the environment that its launcher set; None if it is not there."""
    told = (environment[name] for name in job.VARIABLES if name in environment)
    return next((int(one) for one in told if one.isdigit()), None)


def processes() -> dict[int, tuple[int, int]]:
    """Return the parent and time of birth of every living process, by process id."""
    table = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, parent, *rest = path.read_text().rpartition(")")[2].split()
            if state != "Z":
                table[int(path.parent.name)] = int(parent), int(rest[17])
    return table
