"""One rank of a :class:`~sparring.check.group.Group`: ``python -m sparring.check.worker FOLDER``.

Examples come and answers go by a socket of its own in ``FOLDER``; MPI carries only the code under
test, and a rank with nothing to do sleeps.  What the code prints goes to a log beside the socket.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from sparring.check import target
from sparring.check.line import NUMBERS, Line, Message

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


def main(folder: Path) -> NoReturn:
    """Answer examples until the driver hangs up."""
    from mpi4py import MPI  # starts MPI

    world = MPI.COMM_WORLD
    write_to(folder / f"rank{world.rank}")
    line = Line.to(folder / "driver")
    line.send({"rank": world.rank, "size": world.size, "library": MPI.Get_library_version().split("\n")[0].strip()})
    comms = {p: world.Create_group(world.group.Incl(range(p)), p) for p in range(world.rank + 1, world.size + 1)}
    jobs: queue.Queue[Message] = queue.Queue()
    threading.Thread(target=listen, args=(line, jobs), daemon=True).start()
    while True:
        job = jobs.get()
        line.send(*answer(comms[job.header["ranks"]], job))


def write_to(log: Path) -> None:
    """From now on all output, C's and a crash's stack included, goes to ``log``."""
    out = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    for standard in (1, 2):
        os.dup2(out, standard)
    faulthandler.enable(all_threads=False)


def listen(line: Line, jobs: queue.Queue[Message]) -> NoReturn:
    """Queue what comes.  When the driver hangs up or dies, end at once, even out of a hung MPI call."""
    try:
        while True:
            jobs.put(line.receive())
    except (EOFError, OSError):
        os._exit(0)


def answer(comm: Intracomm, job: Message) -> Message:
    """What the code under test returns, or the traceback of what it raises.

    Should it take longer than its time, its stack is written to the log while it goes on.
    """
    os.ftruncate(2, 0)
    faulthandler.dump_traceback_later(job.header["timeout"])
    try:
        function = target.load(job.header["target"])
        return Message({}, result(job.header["target"], function(comm, job.array, **job.header["params"])))
    except BaseException as error:  # noqa: BLE001  # whatever it is, the driver must hear of it
        own = error.__traceback__.tb_next if error.__traceback__ else None  # without this function
        return Message({"traceback": "".join(traceback.format_exception(error.with_traceback(own)))})
    finally:
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.flush()


def result(name: str, y: Any) -> Any:
    """``y``, if it is an array of numbers."""
    if not isinstance(y, np.ndarray) or y.dtype.kind not in NUMBERS:
        what = f"an array of {y.dtype}" if isinstance(y, np.ndarray) else type(y).__name__
        raise TypeError(f"{name} returned {what}: a target returns an array of numbers")
    return y


if __name__ == "__main__":
    main(Path(sys.argv[1]))
