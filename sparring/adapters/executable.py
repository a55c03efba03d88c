"""Programs in any language: vectors come and results go as files.  ``docs/reference/file-targets.md`` has the form."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sparring.adapters import recorder, vectorfiles
from sparring.checks.ranks import launch, runtimes
from sparring.checks.ranks.answers import Examined
from sparring.checks.ranks.exit_status import End
from sparring.checks.ranks.group import Hang
from sparring.checks.ranks.workers import STOPPED
from sparring.errors import InputError, RankFailed
from sparring.refinement.example import DTYPES
from sparring.trace import files
from sparring.trace.events import Trace

if TYPE_CHECKING:
    from sparring.checks.question import Question

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
HINT = "write it as in mpiexec -n {p} ./a.out {input} {output}, or ./a.out {batch} for many examples a launch"
LOOK = 0.5
"""Seconds between two looks at what a program does."""
BANNER = re.compile(r"^=+\n= +BAD TERMINATION|^-+\n(prterun|mpirun|mpiexec|Primary job|MPI_ABORT) ", re.MULTILINE)
"""The line with which launchers begin to report that a process has failed."""
REASON = re.compile(
    r"(?:EXIT STRING|KILLED BY SIGNAL): (.+)|(rank \d+ with PID \d+ on node \S+ exited on\s+signal .+)\.$", re.MULTILINE
)
"""The short reasons in such reports: MPICH's, Intel MPI's, Open MPI's.  The first two may name whom they ended."""
UNSEEN: Mapping[str, str] = dict.fromkeys(("input untouched", "own memory"), "the memory of a program is its own")


class Failed(RankFailed):
    """An error: a program did not do what it must; the message is one sentence."""

    def __init__(self, why: str, rank: int = 0) -> None:
        super().__init__(rank, why)
        self.args = (why,)


class Stuck(Hang):
    """An error: a program did not end in time."""

    def __init__(self, why: str) -> None:
        super().__init__([0], 1, 0, {0: ""})
        self.args = (why,)


class Executable:
    """A program, started anew for each example: ``mpiexec -n {p} ./a.out {input} {output}``.

    Raises InputError where a word is missing, or there is no such program.
    """

    dtypes: ClassVar[Sequence[str]] = DTYPES
    examples: ClassVar[int] = 30
    patience: ClassVar[float] = 20.0
    costly: ClassVar[bool] = False
    needed: ClassVar[Sequence[str]] = ("p", "input", "output")

    def __init__(self, question: Question) -> None:
        words = list(question.target)
        sensible(words, self.needed, {*question.params, *(question.page.params if question.page else ())})
        if question.stateful:
            raise InputError("a program gets one vector a rank and keeps none: no algorithm that selects entries")
        self.folder = tempfile.TemporaryDirectory(prefix="sparring-")
        self.library = recorder.built(Path(self.folder.name)) if question.level != "result" else None

    def load(self, target: Sequence[str]) -> None:
        """Do nothing: each example is a launch of its own, which includes loading."""

    def examine(
        self, target: Sequence[str], xs: Sequence[Any], *, calls: int = 1, rows: bool = False, trace: bool = False,
        timeout: float = 20.0, **params: Any,
    ) -> Examined:  # fmt: skip
        """Run the program ``calls`` times, with ``xs[r]`` for rank ``r``; raise Failed or Stuck."""
        played = [self.play(target, xs, timeout, params, trace=trace) for _ in range(calls)]
        return Examined([ys for ys, _ in played], list(xs), played[-1][1], [], UNSEEN)

    def play(
        self, words: Sequence[str], xs: Sequence[Any], timeout: float, params: Mapping[str, Any], *, trace: bool
    ) -> tuple[list[Any], Trace | None]:
        """Return what every rank writes, and what it sends, where that is traced."""
        name = shown(words, len(xs))
        with tempfile.TemporaryDirectory(prefix="sparring-") as place:
            given, written = Path(place, "input"), Path(place, "output")
            put(given, written, xs)
            values = {"p": len(xs), "input": given, "output": written, **params}
            preload = recorder.environment(self.library, Path(place)) if self.library and trace else {}
            run([filled(word, values) for word in words], name, timeout, preload)
            ys = [result(written, r, len(xs), name) for r in range(len(xs))]
            return ys, sent(Path(place), name, len(xs)) if preload else None

    def stop(self) -> None:
        """Remove the recorder; nothing else lives longer than its example."""
        self.folder.cleanup()


def put(given: Path, written: Path, xs: Sequence[Any]) -> None:
    """Make an example's two folders, and write every rank's vector."""
    for folder in (given, written):
        folder.mkdir(parents=True)
    for r, x in enumerate(xs):
        vectorfiles.write(given, r, len(xs), x)


def sensible(words: Sequence[str], needed: Sequence[str], params: set[str]) -> None:
    """Raise InputError where the command has a word too few, or one that nobody knows."""
    found, known = {name for word in words for name in PLACEHOLDER.findall(word)}, {*needed, *params}
    if "batch" in needed and (both := sorted(found & {"input", "output"} - params)):
        raise InputError(f"{{batch}} and {{{both[0]}}}: {{batch}} has the files of all examples; leave the other out")
    if missing := [name for name in needed if name not in found]:
        raise InputError(f"{' '.join(words)!r} has no {{{missing[0]}}}: {HINT}")
    if odd := sorted(found - known):
        raise InputError(f"nobody knows {{{odd[0]}}}: there are {', '.join(f'{{{name}}}' for name in sorted(known))}")
    for word in words:
        if word.startswith(("./", "../")) and not PLACEHOLDER.search(word) and not Path(word).exists():
            raise InputError(f"no file {word}, wanted by the command: build it first")
    program(words[0])


