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
    if not last:
        break
if last:
    print(f"sparring: the check ended while simulated ranks played {last}: the target has ended their process, "
          "unless somebody else did.  --on mpi tells which rank, and how", file=sys.stderr)
"""
"""What it does: read until this process ends, or until all went well, which an empty line says."""
STDERR = 2
"""The file, whatever Python writes to instead."""
lines: list[IO[bytes]] = []
"""Where the innermost one reads, if there is one."""


@contextmanager
def watching() -> Iterator[None]:
    """Until the block ends there is one, and a fault of compiled code shows where it was."""
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
            playing("")
            lines.pop()
            if quiet:
                faulthandler.disable()


def playing(what: str) -> None:
    """Ranks play this next."""
    for line in lines[-1:]:
        with suppress(BrokenPipeError):
            line.write(f"{what}\n".encode())
            line.flush()
