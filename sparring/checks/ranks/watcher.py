"""A small process beside this one, which says what was played last where a target has ended this one.

Simulated ranks are this very process.  Whatever ends it, a segmentation fault of compiled code or a signal, leaves
nobody who could say so.
"""

from __future__ import annotations

import faulthandler
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

SCRIPT = """
import sys
last = ""
for line in sys.stdin:
    last = line.strip()
    if last == "over":
        sys.exit()
if last:
    print(f"sparring: the check ended while simulated ranks played {last}: the target has ended their process, "
          "unless somebody else did.  --on mpi tells which rank, and how", file=sys.stderr)
"""
"""The watcher's program: read until this process ends, or all is over; an empty line: nothing is played."""
STDERR = 2
"""The descriptor of standard error, whatever Python writes to instead."""
lines: list[IO[bytes]] = []
"""The inputs of the watchers that run, the innermost last."""


@contextmanager
def watching() -> Iterator[None]:
    """Run a watcher until the block ends; a fault of compiled code prints where it was."""
    quiet = not faulthandler.is_enabled()
    if quiet:
        faulthandler.enable(STDERR)
    command = [sys.executable, "-I", "-S", "-c", SCRIPT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin  # noqa: S101  # asked for
        lines.append(process.stdin)
        try:
            yield
        finally:
            write(lines.pop(), "over")
            if quiet:
                faulthandler.disable()


@contextmanager
def playing(what: str) -> Iterator[None]:
    """Tell the watcher that simulated ranks play ``what`` in the block."""
    for line in lines[-1:]:
        write(line, what)
    yield
    for line in lines[-1:]:
        write(line, "")


def write(line: IO[bytes], what: str) -> None:
    """Send a line to the watcher, if it still lives."""
    with suppress(BrokenPipeError):
        line.write(f"{what}\n".encode())
        line.flush()
