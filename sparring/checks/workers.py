"""One launch of a group's processes: from the launcher's start to the last process's end."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO

from sparring.checks import launch
from sparring.checks.line import Line
from sparring.checks.rank import HERE
from sparring.errors import InputError, SparringError

OURS = tuple(f'  File "{room}{os.sep}' for room in HERE)
"""How a frame of ours begins in a stack."""
BESIDE = (f"{os.sep}proofs{os.sep}trace{os.sep}", "<frozen importlib")
"""In a frame of the communicator that notes what is sent, or of an import that is under way."""
OUTSIDE = "  outside the target: before its first call, or after its last"
TAIL = 1 << 16
"""Bytes of a log that are read, at most."""


class Workers:
    """``size`` waiting processes; ``lines[r]`` leads to rank ``r``.

    ``loaded``: the targets that all have; ``environment``: what is set for them.
    Raises MissingExtra without a launcher; SparringError if the processes do not report within
    ``timeout`` seconds; InputError if launcher and MPI library do not belong together.
    """

    def __init__(self, size: int, timeout: float, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self.size, self.lines, self.environment = size, dict[int, Line](), environment
        self.shared, self.loaded = set[Path](), set[str]()
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
            paths = os.pathsep.join(map(os.path.abspath, sys.path))  # what the driver can import, they can
            env = {**os.environ, "PYTHONPATH": paths, "TMPDIR": str(self.folder)}  # what they leave goes with it
            env |= self.environment
            self.process = self.launched(log, env)
            try:
                self._greet(hub, time.monotonic() + timeout)
                self.shared = launch.segments(self.pids())
            except BaseException:
                self.close()
                raise

    def launched(self, output: IO[bytes], env: dict[str, str]) -> subprocess.Popen[bytes]:
        """What starts the processes, in a session of its own."""
        command = [sys.executable, "-P", "-m", "sparring.checks.worker", str(self.folder)]
        its = launch.runtime(launch.launcher())  # ranks may be more than cores, so those that wait give way
        return launch.start(command, self.size, output=output, env={**its.giving_way, **env}, tidy=False)

    def starter(self) -> str:
        """Its name."""
        return str(launch.find())

    def _greet(self, hub: socket.socket, deadline: float) -> None:
        """Wait until every rank has reported."""
        hub.settimeout(0.1)
        while len(self.lines) < self.size:
            try:
                line = Line(hub.accept()[0])
                line.socket.settimeout(max(0.1, deadline - time.monotonic()))
                self._admit(line)
            except (TimeoutError, EOFError):
                self._check_alive(deadline)

    def _admit(self, line: Line) -> None:
        hello = line.receive().header
        self.lines[hello["rank"]] = line
        if hello["size"] != self.size:
            raise InputError(
                f"{launch.find()} started {self.size} processes, but each believes to be rank {hello['rank']} of "
                f"{hello['size']}: their MPI library ({hello['library']}) belongs to another launcher. "
                'Install both from one place: pip install "sparring[mpich]"'
            )

    def _check_alive(self, deadline: float) -> None:
        if self.process.poll() is not None:
            raise SparringError(f"{self.starter()} ended with code {self.process.returncode}:\n{self.log()}")
        if time.monotonic() > deadline:
            missing = sorted(set(range(self.size)) - set(self.lines))
            raise SparringError(f"ranks {missing} of {self.size} did not start in time:\n{self.log()}")

    def log(self, rank: int | None = None) -> str:
        """The end of what rank ``rank`` has printed during its last example, or of what the launcher has."""
        path = self.folder / ("launcher" if rank is None else f"rank{rank}")
        if not path.exists():
            return ""
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL))
            return file.read().decode(errors="replace").strip()

    def stack(self, rank: int) -> str:
        """Where in the target rank ``rank`` was when its time was up, innermost call first; empty if it did not say."""
        _, _, dump = self.log(rank).rpartition("Timeout (")
        main = dump.rpartition("(most recent call first):\n")[2]
        frames = re.findall(r'^  File ".*$', main, flags=re.MULTILINE)
        calls = [i for i, frame in enumerate(frames) if frame.startswith(OURS)]  # the outermost waits for examples
        called = [frame for frame in frames[: max(calls, default=None)] if not frame.startswith(OURS)]
        within = [frame for frame in called if not any(part in frame for part in BESIDE)]
        return "\n".join(within) or (OUTSIDE if frames else "")

    def pids(self) -> list[int]:
        """The launcher and all processes below it."""
        return [self.process.pid, *launch.descendants(self.process.pid)]

    def close(self) -> None:
        """Hang up, which ends the processes, and see that they have ended."""
        for line in self.lines.values():
            line.close()
        try:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0 if self.lines else 0)
        finally:
            launch.stop(self.process)
            launch.remove(self.shared)  # they end without MPI_Finalize, in which all would have to take part
            self._folder.cleanup()
