"""The parent of a rank, which tells the driver how the rank ends: ``python -m sparring.checks.ranks.guard FOLDER``.

No launcher tells which rank was the first to fail, and each does something else when one does.  So a launcher's child
is not the rank, but its guard, and lives on until the driver hangs up.  Then the guard ends whatever is left of the
rank, also where it is stopped.  A guard imports nothing that takes time or starts a thread.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from sparring import job
from sparring.checks.ranks.framing import LENGTHS

ENDS_WITH_PARENT, ADOPTS = 1, 36
"""``PR_SET_PDEATHSIG`` and ``PR_SET_CHILD_SUBREAPER`` of Linux."""
BYE = b"bye"
PATIENCE = 1.0
"""Seconds that killed processes get to be gone."""


def main(folder: Path) -> NoReturn:
    """Fork the rank, and watch it."""
    ask_kernel(ADOPTS, 1)
    guard, pid = os.getpid(), os.fork()
    if pid:
        rank, _ = job.launched() or (None, None)
        watch(folder / "driver", {pid: rank})
    try:
        end_with(guard)
        from sparring.checks.ranks import worker  # it starts threads, which no fork would take along

        worker.main(folder)
    except BaseException:  # noqa: BLE001  # the usual end would wait in MPI_Finalize for the other ranks
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(1)


def end_with(guard: int) -> None:
    """Make this process end when its guard does."""
    ask_kernel(ENDS_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)


def ask_kernel(what: int, value: int) -> None:
    """Make a ``prctl`` call, which only Linux has; elsewhere do nothing."""
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def watch(driver: Path, ranks: Mapping[int, int | None]) -> NoReturn:
    """Tell the driver of every child that ends, stops or goes on, until it hangs up.

    ``ranks``: a child's process id -> its rank, where that is known.
    """
    line, living = socket.socket(socket.AF_UNIX), {*ranks}
    try:
        line.connect(str(driver))
        tell(line, {"guard": os.getpid(), "ranks": [*ranks.items()]})
    except OSError:
        end(living)
    threading.Thread(target=hang_up, args=(line, living), daemon=True).start()
    with suppress(OSError):  # no child is left, or no driver
        while True:
            pid, status = os.waitpid(-1, os.WUNTRACED | os.WCONTINUED)
            if pid in ranks:  # others are what a rank has left behind
                tell(line, {"pid": pid, "status": status, "at": time.monotonic()})
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                living.discard(pid)
    while True:
        signal.pause()


def tell(line: socket.socket, header: Mapping[str, Any]) -> None:
    """Send a message without arrays."""
    text = json.dumps([header, []]).encode()
    line.sendall(LENGTHS.pack(len(text), 0) + text)


def hang_up(line: socket.socket, living: set[int]) -> NoReturn:
    """Wait until the driver hangs up, then kill all below this process and end it.

    The driver sends the names of the files that ranks share, each with a zero byte after it, and ``BYE`` before it
    removes them.  If it has died without ``BYE``, the guards remove them.
    """
    said = b""
    with suppress(OSError):
        while more := line.recv(1 << 16):
            said += more
    *shared, bye = said.split(b"\0")
    for path in shared if bye != BYE else ():
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108  # a path of bytes
    end(living)


def end(living: set[int]) -> NoReturn:
    """Kill all processes below this one, and end it."""
    deadline = time.monotonic() + PATIENCE
    while (found := children(living)) and time.monotonic() < deadline:
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            os.waitpid(-1, os.WNOHANG)
        time.sleep(0.005)  # what they leave behind comes here
    os._exit(0)


def children(living: set[int]) -> list[int]:
    """Return the children of this process; only the ranks in ``living`` if the kernel does not tell."""
    me = os.getpid()
    try:
        return [int(pid) for pid in Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii").split()]
    except OSError:
        return [*living]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
