"""Runs the doctor's questions, each in a process of its own with a time limit, and writes down the answers."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from sparring.checks.ranks import launch

Word: TypeAlias = Literal["ok", "warning", "fault"]
OK: Word = "ok"
WARNING: Word = "warning"
"""Something is not possible, or may surprise; the rest works."""
FAULT: Word = "fault"
"""Something that sparring needs is broken, or what it would say could be wrong."""

LIMIT = 1 << 20
"""Bytes of a process's output that are read, at most."""


class Check(NamedTuple):
    """One thing looked at: its name, the verdict, what is there, and what to do about it."""

    name: str
    verdict: Word
    detail: str
    remedy: str = ""


def worst(checks: Sequence[Check]) -> Word:
    """Return the worst verdict of all checks; OK if there are none."""
    found = {check.verdict for check in checks}
    return FAULT if FAULT in found else WARNING if WARNING in found else OK


class Done(NamedTuple):
    """The end of a process: its exit code (None: it had to be killed), and what it printed."""

    code: int | None
    output: str

    @property
    def last(self) -> str:
        """The last line of the output, which is the error if that is a traceback."""
        lines = self.output.strip().splitlines()
        return lines[-1].strip() if lines else "it printed nothing"

    def failure(self, timeout: float) -> str:
        """Say why the process gave no answer; "" if it ended well."""
        if self.code is None:
            return f"no answer within {timeout:g} s"
        return f"ended with code {self.code}: {self.last}" if self.code else ""


def child(command: Sequence[str], timeout: float) -> Done:
    """Run ``command`` for at most ``timeout`` seconds; nothing that it started is left running."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            return Done(127, str(error))
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            launch.stop(process)
        output.seek(0)
        return Done(code, output.read(LIMIT).decode(errors="replace"))
