"""One rank of a group: a process of its own, which :mod:`sparring.checks.ranks.guard` starts.

Examples come and answers go by a socket of its own in ``FOLDER``; MPI carries only the code under
test, and a rank with nothing to do sleeps.  What the code prints goes to a log beside the socket.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from sparring.checks.ranks import target as targets
from sparring.checks.ranks.rank import Comms, loaded, play
from sparring.checks.ranks.sockets import Line, Message
from sparring.refinement.playing import RESIDUAL

ASKED, TOLD = "Asked (where it is)", "That is where it is."
"""The lines before and after a stack in the log that the driver has asked for."""


def main(folder: Path) -> NoReturn:
    """Answer examples until the driver hangs up."""
    from mpi4py import MPI  # starts MPI

    world = MPI.COMM_WORLD
    write_to(folder / f"rank{world.rank}")
    line = Line.to(folder / "driver")
    library = MPI.Get_library_version().split("\n")[0].strip()
    line.send(Message({"rank": world.rank, "size": world.size, "library": library, "pid": os.getpid()}))
    jobs: queue.Queue[Message] = queue.Queue()
    threading.Thread(target=listen, args=(line, jobs), daemon=True).start()
    comms = Comms(world)
    while True:
        line.send(answer(comms, jobs.get()))


def write_to(log: Path) -> None:
    """Redirect all output of this process to ``log``, including that of C code and a crash's stack."""
    out = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    for standard in (1, 2):
        os.dup2(out, standard)
    faulthandler.enable(all_threads=False)


def listen(line: Line, jobs: queue.Queue[Message]) -> NoReturn:
    """Queue the jobs that arrive.  When the driver hangs up or dies, end at once, even out of a hung MPI call."""
    try:
        while True:
            job = line.receive()
            if "where" in job.header:
                tell_where()
            else:
                jobs.put(job)
    except (EOFError, OSError):
        os._exit(0)


def tell_where() -> None:
    """Write all stacks to the log, while the rank goes on."""
    os.write(2, f"\n{ASKED}\n".encode())
    faulthandler.dump_traceback(2)
    os.write(2, f"{TOLD}\n".encode())


def answer(comms: Any, job: Message, load: Callable[[str], Any] = targets.load) -> Message:
    """Return this rank's answer; if it takes longer than its time, its stack goes to the log while it goes on."""
    asked = job.header
    os.ftruncate(2, 0)
    faulthandler.dump_traceback_later(asked["timeout"])
    try:
        if "load" in asked:
            return loaded(asked["load"], load)
        return play(
            comms, asked["ranks"], asked["target"], job.arrays[0],
            load=load, calls=asked["calls"], rows=asked["rows"], trace=asked["trace"], params=asked["params"],
            scene=asked.get("scene", ""), shown=asked.get("shown", RESIDUAL),
        )  # fmt: skip
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.flush()