def program(word: str) -> str:
    """Return where the program is: on PATH, else beside this Python, where the wheels of MPI put theirs."""
    found = shutil.which(word) or shutil.which(word, path=Path(sys.executable).parent)
    if found is None:
        raise InputError(f"no program {word!r} on PATH or beside {sys.executable}")
    return found


def filled(word: str, values: Mapping[str, Any]) -> str:
    """Return the word with values in the place of names."""
    return PLACEHOLDER.sub(lambda match: str(values[match[1]]), word)


def shown(words: Sequence[str], p: int) -> str:
    """Return the command as shown to users: with the number of ranks, without the folders' names."""
    return " ".join(words).replace("{p}", str(p))


def run(
    words: Sequence[str], name: str, timeout: float, env: Mapping[str, str], done: Callable[[], int] = lambda: 0
) -> None:
    """Run a command to its end; raise Failed or Stuck.  Nothing of it is left running.

    The ``timeout`` begins anew whenever the command has ``done`` more.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [program(words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env={**environment(), **env}, start_new_session=True,
        )  # fmt: skip
        try:
            code = awaited(process, timeout, done, Halts(process, name))
        except subprocess.TimeoutExpired:
            raise Stuck(f"'{name}' did not end within {timeout:g} s") from None
        finally:
            launch.stop(process)
        output.seek(0)
        said, launcher = last_lines(output.read().decode(errors="replace"))
    if code:
        how = f"ended with exit code {code}" if code > 0 else f"{End(-code, 0.0).words},"
        raise Failed(f"'{name}' {f'{how}{said}{launcher}'.rstrip(',')}{': it must be 0' * (code > 0)}")


def awaited(process: subprocess.Popen[bytes], timeout: float, done: Callable[[], int], halts: Halts) -> int:
    """Return the exit code of the process.

    Raises TimeoutExpired once it has done nothing more for ``timeout`` seconds, Failed if a process is stopped.
    """
    seen, end = -1, 0.0
    while True:
        if (now := done()) > seen:
            seen, end = now, time.monotonic() + timeout
        try:
            return process.wait(min(LOOK, max(0.0, end - time.monotonic())))
        except subprocess.TimeoutExpired:
            halts.look()
            if time.monotonic() >= end and done() <= seen:
                raise


@dataclass
class Halts:
    """The stopped processes of a command, and when each was first seen stopped."""

    process: subprocess.Popen[bytes]
    name: str
    since: dict[int, float] = field(default_factory=dict)

    def look(self) -> None:
        """Raise Failed once one has been stopped for ``STOPPED`` seconds."""
        now, ranks = time.monotonic(), launch.suspended(self.process.pid)
        self.since = {pid: self.since.get(pid, now) for pid in ranks}
        for pid, rank in ranks.items():
            if now - self.since[pid] >= STOPPED:
                who = "a process" if rank is None else f"rank {rank}"
                raise Failed(f"{who} of '{self.name}' is stopped, as by SIGSTOP", rank or 0)


def last_lines(output: str) -> tuple[str, str]:
    r"""Return the last line of the program, and what its launcher says about it, for a sentence.

    >>> last_lines("no memory\n=====\n=   BAD TERMINATION OF ONE\n=====\n=   KILLED BY SIGNAL: 9 (Killed)\n")
    (" after saying 'no memory'", " (its launcher says '9 (Killed)')")
    """
    banner = BANNER.search(output)
    lines = output[: banner.start() if banner else None].strip().splitlines()
    why = REASON.search(output, banner.start()) if banner else None
    said = f" after saying {lines[-1][:200]!r}" if lines else ""
    return said, f" (its launcher says {' '.join((why[1] or why[2]).split())!r})" if why else ""


def environment() -> dict[str, str]:
    """Return the variables with which launchers start more ranks than cores, as any user, beside other jobs."""
    habits = [{**its.always, **its.environment} for its in runtimes.RUNTIMES]
    return {name: value for habit in habits for name, value in habit.items()} | {"TERM": "dumb"} | dict(os.environ)


def sent(folder: Path, name: str, ranks: int) -> Trace:
    """Return what the ranks sent; raise Failed where they left no trace, or one of another number of ranks."""
    try:
        trace = files.read(folder)
    except InputError as error:
        raise Failed(
            f"'{name}' left no trace, {error}: it must call MPI_Init and MPI_Finalize, and MPI must be the "
            "mpicc's that is beside its mpiexec"
        ) from None
    if trace.ranks != ranks:
        raise Failed(f"'{name}' ran on {trace.ranks} ranks: it must run on {ranks}")
    return trace


def result(folder: Path, rank: int, ranks: int, name: str) -> Any:
    """Return what a rank wrote; raise Failed where it is no vector."""
    try:
        return vectorfiles.read(folder, rank, ranks)
    except InputError as error:
        raise Failed(f"'{name}': {error}", rank) from None
