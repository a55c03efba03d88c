"""Targets of which one rank's process comes to an end, or to a halt, while the others wait for it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
from typing import Any

import numpy as np


def planted() -> None:
    raise MemoryError("planted")


def starved() -> Any:
    """No more memory than there is already."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
    return [bytearray(1 << 20) for _ in range(1000)]


ENDINGS = {
    "SIGKILL": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "SIGTERM": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "SIGSTOP": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "SIGSEGV": lambda: ctypes.string_at(0),
    "SIGABRT": os.abort,
    "_exit": lambda: os._exit(3),
    "_exit 0": lambda: os._exit(0),
    "exit": lambda: sys.exit(3),
    "MemoryError": planted,
    "RLIMIT_AS": starved,
    "for ever": lambda: threading.Event().wait(),
    "": lambda: None,
}


def total(comm: Any, x: Any) -> Any:
    """Goes right."""
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


def in_allreduce(comm: Any, x: Any, *, how: str = "", who: int = 2) -> Any:
    """The others wait in a collective call."""
    if comm.rank == who:
        ENDINGS[how]()
    return total(comm, x)


def in_recv(comm: Any, x: Any, *, how: str = "", who: int = 2) -> Any:
    """Rank 0 waits for a message, the others for rank 0."""
    if comm.rank == who:
        ENDINGS[how]()
        comm.Send(x, 0)
    elif comm.rank == 0 and comm.size > who:
        comm.Recv(np.empty_like(x), who)
    return total(comm, x)


def in_the_midst(comm: Any, x: Any, *, how: str = "", who: int = 2) -> Any:
    """As before, but the rank is itself within MPI by then."""
    if comm.rank == who:
        threading.Timer(0.2, ENDINGS[how]).start()
        comm.Recv(np.empty_like(x), 0, 98)
    return in_recv(comm, x)


def afterwards(comm: Any, x: Any, *, how: str = "", who: int = 2) -> Any:
    """Goes right, and ends only then."""
    if comm.rank == who:
        threading.Timer(0.2, ENDINGS[how]).start()
    return total(comm, x)


def with_a_child(comm: Any, x: Any, *, how: str = "", who: int = 2) -> Any:
    """What the rank has started itself lives on; rank 0 leaves its number in a file."""
    if comm.rank == who and not os.fork():
        signal.pause()
    return in_allreduce(comm, x, how=how, who=who)


def pids(comm: Any, x: Any) -> Any:
    return np.array([os.getpid()])
