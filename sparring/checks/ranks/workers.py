"""One launch of a group's processes: from the launcher's start to the last process's end."""

from __future__ import annotations

import math
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO

from sparring.checks.ranks import guard, launch
from sparring.checks.ranks.exit_status import End
from sparring.checks.ranks.rank import HERE
from sparring.checks.ranks.sockets import Line, Message
from sparring.checks.ranks.worker import ASKED, TOLD
from sparring.errors import InputError, SparringError

OURS = tuple(f'  File "{room}{os.sep}' for room in HERE)
"""How a frame of ours begins in a stack."""
BESIDE = (f"{os.sep}sparring{os.sep}trace{os.sep}", f"{os.sep}multiprocessing{os.sep}", "<frozen ")
"""Paths in frames of the recording communicator, of a fork, or of an import that is under way."""
OUTSIDE = "  outside the target: before its first call, or after its last"
TAIL = 1 << 16
"""Bytes of a log that are read, at most."""
DUMP = re.compile(rf"^(?:Timeout|{ASKED.split()[0]}) \(.*$", re.MULTILINE)
"""What begins a stack in a log."""
EXTENSIONS = re.compile(r"\n+Extension modules: .*")
"""What Python adds to a crash's stack, and nobody reads."""
STOPPED = 1.0
"""Seconds after which a stopped process counts as one that nobody lets go on."""
GRACE = 0.5
"""Seconds for what comes in a moment: the others' answers once one has failed, a process's end, a stack."""


def beside(line: str) -> bool:
    """Return whether this line of a stack is a frame outside of the target.

    >>> beside('  File "<frozen runpy>", line 88 in _run_code'), beside('  File "mine.py", line 5 in allreduce')
    (True, False)
    """
    return line.startswith(OURS) or (line.startswith('  File "') and any(part in line for part in BESIDE))


def when(file: str) -> int:
    """Return the time at which the file was last written, in nanoseconds; 0 if it is gone."""
    with suppress(OSError):
        return Path(file).stat().st_mtime_ns
    return 0


class Workers:
    """``size`` waiting processes; ``lines[r]`` leads to rank ``r``.

    ``guards``: lines to the parents of the ranks, which report how ranks end; ``ends``: these reports, by process id.
    ``loaded``: the targets that all ranks have loaded; ``imported``: files of modules that came with the targets;
    ``asked``: when the last example began; ``environment``: variables that are set for the processes.
    Raises MissingExtra without a launcher; SparringError if the processes do not report within
    ``timeout`` seconds; InputError if launcher and MPI library do not belong together.
    """

    def __init__(self, size: int, timeout: float, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self.size, self.lines, self.environment = size, dict[int, Line](), environment
        self.shared, self.loaded, self.imported = set[Path](), set[str](), set[str]()
        self.written = dict[str, int]()
        self.guards, self.ends, self.pid_of = dict[int, Line](), dict[int, End](), dict[int, int]()
        self.guarded, self.asked = dict[int, int | None](), 0.0
        self._folder = tempfile.TemporaryDirectory(prefix="sparring-")
        self.folder = Path(self._folder.name)
        try:
            self._start(timeout)
        except BaseException:
            self._folder.cleanup()
            raise

    def _start(self, timeout: float) -> None:
        with socket.socket(socket.AF_UNIX) as hub, (self.folder / "launcher").open("wb") as log:
            hub.bind(str(self.folder / "driver"))
            hub.listen(self.size)
            paths = os.pathsep.join(map(os.path.abspath, sys.path))  # the ranks can import what the driver can
            env = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(self.folder)}  # files left by ranks go with it
            env |= self.environment
            self.process = self.launched(log, env)
            try:
                self._greet(hub, time.monotonic() + timeout)
                self.shared = launch.segments(self.pids())
                self._tell_guards(b"".join(os.fsencode(path) + b"\0" for path in self.shared))
            except BaseException:
                self.close()
                raise

    def keep(self, target: str, imported: set[str]) -> None:
        """Note that all ranks have loaded the target, and with it the files ``imported``."""
        self.loaded.add(target)
        self.imported.update(imported)
        place = target.rpartition(":")[0]
        self.written |= {file: when(file) for file in [*imported, *[place] * place.endswith(".py")]}

    def outdated(self) -> bool:
        """Return whether a loaded file has been written since the ranks loaded it."""
        return any(when(file) != then for file, then in self.written.items())

    def launched(self, output: IO[bytes], env: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start the launcher of the processes, in a session of its own, and return it."""
        command = [sys.executable, "-P", "-m", "sparring.checks.ranks.guard", str(self.folder)]
        its = launch.runtime(launch.launcher())  # ranks may be more than cores, so those that wait give way
        return launch.start(command, self.size, output=output, env={**its.giving_way, **env}, tidy=False)

    def starter(self) -> str:
        """Return the name of the launcher that started the processes."""
        return str(launch.find())

    def _greet(self, hub: socket.socket, deadline: float) -> None:
        """Wait until every rank and every guard has reported."""
        hub.settimeout(0.1)
        while len(self.lines) < self.size or len(self.guarded) < self.size:
            try:
                line = Line(hub.accept()[0])
                line.socket.settimeout(max(0.1, deadline - time.monotonic()))
                self._admit(line)
            except (TimeoutError, EOFError):
                self._check_alive(deadline)

    def _admit(self, line: Line) -> None:
        hello = line.receive().header
        if "guard" in hello:
            self.guards[hello["guard"]] = line
            self.guarded |= dict(hello["ranks"])
            return
        self.lines[hello["rank"]], self.pid_of[hello["rank"]] = line, hello["pid"]
        if hello["size"] != self.size:
            raise InputError(
                f"{launch.find()} started {self.size} processes, but each believes to be rank {hello['rank']} of "
                f"{hello['size']}: their MPI library ({hello['library']}) belongs to another launcher. "
                'Install both from one place: pip install "sparring[mpich]"'
            )

    def _check_alive(self, deadline: float) -> None:
        self.hear(0)
        if self.process.poll() is not None:
            raise SparringError(f"{self.starter()} ended with code {self.process.returncode}:\n{self.log()}")
        if self.ends and self.halted(self.ends):
            raise SparringError(self._unready())
        if time.monotonic() > deadline:
            missing = sorted(set(range(self.size)) - set(self.lines))
            raise SparringError(f"ranks {missing} of {self.size} did not start in time:\n{self.log()}")

    def _unready(self) -> str:
        """Say which process was the first to end, or be stopped, before all had reported."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)  # its launcher passes on what it said
        pid, end = min(self.ends.items(), key=lambda one: one[1].at)
        who = "a rank" if self.guarded[pid] is None else f"rank {self.guarded[pid]}"
        return f"{who} of {self.size} {end.words}, before all had started:\n{self.log()}".rstrip(":\n")

    def hear(self, seconds: float) -> None:
        """Read the reports of the guards; wait up to ``seconds`` for the first one."""
        ready, _, _ = select.select([*self.guards.values()], [], [], seconds)
        for line in ready:
            try:
                told = line.receive().header
            except (EOFError, OSError):  # the guard was killed, and its rank with it
                line.close()
                self.guards = {pid: one for pid, one in self.guards.items() if one is not line}
                continue
            end = End(told["status"], told["at"])
            self.ends[told["pid"]] = end
            if end.goes_on:
                del self.ends[told["pid"]]

    def end(self, rank: int) -> End | None:
        """Return how this rank has ended or was stopped; None if it runs, or its guard has not reported yet."""
        return self.ends.get(self.pid_of[rank])

    def stopped(self, pids: Iterable[int]) -> float:
        """Return the time since which the first of these processes is stopped; infinity if none is."""
        return min((self.ends[pid].at for pid in pids if pid in self.ends and self.ends[pid].stopped), default=math.inf)

    def halted(self, pids: Iterable[int]) -> bool:
        """Return whether one of these processes has ended, or has been stopped for over ``STOPPED`` seconds."""
        ends = [self.ends[pid] for pid in pids if pid in self.ends]
        return any(not end.stopped or time.monotonic() - end.at > STOPPED for end in ends)

    def wait_for_ends(self, dead: Iterable[int]) -> None:
        """Wait, up to ``GRACE`` seconds, until the guards report how these ranks ended, whose lines have ended."""
        deadline = time.monotonic() + GRACE
        while self.guards and any(self.end(r) is None for r in dead) and (left := deadline - time.monotonic()) > 0:
            self.hear(left)

    def log(self, rank: int | None = None) -> str:
        """Return the end of what rank ``rank`` printed during its last example, or of what the launcher printed."""
        path = self.folder / ("launcher" if rank is None else f"rank{rank}")
        if not path.exists():
            return ""
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL))
            text = EXTENSIONS.sub("", file.read().decode(errors="replace"))
        return "\n".join(line for line in text.splitlines() if not beside(line)).strip()

    def stacks(self, ranks: Iterable[int]) -> dict[int, str]:
        """Return where in the target those of these ranks are that still run; "" for one that does not say."""
        asked = [r for r in ranks if self.end(r) is None]
        for r in asked:
            self.lines[r].socket.settimeout(GRACE)
            with suppress(OSError):
                self.lines[r].send(Message({"where": True}))
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and not all(TOLD in self.log(r) for r in asked):
            time.sleep(0.02)
        return {r: self.stack(r) for r in asked}

    def stack(self, rank: int) -> str:
        """Return where in the target ``rank`` last said it was, innermost call first; empty if it did not say."""
        *before, dump = DUMP.split(self.log(rank))
        if not before:
            return ""
        main = dump.rpartition("(most recent call first):\n")[2]
        frames = re.findall(r'^  File ".*$', main, flags=re.MULTILINE)
        calls = [i for i, frame in enumerate(frames) if frame.startswith(OURS)]  # the outermost waits for examples
        within = [frame for frame in frames[: max(calls, default=None)] if not beside(frame)]
        return "\n".join(within) or (OUTSIDE if frames else "")

    def _tell_guards(self, what: bytes) -> None:
        for line in self.guards.values():
            with suppress(OSError):  # it has ended
                line.socket.sendall(what)

    def pids(self) -> list[int]:
        """Return the process ids of the launcher and of all processes below it."""
        return [self.process.pid, *self._family()]

    def _family(self) -> dict[int, int]:
        """Return all processes below the launcher, even if it has ended, and when each was born."""
        return launch.descendants(self.process.pid, *self.guards, *self.pid_of.values())

    def close(self) -> None:
        """Hang up, which ends the processes, and make sure that they have ended."""
        family = self._family()
        shared = self.shared | launch.segments(family)  # ranks end without MPI_Finalize, which needs all of them
        self._tell_guards(guard.BYE)
        for line in (*self.lines.values(), *self.guards.values()):
            line.close()
        try:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0 if self.lines or self.guards else 0)
        finally:
            launch.stop(self.process)
            launch.end(family)
            launch.remove(shared)
            self._folder.cleanup()
